// SPDX-License-Identifier: Apache-2.0

// Package names decides what a metric of a query, and its labels, are called on our Prometheus
// page: by the packs' decisions, and then by Prometheus' translation of names. A query has the
// name of a sample, so the metric's type and the name that its sender uses are found first.
package names

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/otlptranslator"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Names decides names. Observe, Record and Read tell it what is known; after that it is safe for
// concurrent use.
type Names struct {
	namer    *naming.Namer
	packs    []*conventions.Pack
	service  string
	owners   []string // the systems whose rules for owners apply
	units    []unit
	renamed  map[string][]string // the packs' original names, by their name in Prometheus
	labels   map[string][]string // the packs' attribute keys, by their label
	evidence map[string]Use      // by the name in a query
	recorded map[string][]Labels
	families map[string]family // of the pages that were read
}

// New returns the decisions of a namer with its packs. Service is the service whose telemetry
// queries without the label job select, or empty. Owners are the systems whose rules for owners apply.
func New(namer *naming.Namer, packs []*conventions.Pack, service string, owners []string) *Names {
	n := &Names{
		namer: namer, packs: packs, service: service, owners: owners,
		renamed: map[string][]string{}, labels: map[string][]string{},
		evidence: map[string]Use{}, recorded: map[string][]Labels{}, families: map[string]family{},
	}
	n.units = unitsOf(packs)
	for _, pack := range packs {
		for from := range pack.Metrics.Rename {
			plain := promql.MetricName(otlptranslator.Metric{Name: from, Type: otlptranslator.MetricTypeUnknown})
			n.renamed[plain] = append(n.renamed[plain], from)
		}
		for _, rule := range pack.Attributes {
			label := promql.LabelName(rule.Key)
			n.labels[label] = append(n.labels[label], rule.Key)
		}
	}
	return n
}

// Use is how queries use the samples of a name.
type Use uint8

// The uses that show a type.
const (
	AsCounter   Use = 1 << iota // by rate() and similar functions
	AsGauge                     // by deriv(), max_over_time() and similar functions
	AsHistogram                 // by histogram_quantile() and similar functions: native histograms, if the name has no suffix
)

// Observe records how a query uses a name.
func (n *Names) Observe(name string, use Use) { n.evidence[name] |= use }

// Labels returns the new name of a label of a query's result, and why it cannot be decided.
type Labels func(label string) (renamed, undecided string)

// Record records the name of a recording rule, which the collector does not see. Labels of its series are
// those of its query. Nil means that they do not change.
func (n *Names) Record(name string, labels Labels) {
	n.recorded[name] = append(n.recorded[name], labels)
}

// Part is what the samples of a name say about their metric.
type Part uint8

// The parts.
const (
	Value  Part = iota // values in the metric's unit
	Bucket             // counts of a bucket, whose bound is in the metric's unit
	Count              // the count of a histogram or a summary
)

// Metric is the decision on the metric of a selector.
type Metric struct {
	// Name is the name on our page.
	Name string
	// Owned reports whether names of the metric can change: a pack owns it, or the settings repair what nobody
	// owns.
	Owned bool
	// System owns the metric, or is nil.
	System *naming.System
	// Part is what the samples are.
	Part Part
	// Back converts values of our page to those of the old name. It is nil if they are equal.
	Back *Conversion
	// Labels are matchers that the new name needs, because the old name had their values in it.
	Labels []Label
	// Undecided is why the name cannot be decided, or empty.
	Undecided string
	// Lost are labels of the old series that our page does not have, so that series are merged. MayLose are others, which a
	// pack removes from all series of its metrics: nothing shows whether this metric has them.
	Lost, MayLose []string
	// Merge is how series are merged.
	Merge promql.Merge

	names    *Names
	original string
	recorded []Labels // of recording rules
}

// Label is a label with its value.
type Label struct{ Name, Value string }

// Conversion converts values between the old unit and the one on our page.
type Conversion struct{ old, new string }

// Suffix returns the operator and the factor that convert values of our page to the old ones.
func (c *Conversion) Suffix() string {
	back, _ := conventions.Convert(c.new, c.old)
	if factor := back.Apply(1); factor >= 1 {
		return fmt.Sprintf(" * %v", factor)
	}
	return fmt.Sprintf(" / %v", c.Forward(1))
}

// Forward converts a value in the old unit to our page's.
func (c *Conversion) Forward(value float64) float64 {
	forward, _ := conventions.Convert(c.old, c.new)
	return forward.Apply(value)
}

