// SPDX-License-Identifier: Apache-2.0

package names

import (
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/otlptranslator"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// origin is a metric as its sender can have it, if queries find its samples by a name.
type origin struct {
	name, unit string
	kind       metricKind
	part       Part
	suffix     string // of the samples
	scraped    bool   // a page has it
}

// The suffixes of the samples of histograms and summaries.
const (
	bucketSuffix = "_bucket"
	sumSuffix    = "_sum"
	countSuffix  = "_count"
	totalSuffix  = "_total"
)

var parts = map[string]Part{bucketSuffix: Bucket, sumSuffix: Value, countSuffix: Count}

// origins returns the metrics that a name in a query can stand for. A page that was read decides; without
// one, these are all metrics whose translation is the name.
func (n *Names) origins(name string) []origin {
	if f, ok := n.families[name]; ok {
		whole := origin{name: name, kind: f.kind, scraped: true}
		if f.kind == otlptranslator.MetricTypeHistogram { // a native one: its unit is that of its bounds
			whole.part = Bucket
		}
		return []origin{whole}
	}
	base, suffix := splitSuffix(name)
	if f, ok := n.families[base]; ok && suffix != "" && hasParts(f.kind) {
		return []origin{{name: base, kind: f.kind, part: parts[suffix], suffix: suffix, scraped: true}}
	}
	var all []origin
	if suffix != "" {
		all = n.senders(base, otlptranslator.MetricTypeHistogram, parts[suffix], suffix)
		if suffix != countSuffix || n.seen(base+sumSuffix) || n.seen(base+bucketSuffix) {
			return all
		}
	}
	if n.evidence[name]&AsHistogram != 0 && suffix == "" {
		return n.senders(name, otlptranslator.MetricTypeHistogram, Bucket, "")
	}
	for _, kind := range n.kinds(name) {
		all = append(all, n.senders(name, kind, Value, "")...)
	}
	return all
}

// splitSuffix removes the suffix of a histogram's samples.
func splitSuffix(name string) (base, suffix string) {
	for suffix := range parts {
		if base, ok := strings.CutSuffix(name, suffix); ok && base != "" {
			return base, suffix
		}
	}
	return name, ""
}

func (n *Names) seen(name string) bool {
	_, ok := n.evidence[name]
	return ok
}

// read reports whether a page has the samples of a name.
func (n *Names) read(name string) bool {
	if _, ok := n.families[name]; ok {
		return true
	}
	base, _ := splitSuffix(name)
	f, ok := n.families[base]
	return ok && hasParts(f.kind)
}

// kinds returns the types that a metric can have by how queries use it, and by the packs.
func (n *Names) kinds(name string) []metricKind {
	switch n.evidence[name] &^ AsHistogram {
	case AsCounter:
		return []metricKind{otlptranslator.MetricTypeMonotonicCounter}
	case AsGauge:
		return []metricKind{otlptranslator.MetricTypeGauge}
	}
	decision := n.namer.Metric(n.owner(""), name)
	if n.namer.Series(decision.System, name, decision.Name).Gauge != "" {
		return []metricKind{otlptranslator.MetricTypeGauge}
	}
	return []metricKind{otlptranslator.MetricTypeGauge, otlptranslator.MetricTypeMonotonicCounter}
}

// senders returns the metrics of a kind whose name in Prometheus is the given one: the metric of this
// name, which was scraped, and metrics that came over OTLP with names in dots and with units.
func (n *Names) senders(name string, kind metricKind, part Part, suffix string) []origin {
	all := []origin{{name: name, kind: kind, part: part, suffix: suffix}}
	add := func(sent, unit string) {
		if promql.MetricName(otlptranslator.Metric{Name: sent, Unit: unit, Type: kind}) == name {
			all = append(all, origin{name: sent, unit: unit, kind: kind, part: part, suffix: suffix})
		}
	}
	stems := []string{name}
	if stem, ok := strings.CutSuffix(name, totalSuffix); ok && kind == otlptranslator.MetricTypeMonotonicCounter {
		stems = append(stems, stem)
	}
	for _, stem := range stems {
		for _, u := range n.units {
			sent, ok := strings.CutSuffix(stem, u.suffix)
			if !ok {
				continue
			}
			add(sent, u.name)
			add(strings.ReplaceAll(sent, "_", "."), u.name)
			add(strings.Replace(sent, "_", ".", 1), u.name)
			// A unit that is in the name already is not added to it.
			for _, original := range append(slices.Clip(n.renamed[sent]), n.renamed[stem]...) {
				add(original, u.name)
			}
		}
	}
	return all
}

// unit is a unit with what it appends to a name in Prometheus.
type unit struct{ name, suffix string }

// commonUnits are the units of metrics that names in Prometheus show.
var commonUnits = []string{"", "1", "%", "s", "ms", "us", "ns", "min", "h", "d", "By", "KiBy", "MiBy", "GiBy", "By/s", "W", "J", "Cel", "Hz", "V", "A", "m"}

// unitsOf returns the common units and those of packs.
func unitsOf(packs []*conventions.Pack) []unit {
	all := slices.Clone(commonUnits)
	for _, pack := range packs {
		for from, to := range pack.Metrics.Units {
			all = append(all, from, to)
		}
	}
	slices.Sort(all)
	var units []unit
	for _, name := range slices.Compact(all) {
		shown := promql.MetricName(otlptranslator.Metric{Name: "x", Unit: name, Type: otlptranslator.MetricTypeGauge})
		if suffix := strings.TrimPrefix(shown, "x"); suffix != "" || name == "" {
			units = append(units, unit{name, suffix})
		}
	}
	return units
}

// merges are how series of a type are merged, and gauges how those of gauges are by a pack's rule. Other ones keep
// no query's result.
var (
	merges = map[metricKind]promql.Merge{
		otlptranslator.MetricTypeMonotonicCounter:    promql.Increases,
		otlptranslator.MetricTypeHistogram:           promql.Increases,
		otlptranslator.MetricTypeNonMonotonicCounter: promql.Sum,
	}
	gauges = map[conventions.GaugeAggregate]promql.Merge{
		conventions.AggregateSum: promql.Sum, conventions.AggregateMax: promql.Max, conventions.AggregateMin: promql.Min,
	}
)

// outcome is what becomes of the samples of an origin.
type outcome struct {
	Metric
	exact  bool // a pack has a rule for this metric
	mapped bool // a pack has a rule for the unit that the sender gives it
	origin string
}

// equal reports whether a query is rewritten in the same way for both.
func (o outcome) equal(other outcome) bool {
	return o.Name == other.Name && o.System == other.System &&
		(o.Back == nil) == (other.Back == nil) && (o.Back == nil || *o.Back == *other.Back && o.Part == other.Part) &&
		slices.Equal(o.Labels, other.Labels)
}

// outcome decides an origin of a name. It is not ok if the metric belongs to nobody.
func (n *Names) outcome(name string, o origin, job string) (result outcome, ok bool) {
	decision := n.namer.Metric(n.owner(job), o.name)
	if !decision.System.Owned() && !decision.Changed() {
		return outcome{}, false
	}
	result = outcome{exact: decision.Rule == naming.MetricRename || len(decision.Repairs) > 0, origin: o.describe()}
	result.Metric = Metric{
		Name: name, Owned: true, System: decision.System, Part: o.part, Merge: merges[o.kind], names: n, original: o.name,
	}
	if o.kind == otlptranslator.MetricTypeGauge {
		result.Merge = gauges[n.namer.Series(decision.System, o.name, decision.Name).Gauge]
	}
	// A conformant name in a query is our page's, and a name of a page that is not renamed stays there.
	if !decision.Changed() && (!o.scraped || len(decision.Repairs) == 0) {
		return result, true
	}
	kind, shown := o.kind, o.unit
	if ucum, ok := n.namer.Unit(decision.System, shown); ok {
		shown, result.mapped = ucum, true
	}
	for _, rule := range decision.Repairs {
		if rule.Type == conventions.TypeCounter && kind == otlptranslator.MetricTypeGauge {
			kind, result.Merge = otlptranslator.MetricTypeMonotonicCounter, promql.Increases
		}
		shown = rule.Stated(shown)
		if _, ok := conventions.Convert(shown, rule.Convert); ok && shown != rule.Convert {
			if o.part != Count {
				result.Back = &Conversion{old: shown, new: rule.Convert}
			}
			shown = rule.Convert
		}
	}
	result.Name = promql.MetricName(otlptranslator.Metric{Name: decision.Name, Unit: shown, Type: kind}) + o.suffix
	for _, attribute := range decision.Attributes {
		label, _ := n.label(decision.System, o.name, attribute.Key)
		result.Labels = append(result.Labels, Label{label.Name, attribute.Value})
	}
	return result, true
}

// kindNames are the words for types in texts for people.
var kindNames = map[metricKind]string{
	otlptranslator.MetricTypeGauge:            "a gauge",
	otlptranslator.MetricTypeMonotonicCounter: "a counter",
	otlptranslator.MetricTypeHistogram:        "a histogram",
	otlptranslator.MetricTypeSummary:          "a summary",
}

// describe returns what an origin is, for people.
func (o origin) describe() string {
	text := kindNames[o.kind]
	if !model.LegacyValidation.IsValidMetricName(o.name) {
		text += " sent as " + o.name
	}
	if o.unit != "" {
		text += " in " + o.unit
	}
	return text
}
