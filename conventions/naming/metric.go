// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Metric decides a metric's name. Owner is the system that owns the resource or scope; if no pack
// does, the name may determine the system.
//
// The order is: a pack's rules, a pack's exact rename, a conformant name, a name that the user
// exempts, a pack's prefix mapping, a name that is exempt by default, the general rule. The
// general rule does not apply where names are kept: see Options.Unowned. A new name is decided again until it stays, at most
// maxSteps times, so that a second decision changes nothing. A name longer than MaxName is
// shortened first.
func (n *Namer) Metric(owner *System, name string) Decision { return n.metric(owner, name, nil) }

// metric is Metric that records the rules that decide.
func (n *Namer) metric(owner *System, name string, by *trail) Decision {
	d := n.metricStep(owner, Shorten(name), by)
	last := d
	for range maxSteps {
		if !last.Changed() {
			break
		}
		next := n.metricStep(owner, last.Name, by)
		d.Name = next.Name
		d.Attributes = append(d.Attributes, next.Attributes...)
		d.System = ownerBy(d.System, func() *System { return next.System })
		for _, rule := range next.Repairs {
			if !slices.Contains(d.Repairs, rule) {
				d.Repairs = append(d.Repairs, rule)
			}
		}
		last = next
	}
	if max(len(name), len(d.Name)) > MaxName {
		d.Name, d.Rule = Shorten(d.Name), NameLength
	}
	return d
}

// maxSteps ends the decision when the rules of packs form a cycle.
const maxSteps = 8

func (n *Namer) metricStep(owner *System, name string, by *trail) Decision {
	stated := owner
	owner = ownerBy(owner, func() *System { return n.MetricOwner(name) })
	if by != nil && owner != stated {
		by.add(owner, "owns", "metrics", slices.IndexFunc(owner.pack.Owns.Metrics, func(g glob.Glob) bool { return g.Match(name) }))
	}
	d := Decision{Name: name, System: owner}
	for _, system := range n.deciders(owner) {
		if n.byMetricRules(system, &d, by) {
			return d
		}
		if to, ok := system.renames[name]; ok {
			if by != nil {
				by.add(system, "metrics", "rename", name)
			}
			if to == name {
				d.Rule = Conformant
			} else {
				d.Name, d.Rule = to, MetricRename
			}
			return d
		}
	}
	repairs := n.repairs(owner).Metrics
	switch {
	case n.ConformantMetric(name):
		if repairs {
			d.Rule = Conformant
		} else {
			d.keep()
		}
		return d
	case matchAny(n.kept, name):
		d.Rule = Exempt
		return d
	}
	for _, system := range n.deciders(owner) {
		for _, p := range system.prefixes {
			rest, ok := strings.CutPrefix(name, p.from)
			if !ok {
				continue
			}
			// tensorcast_tc_x must not become tc_tc_x.
			if snake := n.unprefixed(snakeCase(rest)); snake != "" {
				if by != nil {
					by.add(system, "metrics", "prefixes", p.from)
				}
				d.Name, d.Rule = p.to+snake, MetricPrefix
				return d
			}
		}
	}
	switch {
	case !repairs:
		d.keep()
		return d
	case matchAny(n.exempt, name):
		d.Rule = Exempt
		return d
	}
	return n.generalMetric(d)
}

// byMetricRules applies the first rule of a system that matches, and reports whether it decided
// the name.
func (n *Namer) byMetricRules(system *System, d *Decision, by *trail) bool {
	for i := range system.pack.Metrics.Rules {
		rule := &system.pack.Metrics.Rules[i]
		groups := rule.Match.FindStringSubmatch(d.Name)
		if groups == nil {
			continue
		}
		if by != nil {
			by.add(system, "metrics", "rules", i)
		}
		if len(d.Repairs) == 0 && (rule.Type != "" || rule.Unit != "" || rule.Convert != "") {
			d.Repairs = []*conventions.MetricRule{rule}
		}
		if rule.Rename == "" {
			return false
		}
		name := rule.Rename
		for _, group := range conventions.Placeholders(rule.Rename) {
			name = strings.ReplaceAll(name, "{"+group+"}", snakeCase(groups[rule.Match.SubexpIndex(group)]))
		}
		name = n.ownPrefix(name)
		if !n.ConformantMetric(name) {
			return false // an empty group
		}
		d.Attributes = placeholderValues(rule.Attributes, rule.Match, groups)
		if name == d.Name {
			d.Rule = Conformant
		} else {
			d.Name, d.Rule = name, MetricRename
		}
		return true
	}
	return false
}

func (n *Namer) generalMetric(d Decision) Decision {
	snake := snakeCase(d.Name)
	// tc.Foo already has the convention's prefix in another form: do not create tc_tc_foo.
	snake = n.unprefixed(snake)
	if snake == "" || snake+"_" == n.prefix {
		d.Rule = Unnameable
		return d
	}
	d.Name, d.Rule = n.prefix+snake, MetricGeneral
	return d
}

// Unit returns the UCUM unit to which the packs of an owner map a unit. It is not ok if the
// unit stays.
func (n *Namer) Unit(owner *System, unit string) (ucum string, ok bool) {
	for _, system := range n.deciders(owner) {
		if ucum, ok := system.pack.Metrics.Units[unit]; ok && ucum != unit {
			return ucum, true
		}
	}
	return "", false
}
