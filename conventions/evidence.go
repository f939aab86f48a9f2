// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// resemblances reports what selects telemetry by a word that others could use. Ownership needs evidence: a scope, a
// resource, or a name with a prefix of the system's own.
func (c *checker) resemblances() document.Faults {
	c.faults = nil
	for i, g := range c.Owns.Metrics {
		if !slices.ContainsFunc(c.ownPrefixes(), func(own string) bool { return hasPrefixFold(g.String(), own) }) {
			c.fault(path{"owns", "metrics", i}, "others could have the name: it must begin with the system's name or one of owns.prefixes (got %q)", g)
		}
	}
	for i, pattern := range c.Owns.Spans {
		if !c.namesSystem(pattern.String()) {
			c.fault(path{"owns", "spans", i}, "others could have the name: it must contain the system's name or one of owns.prefixes (got %q)", pattern)
		}
	}
	c.unanchored(c.Owns.Scopes, "owns", "scopes")
	for _, owned := range c.Owns.Resource {
		if !c.namesSystem(owned.Key) {
			c.unanchored(owned.Values, "owns", "resource", owned.Key)
		}
	}
	if c.Owns.All {
		for i, rule := range c.Attributes {
			if !strings.Contains(rule.Key, ".") && rule.IDOnly == nil {
				c.fault(path{"attributes", i, "key"}, "others could have the key: owns.all applies to everybody, and it has no namespace (got %q)", rule.Key)
			}
		}
		return c.faults
	}
	for i := range c.Links {
		c.openStages(i)
	}
	return c.faults
}

// openStages reports the later stages of a rule that select spans of anybody: those with a common key.
func (c *checker) openStages(i int) {
	rule := &c.Links[i]
	open := func(s *linking.Stage, place ...any) {
		key := s.Key
		if key == nil {
			key = rule.Key
		}
		if len(s.SpanName)+len(s.Scope)+len(s.Attributes) == 0 && s.Service == nil &&
			!strings.HasPrefix(key.SpanAttribute, attributePrefix) && !c.namesSystem(key.SpanAttribute) {
			c.fault(append(path{"links", i}, place...), "others could have such spans: it needs a span_name, a scope, a service or attributes (got %q)", rule.Name)
		}
	}
	if rule.To != nil {
		open(rule.To, "to")
	}
	for j := range rule.Stages {
		open(&rule.Stages[j], "stages", j)
	}
}

// unanchored reports globs that match a word in the middle of a name.
func (c *checker) unanchored(globs []glob.Glob, list ...any) {
	for i, g := range globs {
		if strings.HasPrefix(g.String(), "*") {
			c.fault(append(slices.Clone(list), i), "others could have the name: a glob must begin with the system's text (got %q)", g)
		}
	}
}

// ownPrefixes returns what names of the system begin with.
func (c *checker) ownPrefixes() []string {
	return append([]string{c.System, MetricPrefix + c.System}, c.Owns.Prefixes...)
}

// namesSystem reports whether a text has one of the prefixes in it.
func (c *checker) namesSystem(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(c.ownPrefixes(), func(own string) bool { return strings.Contains(text, strings.ToLower(own)) })
}

func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}
