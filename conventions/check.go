// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
	"github.com/otelcol-tc/otelcol-tc/conventions/layout"
)

// checker collects the faults of a pack that the schema cannot express.
type checker struct {
	*Pack
	root   *yaml.Node // what the pack was decoded from
	faults document.Faults
}

// path is the path of a key: names and indexes of items.
type path = []any

func (c *checker) fault(place path, format string, args ...any) {
	c.faults.Add(c.root, place, format, args...)
}

// keyText returns the text of a path.
func keyText(place ...any) string {
	var b strings.Builder
	for i, step := range place {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, step)
	}
	return b.String()
}

// check reports names that are kept for nobody, placeholders without a group in their pattern, conversions
// between dimensions, copies of copies, renames of renamed names, ids that are bounded, lists of messages in
// their own place, invalid layouts, invalid link rules, invalid rules for owners, and expected edges that lead
// nowhere.
func (c *checker) check() document.Faults {
	c.checkNames()
	c.checkRules()
	c.checkAlso()
	c.checkRenames()
	c.checkIDs()
	c.checkAttributeCopies()
	c.checkMessages()
	c.checkFormats()
	c.checkLinks()
	c.checkOwner()
	c.checkExpect()
	return c.faults
}

func (c *checker) checkRules() {
	for i, r := range c.Spans.Rules {
		c.checkPlaceholders(path{"spans", "rules", i}, r.Match, r.Attributes, r.Component, r.Operation)
	}
	for i, r := range c.Metrics.Rules {
		c.checkPlaceholders(path{"metrics", "rules", i}, r.Match, r.Attributes, r.Rename)
		if r.Unit == "" || r.Convert == "" {
			continue
		}
		if _, ok := Convert(r.Unit, r.Convert); !ok {
			c.fault(path{"metrics", "rules", i, "convert"}, "%s cannot be converted to %s", r.Unit, r.Convert)
		}
	}
}

func (c *checker) checkPlaceholders(place path, match *regexp.Regexp, attributes map[string]Placeholder, templates ...string) {
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		templates = append(templates, string(attributes[key]))
	}
	for _, template := range templates {
		for _, group := range Placeholders(template) {
			if !slices.Contains(match.SubexpNames(), group) {
				c.fault(place, "placeholder {%s} names no group of the pattern %q", group, match)
			}
		}
	}
}

// checkRenames reports renames to a name that is renamed too, because enforcing twice must equal enforcing
// once. It also reports two rules for one key.
func (c *checker) checkRenames() {
	c.checkRenamedOnce("rename", c.Metrics.Rename, "%q is itself renamed, to %q")
	c.checkRenamedOnce("units", c.Metrics.Units, "%q is itself replaced, by %q")
	renames := map[string]string{}
	for i, rule := range c.Attributes {
		if _, ok := renames[rule.Key]; ok {
			c.fault(path{"attributes", i, "key"}, "%q has a rule already", rule.Key)
		}
		renames[rule.Key] = rule.Rename
	}
	for i, rule := range c.Attributes {
		if next := renames[rule.Rename]; rule.Rename != rule.Key && next != "" && next != rule.Rename {
			c.fault(path{"attributes", i, "rename"}, "%q is itself renamed, to %q", rule.Rename, next)
		}
	}
}

func (c *checker) checkRenamedOnce(key string, renames map[string]string, format string) {
	for _, from := range slices.Sorted(maps.Keys(renames)) {
		to := renames[from]
		if next, ok := renames[to]; ok && next != to && from != to {
			c.fault(path{"metrics", key, from}, format, to, next)
		}
	}
}

// checkIDs reports ids that have few values or are removed. A key and its new name hold the same values,
// so their rules must agree.
func (c *checker) checkIDs() {
	rules := make(map[string]AttributeRule, len(c.Attributes))
	for _, rule := range c.Attributes {
		rules[rule.Key] = rule
	}
	for i, rule := range c.Attributes {
		if rule.IDOnly != nil && !rule.ID {
			c.fault(path{"attributes", i, "id_only"}, "needs id: true")
		}
		if rule.IDExcept != nil && !rule.ID {
			c.fault(path{"attributes", i, "id_except"}, "needs id: true")
		}
		if rule.IDSeen != nil && !rule.ID {
			c.fault(path{"attributes", i, "id_seen"}, "needs id: true")
		}
		renamed := rules[rule.Rename]
		if !rule.ID && !renamed.ID {
			continue
		}
		key, reason := rule.Key, rule.notIDs()
		if reason == "" && rule.ID {
			key, reason = renamed.Key, renamed.notIDs()
		}
		if reason != "" {
			c.fault(path{"attributes", i, "id"}, "the values of %q are not ids: %s", key, reason)
		}
	}
}

// notIDs returns why the values cannot be ids, or an empty string.
func (r AttributeRule) notIDs() string {
	switch {
	case r.Allowed != nil:
		return "allowed lists them all"
	case r.Type == TypeBool:
		return "type is bool"
	case r.Sensitive == SensitiveRemove:
		return "sensitive removes them"
	}
	return ""
}

// checkFormats reports invalid layouts, and formats with equal names.
func (c *checker) checkFormats() {
	for i, prefix := range c.Logs.Prefixes {
		if _, err := layout.ParsePrefix(prefix); err != nil {
			c.fault(path{"logs", "prefixes", i}, "%w", err)
		}
	}
	for i, format := range c.Logs.Formats {
		if slices.ContainsFunc(c.Logs.Formats[:i], func(f LogFormat) bool { return f.Name == format.Name }) {
			c.fault(path{"logs", "formats", i, "name"}, "%q is the name of an earlier format", format.Name)
		}
		for j, line := range format.Lines {
			if _, err := format.layout(line); err != nil {
				c.fault(path{"logs", "formats", i, "lines", j}, "%w", err)
			}
		}
		if _, err := format.SecondLayout(); err != nil {
			c.fault(path{"logs", "formats", i}, "%w", err)
		}
	}
}

// checkExpect reports edges to the same component.
func (c *checker) checkExpect() {
	for i, edge := range c.Expect.Edges {
		if edge.From == edge.To {
			c.fault(path{"expect", "edges", i}, "must lead to another component (got %q)", edge)
		}
	}
}
