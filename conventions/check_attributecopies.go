// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"maps"
	"slices"
	"strings"
)

// checkAttributeCopies reports copies of copies, copies of what is removed or is no object, copies without effect,
// and keys that would not stay.
func (c *checker) checkAttributeCopies() {
	for i := range c.Attributes {
		rule := &c.Attributes[i]
		place := path{"attributes", i}
		if rule.Sensitive == SensitiveRemove && len(rule.Also)+len(rule.AlsoFields) > 0 {
			c.fault(append(place, "sensitive"), "the attribute is removed, so that nothing can be copied (got %q)", rule.Sensitive)
		}
		if rule.Type != "" && rule.Type != TypeString && rule.AlsoFields != nil {
			c.fault(append(place, "also_fields"), "a value of the type %s has no fields", rule.Type)
		}
		c.checkCopies(append(place, "also"), rule, rule.Also)
		for _, field := range rule.AlsoFields {
			c.checkCopies(append(place, "also_fields", field.Field), rule, field.Copies)
		}
	}
}

// checkCopies reports the faults of the copies of one value.
func (c *checker) checkCopies(list path, rule *AttributeRule, copies AttributeCopies) {
	for j, one := range copies {
		place := slices.Clone(list)
		if c.isList(list) {
			place = append(place, j)
		}
		key := append(slices.Clone(place), "key")
		c.checkTarget(key, rule.Key, one.Key)
		if one.Key == rule.Key || one.Key == rule.Rename {
			c.fault(key, "must be another key than that of the attribute (got %q)", one.Key)
		}
		earlier := func(o AttributeCopy) bool { return o.Key == one.Key && o.With == one.With }
		if slices.ContainsFunc(copies[:j], earlier) {
			c.fault(key, "an earlier copy of this value has the key (got %q)", one.Key)
		}
		switch one.With {
		case "":
		case rule.Key, rule.Rename:
			c.fault(append(slices.Clone(place), "with"), "must be another key than that of the attribute (got %q)", one.With)
		case one.Key:
			c.fault(append(slices.Clone(place), "with"), "must be another key than that of the copy (got %q)", one.With)
		}
		c.checkValues(append(slices.Clone(place), "values"), one.Values)
	}
}

// checkTarget reports the key of a copy that would be copied again, or that has a rule for its name.
func (c *checker) checkTarget(place path, from, to string) {
	for i, rule := range c.Attributes {
		if rule.Key == to && rule.Key != from && len(rule.Also)+len(rule.AlsoFields) > 0 {
			c.fault(place, "%s copies it again (got %q)", c.key("attributes", i), to)
		}
	}
	for i, rule := range c.Messages {
		if strings.HasPrefix(to, rule.From+".") {
			c.fault(place, "must not be a field of the messages of %s (got %q)", c.key("messages", i), to)
		}
	}
	c.checkCopyKey(place, to, c.renamesOfAttributes())
}

func (c *checker) renamesOfAttributes() map[string]string {
	renames := make(map[string]string, len(c.Attributes))
	for _, rule := range c.Attributes {
		renames[rule.Key] = rule.Rename
	}
	return renames
}

// checkValues reports values that differ only by case.
func (c *checker) checkValues(place path, values map[string]string) {
	seen := map[string]string{}
	for _, value := range slices.Sorted(maps.Keys(values)) {
		lower := strings.ToLower(value)
		if other, ok := seen[lower]; ok {
			c.fault(append(slices.Clone(place), value), "differs from %q only by case (got %q)", other, value)
		}
		seen[lower] = value
	}
}

// isList reports whether a key has a list.
func (c *checker) isList(place path) bool {
	node := c.root
	for _, step := range place {
		switch step := step.(type) {
		case int:
			if node = resolved(node); step >= len(node.Content) {
				return false
			}
			node = node.Content[step]
		case string:
			if node = childOf(node, step); node == nil {
				return false
			}
		}
	}
	return isList(node)
}

// checkMessages reports lists in the place of their own messages, lists that are copied, and rules without effect.
func (c *checker) checkMessages() {
	for i, rule := range c.Messages {
		place := path{"messages", i}
		c.checkTarget(append(place, "to"), "", rule.To)
		if slices.ContainsFunc(c.Messages[:i], func(r MessageRule) bool { return r.From == rule.From && r.To == rule.To }) {
			c.fault(append(place, "from"), "an earlier rule makes %q of these messages (got %q)", rule.To, rule.From)
		}
	}
}

// unusedValues reports values of copies that the attribute never has.
func (c *checker) unusedValues() {
	for i, rule := range c.Attributes {
		if rule.Allowed == nil {
			continue
		}
		for j, one := range rule.Also {
			place := path{"attributes", i, "also"}
			if c.isList(place) {
				place = append(place, j)
			}
			for _, value := range slices.Sorted(maps.Keys(one.Values)) {
				same := func(allowed string) bool { return strings.EqualFold(allowed, value) }
				if value != OtherValues && value != otherValue && !slices.ContainsFunc(rule.Allowed, same) {
					c.fault(append(slices.Clone(place), "values", value), "allowed does not list it (got %q)", value)
				}
			}
		}
	}
}

// otherValue is what a value becomes that is not allowed.
const otherValue = "other"
