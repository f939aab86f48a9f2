package conventions

import (
	"maps"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
)

// checker collects the faults of a pack that a schema cannot say.
type checker struct {
	*Pack
	root   *yaml.Node
	faults document.Faults
}

// path leads to a key: names, and the numbers of items.
type path = []any

func (c *checker) fault(at path, format string, args ...any) {
	c.faults.Add(c.root, at, format, args...)
}

// check reports placeholders that name no group of their pattern, units of two dimensions,
// renames of what is renamed itself, ids that are not unbounded, gauge rules that decide
// nothing, layouts that cannot be read, link rules that cannot link, and what is expected
// twice.
func (p *Pack) check(root *yaml.Node) error {
	c := &checker{Pack: p, root: root}
	c.checkRules()
	c.checkRenames()
	c.checkIDs()
	c.checkGauges()
	c.checkFormats()
	c.checkLinks()
	c.checkExpect()
	return c.faults.Sorted()
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

func (c *checker) checkPlaceholders(at path, match *regexp.Regexp, attributes map[string]Placeholder, templates ...string) {
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		templates = append(templates, string(attributes[key]))
	}
	for _, template := range templates {
		for _, group := range Placeholders(template) {
			if !slices.Contains(match.SubexpNames(), group) {
				c.fault(at, "placeholder {%s} names no group of the pattern %q", group, match)
			}
		}
	}
}

// checkRenames reports renames to what is renamed itself, so that enforcing twice
// would not be enforcing once, and two rules for one key.
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

// checkIDs reports ids whose values are few, or gone. A key and the one that it is
// renamed to hold the same values, so their rules must not contradict each other either.
func (c *checker) checkIDs() {
	rules := make(map[string]AttributeRule, len(c.Attributes))
	for _, rule := range c.Attributes {
		rules[rule.Key] = rule
	}
	for i, rule := range c.Attributes {
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

// notIDs returns why the values cannot be ids, or nothing.
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

// checkGauges reports rules that never decide, because an earlier one matches
// whatever they match.
func (c *checker) checkGauges() {
	for i, rule := range c.Metrics.Gauges {
		// A star of the text can only be under a star of the earlier glob, which then
		// covers all that it stands for.
		text := rule.Match.String()
		j := slices.IndexFunc(c.Metrics.Gauges[:i], func(earlier GaugeRule) bool { return earlier.Match.Match(text) })
		if j >= 0 {
			c.fault(path{"metrics", "gauges", i, "match"}, "metrics.gauges.%d decides all that it matches (got %q)", j, text)
		}
	}
}

// checkFormats reports layouts that cannot be read, and two formats of one name.
func (c *checker) checkFormats() {
	for i, format := range c.Logs.Formats {
		if slices.ContainsFunc(c.Logs.Formats[:i], func(f LogFormat) bool { return f.Name == format.Name }) {
			c.fault(path{"logs", "formats", i, "name"}, "%q is the name of an earlier format", format.Name)
		}
		for j, line := range format.Lines {
			if _, err := format.layout(line); err != nil {
				c.fault(path{"logs", "formats", i, "lines", j}, "%w", err)
			}
		}
	}
}

// checkExpect reports what is expected twice, and edges that lead nowhere. A component can
// be in both lists: components says that it is there, an edge that it is reached.
func (c *checker) checkExpect() {
	for i, metric := range c.Expect.Metrics {
		if slices.ContainsFunc(c.Expect.Metrics[:i], func(g glob.Glob) bool { return g.String() == metric.String() }) {
			c.fault(path{"expect", "metrics", i}, "must be listed once (got %q again)", metric)
		}
	}
	for i, component := range c.Expect.Components {
		if slices.Contains(c.Expect.Components[:i], component) {
			c.fault(path{"expect", "components", i}, "must be listed once (got %q again)", component)
		}
	}
	for i, edge := range c.Expect.Edges {
		switch {
		case edge.From == edge.To:
			c.fault(path{"expect", "edges", i}, "must lead to another component (got %q)", edge)
		case slices.Contains(c.Expect.Edges[:i], edge):
			c.fault(path{"expect", "edges", i}, "must be listed once (got %q again)", edge)
		}
	}
}
