// SPDX-License-Identifier: Apache-2.0

// Package draft writes a convention pack for a service from what a conformance report says of it. The pack is
// valid, whatever the names in the report are, and what it cannot decide is in its comments.
package draft

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// Services of reports that are none.
const (
	unknown = "unknown" // no service.name
	other   = "other"   // several services
)

// maxListed limits the names of one list in comments.
const maxListed = 100

// Pack returns a pack for a service, as YAML.
func Pack(r *conformance.Report, service string) (string, error) {
	if r.Service(service) == nil {
		return "", fmt.Errorf("service: the report has no service %.100q", service)
	}
	if service == other {
		return "", errors.New("service: other stands for several services, those above max_services")
	}
	d := &draft{report: r, service: service}
	d.collect()
	owns, err := d.owns()
	if err != nil {
		return "", err
	}
	d.line("# A draft of a pack for the service %s, from the conformance report of %s.", shown(service), r.At.UTC().Format(time.RFC3339))
	d.line("# Names are those that the general rules make: choose better ones where you know them.")
	d.line("# What needs a decision is under \"Undecided\", and in lines that say \"decide\".")
	d.line("system: %s", paste.Scalar(system(service)))
	d.line("")
	d.line("%s", owns)
	d.metrics()
	d.attributes()
	d.spans()
	d.logs()
	d.leftovers()
	return d.text.String(), nil
}

// draft is a pack that is being written.
type draft struct {
	report  *conformance.Report
	service string
	text    strings.Builder

	names     []rename // of metrics
	byNew     map[string]string
	described []conformance.Metric
	spanNames []conformance.Finding
	keys      []conformance.Finding
	undecided []string
}

// rename is a metric's original name and its conformant one, with tc_.
type rename struct{ from, to string }

func (d *draft) line(format string, args ...any) { fmt.Fprintf(&d.text, format+"\n", args...) }

// decide adds a line to what is undecided.
func (d *draft) decide(format string, args ...any) {
	d.undecided = append(d.undecided, fmt.Sprintf(format, args...))
}

// collect finds what the report has of the service.
func (d *draft) collect() {
	d.byNew = map[string]string{}
	for _, f := range d.report.Findings {
		if f.Service != d.service {
			continue
		}
		rule := f.Rule
		if f.Naming != "" {
			rule = f.Naming
		}
		switch {
		case rule == "unnameable":
			d.decide("No rule makes the name %s (%s) conformant: no character of it can be kept.", shown(f.Original), f.Signal)
		case f.Suggestion == "":
		case rule == "metric_general":
			d.rename(f)
		case slices.Contains([]string{"span_text", "span_code", "span_rpc"}, rule):
			d.spanNames = append(d.spanNames, f)
		case rule == "attribute_form":
			d.keys = append(d.keys, f)
		}
	}
	slices.SortFunc(d.names, func(a, b rename) int { return strings.Compare(a.from, b.from) })
	for _, m := range d.report.Metrics {
		if m.Service == d.service {
			d.described = append(d.described, m)
		}
	}
	slices.SortFunc(d.described, func(a, b conformance.Metric) int { return strings.Compare(a.Name, b.Name) })
}

// rename adds a metric that the general rule renames.
func (d *draft) rename(f conformance.Finding) {
	to := conventions.MetricPrefix + strings.TrimPrefix(f.Suggestion, d.report.Prefix)
	if !paste.Exact(f.Original) || !metricName.MatchString(to) {
		d.decide("The general rule names the metric %s, whose name is not whole here or cannot be written.", shown(f.Original))
		return
	}
	if _, ok := d.byNew[f.Original]; !ok {
		d.byNew[f.Original] = to
		d.names = append(d.names, rename{f.Original, to})
	}
}

// metricName is the form of conformant metric names in packs.
var metricName = regexp.MustCompile(`^tc(_[a-z0-9]+)+$`)

// shown returns a text from telemetry for a comment.
func shown(text string) string { return `"` + paste.Comment(text) + `"` }

var notOfSystem = regexp.MustCompile(`[^a-z0-9]+`)

// maxSystem is the length of a system's name.
const maxSystem = 60

// system returns the pack's name: that of the service in lower_snake_case. Built-in packs have theirs.
func system(service string) string {
	name := notOfSystem.ReplaceAllString(strings.ToLower(service), "_")
	name = strings.Trim(name[:min(len(name), maxSystem)], "_")
	switch {
	case name == "":
		name = "service"
	case name[0] <= '9':
		name = "service_" + name
	}
	if slices.Contains(conventions.Builtin(), name) || name == "none" || name == conventions.Builtins {
		name += "_draft"
	}
	return name
}

// owns returns the section owns, which selects the service by its name, or by its metrics if it has none.
func (d *draft) owns() (string, error) {
	if d.service != unknown {
		// Stars for what the report has not kept.
		glob := strings.ReplaceAll(d.service, string(utf8.RuneError), "*")
		if !paste.Whole(d.service) {
			glob += "*"
		}
		// A star of the name itself would own other services too, and one alone all of them.
		if paste.Safe(glob) && !strings.Contains(d.service, "*") && strings.Trim(glob, "*") != "" {
			return fmt.Sprintf("owns:\n  resource:\n    service.name: [%s]", paste.Scalar(glob)), nil
		}
	}
	if len(d.names) == 0 {
		return "", fmt.Errorf("service: nothing in the report selects the telemetry of %.100q: it has no usable service.name, and no metric of its own", d.service)
	}
	var b strings.Builder
	b.WriteString("owns:\n  # The telemetry has no usable service.name: decide whether these metrics are only this system's.\n  metrics:")
	for _, n := range d.names {
		b.WriteString("\n    - " + paste.Scalar(n.from))
	}
	return b.String(), nil
}

// leftovers writes what is undecided.
func (d *draft) leftovers() {
	if len(d.undecided) == 0 {
		return
	}
	d.line("")
	d.line("# Undecided:")
	d.list("# - ", d.undecided)
}

// list writes lines of a comment, and how many are left out.
func (d *draft) list(begin string, lines []string) {
	for _, line := range lines[:min(len(lines), maxListed)] {
		d.line("%s%s", begin, line)
	}
	if more := len(lines) - maxListed; more > 0 {
		d.line("%sand %d more", begin, more)
	}
}
