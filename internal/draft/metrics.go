// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"fmt"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// metrics writes the section metrics.
func (d *draft) metrics() {
	units, gauges := d.units(), d.gauges()
	if len(d.names) == 0 && units == "" && gauges == "" {
		return
	}
	d.line("")
	d.line("metrics:")
	if len(d.names) > 0 {
		d.line("  rename:")
		for _, n := range d.names {
			d.line("    %s: %s", paste.Scalar(n.from), n.to)
		}
	}
	d.text.WriteString(units)
	d.text.WriteString(gauges)
}

// units returns the rules for units that are words.
func (d *draft) units() string {
	var b strings.Builder
	known := map[string]bool{}
	for _, m := range d.described {
		to, ok := conventions.UCUM(m.Unit)
		if !ok || known[m.Unit] {
			continue
		}
		if len(known) == 0 {
			b.WriteString("  units:\n")
		}
		known[m.Unit] = true
		fmt.Fprintf(&b, "    %s: %s\n", m.Unit, paste.Scalar(to))
	}
	return b.String()
}

// gauges returns rules for the gauges that lose an attribute. Only a person knows what their values mean
// together.
func (d *draft) gauges() string {
	var b strings.Builder
	var others []string
	written := map[string]bool{}
	for _, m := range d.described {
		if m.Type != conformance.TypeGauge {
			continue
		}
		if counts(m.Name) {
			d.decide("The gauge %s has the name of a counter. If it counts: metrics.rules: [{match: …, type: counter}].", shown(m.Name))
		}
		name := d.newName(m.Name)
		switch {
		case m.Merged == 0 || !metricName.MatchString(name):
			others = append(others, shown(m.Name))
			continue
		case written[name]:
			continue
		case len(written) == 0:
			b.WriteString("  # The newest value stays. Decide: last, min, max, mean or sum.\n  gauges:\n")
		}
		written[name] = true
		fmt.Fprintf(&b, "    - {match: %s, aggregate: last} # %s\n", name, becomes(m))
	}
	if n := len(others); n > 0 {
		d.decide("How gauges are merged if they lose an attribute (metrics.gauges). There are %d more: %s.",
			n, strings.Join(others[:min(n, maxGauges)], ", "))
	}
	return b.String()
}

// maxGauges limits the gauges of one line.
const maxGauges = 10

func becomes(m conformance.Metric) string {
	return fmt.Sprintf("%d series, at most %d without the ids", m.Series, m.Merged)
}

// newName returns the name of a metric with the draft, written with tc_.
func (d *draft) newName(name string) string {
	if to, ok := d.byNew[name]; ok {
		return to
	}
	if rest, ok := strings.CutPrefix(name, d.report.Prefix); ok {
		return conventions.MetricPrefix + rest
	}
	return name
}

// counts reports whether a name ends as those of counters do.
func counts(name string) bool {
	return strings.HasSuffix(name, "_total") || strings.HasSuffix(name, ".total")
}
