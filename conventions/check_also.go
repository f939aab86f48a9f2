// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"maps"
	"slices"
	"strings"
)

// checkAlso reports copies of copies, rules without effect, conversions between dimensions, attributes of a copy
// that would become one, and points that there are none of.
func (c *checker) checkAlso() {
	renames := c.renamesOfAttributes()
	for i, rule := range c.Metrics.Also {
		place := path{"metrics", "also", i}
		if rule.Match.MatchString(rule.Name) {
			c.fault(append(place, "match"), "the pattern also finds the copy's name %q (got %q)", rule.Name, rule.Match)
		}
		if j := slices.IndexFunc(c.Metrics.Also[:i], func(r AlsoRule) bool { return r.Match.String() == rule.Match.String() && r.keepsOut(rule) }); j >= 0 {
			c.faultOfLater(place, j)
		}
		if rule.Unit != "" && rule.Convert != "" {
			if _, ok := Convert(rule.Unit, rule.Convert); !ok {
				c.fault(append(place, "convert"), "%s cannot be converted to %s", rule.Unit, rule.Convert)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(rule.Where)) {
			c.checkWhere(append(place, "where", key), key, rule)
		}
		from := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(rule.Attributes)) {
			to := rule.Attributes[key]
			c.checkCopyKey(append(place, "attributes", key), to, renames)
			if other, ok := from[to]; ok {
				c.fault(append(place, "attributes", key), "%q has the key %q already", other, to)
			}
			from[to] = key
		}
		for _, key := range slices.Sorted(maps.Keys(rule.Set)) {
			c.checkCopyKey(append(place, "set", key), key, renames)
			if other, ok := from[key]; ok {
				c.fault(append(place, "set", key), "%q has this key already", other)
			}
		}
	}
}

// keepsOut reports whether a rule leaves nothing to a later one that matches the same metrics.
func (r *AlsoRule) keepsOut(later AlsoRule) bool {
	return strings.EqualFold(r.Name, later.Name) && (!r.apart(later) || r.selects(later))
}

// apart reports whether the points of two rules' copies differ by what the rules set. If they did not, two of
// them could be one.
func (r *AlsoRule) apart(other AlsoRule) bool {
	for key, value := range r.Set {
		if set, ok := other.Set[key]; ok && set != value {
			return true
		}
	}
	return false
}

// selects reports whether a rule selects all points that a later one selects.
func (r *AlsoRule) selects(later AlsoRule) bool {
	for key, value := range r.Where {
		if where, ok := later.Where[key]; !ok || where != value {
			return false
		}
	}
	return true
}

// faultOfLater reports that an earlier rule leaves nothing to another one.
func (c *checker) faultOfLater(place path, earlier int) {
	before, rule := c.Metrics.Also[earlier], c.Metrics.Also[place[len(place)-1].(int)]
	if before.selects(rule) {
		c.fault(append(place, "match"), "%s decides all that it matches (got %q)", keyText("metrics", "also", earlier), rule.Match)
		return
	}
	c.fault(append(place, "name"), "needs another value of set than %s, which copies other points to this name (got %q)",
		keyText("metrics", "also", earlier), rule.Name)
}

// checkWhere reports an attribute that no point has with this value, and one that the copies would need.
func (c *checker) checkWhere(place path, key string, rule AlsoRule) {
	if to, ok := rule.Attributes[key]; ok {
		c.fault(place, "the copies do not have it, so it cannot become %q", to)
	}
	keys := []string{key}
	for i := 0; i < len(keys) && i < len(c.Attributes); i++ {
		for j, r := range c.Attributes {
			if r.Key != keys[i] {
				continue
			}
			value := rule.Where[key]
			if r.Type != "" && r.Type != TypeString || r.Allowed != nil && !slices.Contains(r.Allowed, value) || r.Sensitive != "" {
				c.fault(place, "%s leaves no point with this value (got %q)", keyText("attributes", j), value)
			}
			if r.Rename != "" && !slices.Contains(keys, r.Rename) {
				keys = append(keys, r.Rename)
			}
		}
	}
}

// checkCopyKey reports an attribute key of a copy that is not conformant: the copy's keys are final.
func (c *checker) checkCopyKey(place path, key string, renames map[string]string) {
	if next := renames[key]; next != "" && next != key {
		c.fault(place, "%q is itself renamed, to %q", key, next)
	}
	if strings.HasPrefix(strings.ToLower(key), attributePrefix) && !conformantKey.MatchString(key) {
		c.fault(place, "must be lower_snake_case with dots (got %q)", key)
	}
}
