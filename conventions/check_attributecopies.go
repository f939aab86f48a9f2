// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
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
			c.fault(place, "%s copies it again (got %q)", keyText("attributes", i), to)
		}
	}
	for i, rule := range c.Messages {
		if strings.HasPrefix(to, rule.From+".") {
			c.fault(place, "must not be a field of the messages of %s (got %q)", keyText("messages", i), to)
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
	steps := make([]string, len(place))
	for i, step := range place {
		steps[i] = fmt.Sprint(step)
	}
	return resolved(document.Find(c.root, steps...)).Kind == yaml.SequenceNode
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
