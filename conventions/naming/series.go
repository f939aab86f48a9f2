package naming

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Series is what the packs know of one metric's series.
type Series struct {
	// System owns the metric, or is nil.
	System *System
	// Gauge is how its values come together when it is a gauge and an attribute is
	// removed. Empty where no pack says it.
	Gauge conventions.GaugeAggregate

	ids map[string]*System
}

// Series looks up what the packs know of a metric. Owner is the system that owns
// its resource or scope; without one its name tells whose it is. Original is the
// name before naming, or empty where naming left it.
func (n *Namer) Series(owner *System, original, name string) Series {
	original = cmp.Or(original, name)
	decision := n.Metric(owner, original)
	system := decision.System
	if system == nil {
		system = n.metricOwner(n.written(name)) // the original was not kept
	}
	return Series{
		System: system,
		Gauge:  n.gauge(system, []string{original, name, n.written(name), n.written(decision.Name)}),
		ids:    n.idsOf(system),
	}
}

// ID tells whether a point attribute's values are ids, and whose pack says so. The
// key may be the one that was sent or the conformant one.
func (s Series) ID(key string) (by *System, ok bool) {
	by, ok = s.ids[key]
	if !ok && needsForm(key) { // where naming found the conformant key taken
		by, ok = s.ids[attributeForm(key)]
	}
	return by, ok
}

// HasIDs tells whether any key is an id.
func (s Series) HasIDs() bool { return len(s.ids) > 0 }

// gauge returns what the first rule that matches one of a metric's names says.
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

// written is a conformant name as packs write it, whatever the prefix.
func (n *Namer) written(name string) string {
	if rest, ok := strings.CutPrefix(name, n.prefix); ok {
		return conventions.MetricPrefix + rest
	}
	return name
}

// idsOf are the keys whose values are ids in what a system sends, and which pack
// says so.
func (n *Namer) idsOf(system *System) map[string]*System {
	if system == nil {
		return n.ids
	}
	return system.ids
}

// idKeys finds the keys whose values are ids in an owner's telemetry: each as it
// is sent and as naming makes it.
func (n *Namer) idKeys(owner *System) map[string]*System {
	deciders := n.deciders(owner)
	says := func(key string) *System {
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
			if by := cmp.Or(says(rule.Key), says(conformant)); by != nil {
				add(rule.Key, by)
				add(conformant, by)
			}
			// Another pack can have another rename for the key, but this one's is sent
			// as well.
			if rule.ID && rule.Rename != "" {
				add(rule.Rename, system)
			}
		}
	}
	return ids
}
