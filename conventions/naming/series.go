package naming

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Series is what the packs define for the series of one metric.
type Series struct {
	// System owns the metric, or is nil.
	System *System
	// Gauge is how to aggregate the values of a gauge when an attribute is removed. It is empty
	// if no pack defines it.
	Gauge conventions.GaugeAggregate

	ids map[string]*System
	// kept are the ids that the metric's points keep.
	kept []string
}

// Series returns what the packs define for a metric. Owner is the system that owns the resource
// or scope; if it is nil, the metric's name determines the system. Original is the name before
// naming, or of the metric that was copied, or empty if naming kept it.
func (n *Namer) Series(owner *System, original, name string) Series {
	original = cmp.Or(original, name)
	decision := n.Metric(owner, original)
	system := decision.System
	if system == nil {
		system = n.MetricOwner(n.written(name)) // naming did not keep the original
	}
	names := []string{original, name, n.written(name), n.written(decision.Name)}
	return Series{
		System: system,
		Gauge:  n.gauge(system, names),
		ids:    n.idsOf(system),
		kept:   n.keptIDs(system, names),
	}
}

// ID reports whether the values of a point attribute are ids, and which pack defines that. The
// key may be the original or the conformant one.
func (s Series) ID(key string) (by *System, ok bool) {
	by, ok = s.ids[key]
	if !ok && needsForm(key) { // naming keeps the original if the conformant key is taken
		key = attributeForm(key)
		by, ok = s.ids[key]
	}
	if slices.Contains(s.kept, key) {
		return nil, false
	}
	return by, ok
}

// Kept returns the ids that the metric's points keep, as one text. Metrics of one system with the same text
// have the same ids.
func (s Series) Kept() string { return strings.Join(s.kept, ",") }

// HasIDs reports whether any key holds ids.
func (s Series) HasIDs() bool { return len(s.ids) > 0 }

// gauge returns the aggregation of the first rule that matches one of the metric's names.
func (n *Namer) gauge(system *System, names []string) conventions.GaugeAggregate {
	for _, decider := range n.deciders(system) {
		for _, rule := range decider.pack.Metrics.Gauges {
			if slices.ContainsFunc(names, rule.Match.Match) {
				return rule.Aggregate
			}
		}
	}
	return ""
}

// keptIDs returns the keys of ids that the points of a metric keep, the original and the conformant ones.
func (n *Namer) keptIDs(system *System, names []string) (kept []string) {
	for _, decider := range n.deciders(system) {
		for _, rule := range decider.pack.Attributes {
			if slices.ContainsFunc(names, glob.List(rule.IDExcept).Match) {
				kept = append(kept, rule.Key)
				if rule.Rename != "" {
					kept = append(kept, rule.Rename)
				}
			}
		}
	}
	return kept
}

// written returns a conformant name with the prefix tc_, which packs use.
func (n *Namer) written(name string) string {
	if rest, ok := strings.CutPrefix(name, n.prefix); ok {
		return conventions.MetricPrefix + rest
	}
	return name
}

// idsOf returns the keys whose values are ids in a system's telemetry, and the pack that
// defines each.
func (n *Namer) idsOf(system *System) map[string]*System {
	if system == nil {
		return n.ids
	}
	return system.ids
}

// idKeys finds the keys whose values are ids in an owner's telemetry, each as the original and
// as the conformant key.
func (n *Namer) idKeys(owner *System) map[string]*System {
	deciders := n.deciders(owner)
	idBy := func(key string) *System {
		for _, system := range deciders {
			if system.attributes[key].ID {
				return system
			}
		}
		return nil
	}
	ids := map[string]*System{}
	add := func(key string, by *System) {
		if _, ok := ids[key]; !ok {
			ids[key] = by
		}
	}
	for _, system := range deciders {
		for _, rule := range system.pack.Attributes {
			conformant := rule.Key
			if d := n.Attribute(owner, rule.Key); d != nil {
				conformant = d.Key
			}
			if by := cmp.Or(idBy(rule.Key), idBy(conformant)); by != nil {
				add(rule.Key, by)
				add(conformant, by)
			}
			// Another pack may have another rename for the key, but this one's conformant key
			// is sent as well.
			if rule.ID && rule.Rename != "" {
				add(rule.Rename, system)
			}
		}
	}
	for _, system := range deciders {
		for i := range system.pack.Metrics.Also {
			rule := &system.pack.Metrics.Also[i]
			for _, from := range slices.Sorted(maps.Keys(rule.Attributes)) {
				if by := ids[from]; by != nil {
					add(rule.Attributes[from], by) // the copy has the same values
				}
			}
		}
	}
	return ids
}
