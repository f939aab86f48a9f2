// SPDX-License-Identifier: Apache-2.0

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
	s := Series{System: system, ids: n.idsOf(system)}
	own, metric := []string{name, n.written(name)}, []string{original, n.written(decision.Name)}
	if written, ok := n.copyWith(&decision, original, name); ok {
		own = append(own, written)
		s.Gauge = cmp.Or(n.gauge(system, own), n.gauge(system, metric))
		s.kept = n.keptIDs(system, s.ids, func(rule *conventions.AttributeRule) bool { return rule.IDOfCopy(own, metric) })
		return s
	}
	names := slices.Concat(own, metric)
	s.Gauge = n.gauge(system, names)
	s.kept = n.keptIDs(system, s.ids, func(rule *conventions.AttributeRule) bool { return rule.IDOf(names...) })
	return s
}

// copyWith returns the name, as packs write it, of the copy with a name that a rule makes of the metric with the
// original name, which the decision is about. The copy may have been made with another prefix.
func (n *Namer) copyWith(d *Decision, original, name string) (written string, ok bool) {
	if original == name {
		return "", false
	}
	for _, c := range n.Copies(d, original) {
		written := n.written(c.Name)
		rest, prefixed := strings.CutPrefix(written, conventions.MetricPrefix)
		if written == name || prefixed && strings.HasSuffix(name, "_"+rest) {
			return written, true
		}
	}
	return "", false
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

// ID returns the pack that calls the values of an attribute ids, in an owner's telemetry, or nil. Only are the metrics
// that this is about, and except those that keep the attribute; without only it is about all others.
func (n *Namer) ID(owner *System, key string) (by *System, only, except []glob.Glob) {
	by, _ = Series{ids: n.idsOf(owner)}.ID(key)
	if by == nil {
		return nil, nil, nil
	}
	i := slices.IndexFunc(by.pack.Attributes, func(r conventions.AttributeRule) bool { return r.ID && (r.Key == key || r.Rename == key) })
	if i < 0 {
		return by, nil, nil
	}
	return by, by.pack.Attributes[i].IDOnly, by.pack.Attributes[i].IDExcept
}

// IDs are the attributes of a metric whose values are ids. They need no pack, so they can outlive the packs.
type IDs struct {
	keys map[string]bool
	kept []string
}

// IDs returns the attributes of the metric whose values are ids.
func (s Series) IDs() IDs {
	ids := IDs{keys: make(map[string]bool, len(s.ids)), kept: s.kept}
	for key := range s.ids {
		ids.keys[key] = true
	}
	return ids
}

// Has reports whether the values of a point attribute are ids, as Series.ID does.
func (s IDs) Has(key string) bool {
	has := s.keys[key]
	if !has && needsForm(key) {
		key = attributeForm(key)
		has = s.keys[key]
	}
	return has && !slices.Contains(s.kept, key)
}

// Same reports whether others are the same.
func (s IDs) Same(o IDs) bool { return maps.Equal(s.keys, o.keys) && slices.Equal(s.kept, o.kept) }

// Kept returns the ids that the metric's points keep, as one text. Metrics of one system with the same text
// have the same ids.
func (s Series) Kept() string { return strings.Join(s.kept, ",") }

// HasIDs reports whether the metric's points lose a key that holds ids.
func (s Series) HasIDs() bool {
	for key := range s.ids {
		if !slices.Contains(s.kept, key) {
			return true
		}
	}
	return false
}

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

// keptIDs returns the keys of ids that the points of a metric keep: the original and the conformant ones, and
// those of copies. Lost reports whether the points lose the attribute of a rule. The pack that defines an id
// decides about it.
func (n *Namer) keptIDs(system *System, ids map[string]*System, lost func(*conventions.AttributeRule) bool) (kept []string) {
	for _, decider := range n.deciders(system) {
		for i := range decider.pack.Attributes {
			rule := &decider.pack.Attributes[i]
			if ids[rule.Key] != decider || lost(rule) || !rule.ID {
				continue
			}
			kept = append(kept, rule.Key)
			if rule.Rename != "" {
				kept = append(kept, rule.Rename)
			}
		}
	}
	if len(kept) == 0 {
		return nil
	}
	for _, decider := range n.deciders(system) {
		for i := range decider.pack.Metrics.Also {
			for from, to := range decider.pack.Metrics.Also[i].Attributes {
				if slices.Contains(kept, from) && !slices.Contains(kept, to) {
					kept = append(kept, to)
				}
			}
		}
	}
	slices.Sort(kept)
	return kept
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
