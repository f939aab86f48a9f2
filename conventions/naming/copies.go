// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// The keys of the metadata that keep copies apart from what was copied. A later collector does not
// rename copies, and does not copy again.
const (
	// CopyOfKey is a key of a copy: the name of the metric that was copied.
	CopyOfKey = "tc.copy_of"
	// CopiesKey is a key of the metric that was copied: the names of its copies, and of those that another
	// metric kept out.
	CopiesKey = "tc.copies"
)

// Copy is a copy of a metric by a rule of a pack.
type Copy struct {
	// Name is the name of the copy.
	Name string
	// Where are the attributes of the metric's points that are copied, sorted by key. The copy does not have
	// them. Without them all points are copied.
	Where []Attribute
	// Set are attributes of every point of the copy, sorted by key.
	Set []Attribute
	// Unit and Convert are as in conventions.AlsoRule.
	Unit, Convert string
	// Source is the rule.
	Source Source

	earlier [][]Attribute     // Where of earlier rules with this name, which copy the points that they select
	keys    map[string]string // from a key of the metric to that of the copy
	second  map[string]string // from a conformant key in keys to the original one
	taken   []string          // the keys that only keys and Set give
}

// Copies returns the copies of a metric with this original name, which the decision is about.
func (n *Namer) Copies(d *Decision, original string) (copies []Copy) {
	for _, system := range n.deciders(d.System) {
		for i := range system.pack.Metrics.Also {
			rule := &system.pack.Metrics.Also[i]
			if !rule.Match.MatchString(original) {
				continue
			}
			c := n.copyBy(rule, d.System)
			c.Source = Source{system, []any{"metrics", "also", i}}
			copies = withCopy(copies, c)
		}
	}
	return copies
}

// withCopy adds a copy by a rule, unless earlier rules with its name decide about all points. Each point has one copy
// of a name. The copies by two rules are one metric, so their sets have to keep them apart.
func withCopy(copies []Copy, c Copy) []Copy {
	for _, other := range copies {
		if !strings.EqualFold(other.Name, c.Name) {
			continue
		}
		if len(other.Where) == 0 || !SetsApart(other.Set, c.Set) {
			return copies
		}
		c.earlier = append(c.earlier, other.Where)
	}
	return append(copies, c)
}

// SetsApart reports whether points with the attributes of one set differ from those with the other's.
func SetsApart(a, b []Attribute) bool {
	return slices.ContainsFunc(a, func(x Attribute) bool {
		return slices.ContainsFunc(b, func(y Attribute) bool { return x.Key == y.Key && x.Value != y.Value })
	})
}

// Competes reports whether copies can have the name of a metric of an owner, or one that is the same in
// Prometheus.
func (n *Namer) Competes(owner *System, name string) bool {
	return n.copyNames[strings.ToLower(name)] || slices.ContainsFunc(n.deciders(owner), func(s *System) bool { return len(s.pack.Metrics.Also) > 0 })
}

func (n *Namer) copyBy(rule *conventions.AlsoRule, owner *System) Copy {
	c := Copy{
		Name: n.copyName(rule.Name), Unit: rule.Unit, Convert: rule.Convert,
		keys: make(map[string]string, len(rule.Attributes)), second: map[string]string{},
	}
	for _, key := range slices.Sorted(maps.Keys(rule.Where)) {
		c.Where = append(c.Where, Attribute{n.conformantKey(owner, key), rule.Where[key]})
	}
	for _, from := range slices.Sorted(maps.Keys(rule.Attributes)) {
		to := rule.Attributes[from]
		c.taken = append(c.taken, to)
		c.keys[from] = to
		// The metric has the conformant key, or the original one if the conformant one was taken.
		if key := n.conformantKey(owner, from); key != from && c.keys[key] == "" {
			c.keys[key] = to
			c.second[from] = key
		}
	}
	for _, key := range slices.Sorted(maps.Keys(rule.Set)) {
		c.taken = append(c.taken, key)
		c.Set = append(c.Set, Attribute{key, rule.Set[key]})
	}
	return c
}

// conformantKey returns the key that attributes with a key have after naming.
func (n *Namer) conformantKey(owner *System, key string) string {
	if d := n.Attribute(owner, key); d != nil {
		return d.Key
	}
	return key
}

// SelectsAll reports whether all points are copied.
func (c *Copy) SelectsAll() bool { return len(c.Where) == 0 && len(c.earlier) == 0 }

// Selects reports whether a point is copied. Value returns the text of an attribute of the point, if it has one
// with this key.
func (c *Copy) Selects(value func(key string) (text string, ok bool)) bool {
	all := func(where []Attribute) bool {
		return !slices.ContainsFunc(where, func(a Attribute) bool {
			text, ok := value(a.Key)
			return !ok || text != a.Value
		})
	}
	return all(c.Where) && !slices.ContainsFunc(c.earlier, all)
}

// Drops reports whether the copy does not have an attribute of the metric: all of its points have the same one.
func (c *Copy) Drops(key string) bool {
	return slices.ContainsFunc(c.Where, func(a Attribute) bool { return a.Key == key })
}

// Units returns the unit of the values of a metric that states a unit, and that of the copy. It is not ok if there is
// no copy, because the values cannot be converted.
func (c *Copy) Units(stated string) (from, to string, ok bool) {
	rule := &conventions.AlsoRule{Unit: c.Unit, Convert: c.Convert}
	if from, ok = rule.Stated(stated); !ok {
		return "", "", false
	}
	to = rule.Target(from)
	if from != to {
		_, ok = conventions.Convert(from, to)
	}
	return from, to, ok
}

// Rekeys reports whether the copy's points have other attributes than the metric's.
func (c *Copy) Rekeys() bool { return len(c.taken)+len(c.Where) > 0 }

// Key returns the key that an attribute of the metric has on the copy, unless that Drops it. Has reports whether the point has
// another attribute. Different attributes get different keys, whatever the point has: the series of the
// copy are those of the metric.
func (c *Copy) Key(key string, has func(key string) bool) (to string, taken bool) {
	to, ok := c.keys[key]
	if conformant, isSecond := c.second[key]; isSecond && has(conformant) {
		ok = false
	}
	if ok {
		return to, false
	}
	plain := key
	for {
		if slices.Contains(c.taken, plain) {
			return Shorten(exported + key), true
		}
		if plain, ok = strings.CutPrefix(plain, exported); !ok {
			return key, false
		}
	}
}

// exported begins the key of an attribute whose key a rule gives to another one, as in Prometheus. A key
// that begins so already gets it once more, so that two keys never become one.
const exported = "exported_"