// Metric decides the metric of a selector with a name. Job is the value of its label job, or empty.
func (n *Names) Metric(name, job string) Metric {
	metric := Metric{Name: name, names: n, original: name}
	if rules, ok := n.recorded[name]; ok || name == "" {
		metric.recorded = rules
		return metric
	}
	var found []outcome
	for _, o := range n.origins(name) {
		if result, ok := n.outcome(name, o, job); ok {
			found = append(found, result)
		}
	}
	if len(found) == 0 {
		return n.byPage(metric, job)
	}
	// What a pack has a rule for is more certain than what the beginning of a name says.
	found = preferred(found, func(o outcome) bool { return o.exact })
	found = preferred(found, func(o outcome) bool { return o.exact && o.mapped })
	metric = found[0].Metric
	switch {
	case strings.Count(name, ":") > 1 && !found[0].exact && !n.read(name):
		metric.Undecided = fmt.Sprintf("%s looks like the name of a recording rule, which is in none of the files", name)
	case !model.LegacyValidation.IsValidMetricName(name) && !n.read(name):
		metric.Undecided = fmt.Sprintf("the type and the unit of %s are unknown: --metrics with a page that has it decides", name)
	case slices.ContainsFunc(found, func(o outcome) bool { return !found[0].equal(o) }):
		metric.Undecided = n.undecided(name, found)
	}
	if strings.HasSuffix(name, totalSuffix) && slices.ContainsFunc(found, func(o outcome) bool { return o.Merge == promql.Increases }) {
		metric.Merge = promql.Increases
	}
	n.lose(&metric)
	return metric
}

// preferred returns the outcomes that have a property, or all of them if none has it.
func preferred(found []outcome, has func(outcome) bool) []outcome {
	if some := slices.DeleteFunc(slices.Clone(found), func(o outcome) bool { return !has(o) }); len(some) > 0 {
		return some
	}
	return found
}

// undecided explains outcomes that differ.
func (n *Names) undecided(name string, found []outcome) string {
	var all, names []string
	for _, o := range found {
		if !slices.Contains(names, o.Name) {
			names = append(names, o.Name)
			all = append(all, fmt.Sprintf("%s (%s)", o.Name, o.origin))
		}
	}
	return fmt.Sprintf("%s could become %s: --metrics with a page that has it decides", name, strings.Join(all, " or "))
}

// byPage decides a name that no pack owns by name. It can belong to the owner of its page, which others
// can have as well.
func (n *Names) byPage(m Metric, job string) Metric {
	if owner := n.families[m.Name].owner; owner != nil && job == "" && n.service == "" {
		m.Owned, m.System = true, owner
		m.Undecided = fmt.Sprintf("%s is on a page of %s, but others can have this name: --service or a matcher on job decides",
			m.Name, owner.Name())
	}
	return m
}

// owner returns the system that owns the telemetry of a job, or nil.
func (n *Names) owner(job string) *naming.System {
	service := cmp.Or(job, n.service)
	namespace, name, ok := strings.Cut(service, "/")
	if !ok {
		namespace, name = "", service
	}
	return n.namer.Owner(func(key string) (string, bool) {
		switch key {
		case "service.name":
			return name, name != ""
		case "service.namespace":
			return namespace, namespace != ""
		}
		return "", false
	}, "")
}

// Owns reports whether a pack can own, and rename, a name that begins with a text.
func (n *Names) Owns(beginning string) bool {
	if n.namer.ConformantMetric(strings.TrimRight(beginning, "_") + "_x") {
		return false
	}
	for _, pack := range n.packs {
		if !renames(pack) {
			continue
		}
		for _, glob := range pack.Owns.Metrics {
			if overlaps(literal(glob.String()), beginning) || overlaps(promql.MetricName(otlptranslator.Metric{Name: literal(glob.String())}), beginning) {
				return true
			}
		}
	}
	decision := n.namer.Metric(n.owner(""), beginning+"x")
	return decision.Changed()
}

// renames reports whether a pack can change names of metrics. Only what it states itself changes names that it keeps.
func renames(pack *conventions.Pack) bool {
	m := &pack.Metrics
	return pack.Names != conventions.NamesKeep || len(m.Rules)+len(m.Rename)+len(m.Prefixes) > 0
}

// literal returns the text before a glob's first special character.
func literal(glob string) string {
	if i := strings.IndexAny(glob, `*?[\{`); i >= 0 {
		return glob[:i]
	}
	return glob
}

// overlaps reports whether one text begins with the other.
func overlaps(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
