package conventions

import (
	"maps"
	"slices"
	"strings"
)

// checkAlso reports copies of copies, rules without effect, conversions between dimensions, and attributes of a copy that would
// become one.
func (c *checker) checkAlso() {
	renames := map[string]string{}
	for _, rule := range c.Attributes {
		renames[rule.Key] = rule.Rename
	}
	for i, rule := range c.Metrics.Also {
		at := path{"metrics", "also", i}
		if rule.Match.MatchString(rule.Name) {
			c.fault(append(at, "match"), "the pattern also finds the copy's name %q (got %q)", rule.Name, rule.Match)
		}
		if j := slices.IndexFunc(c.Metrics.Also[:i], func(r AlsoRule) bool { return r.Name == rule.Name && r.Match.String() == rule.Match.String() }); j >= 0 {
			c.fault(append(at, "match"), "%s decides all that it matches (got %q)", c.key("metrics", "also", j), rule.Match)
		}
		if rule.Unit != "" && rule.Convert != "" {
			if _, ok := Convert(rule.Unit, rule.Convert); !ok {
				c.fault(append(at, "convert"), "%s cannot be converted to %s", rule.Unit, rule.Convert)
			}
		}
		from := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(rule.Attributes)) {
			to := rule.Attributes[key]
			c.checkCopyKey(append(at, "attributes", key), to, renames)
			if other, ok := from[to]; ok {
				c.fault(append(at, "attributes", key), "%q has the key %q already", other, to)
			}
			from[to] = key
		}
		for _, key := range slices.Sorted(maps.Keys(rule.Set)) {
			c.checkCopyKey(append(at, "set", key), key, renames)
			if other, ok := from[key]; ok {
				c.fault(append(at, "set", key), "%q has this key already", other)
			}
		}
	}
}

// checkCopyKey reports an attribute key of a copy that is not conformant: the copy's keys are final.
func (c *checker) checkCopyKey(at path, key string, renames map[string]string) {
	if next := renames[key]; next != "" && next != key {
		c.fault(at, "%q is itself renamed, to %q", key, next)
	}
	if strings.HasPrefix(strings.ToLower(key), attributePrefix) && !conformantKey.MatchString(key) {
		c.fault(at, "must be lower_snake_case with dots (got %q)", key)
	}
}
