// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
)

// unused reports rules that can never apply, and expectations that nothing can meet. It reports only what
// is certain. Complete means that the pack has all rules of its text.
func (c *checker) unused(complete bool) document.Faults {
	c.faults = nil
	c.unusedGlobs()
	c.unusedMetricRules()
	c.unusedCopies()
	c.unusedValues()
	c.unusedSpanRules()
	c.unusedLayouts()
	if complete {
		c.unusedSections()
		c.unmetMetrics()
	}
	return c.faults
}

// unusedGlobs reports globs that match nothing but what another one of their list matches.
func (c *checker) unusedGlobs() {
	c.unusedOf(c.Owns.Metrics, "owns", "metrics")
	c.unusedOf(c.Owns.Scopes, "owns", "scopes")
	for _, owned := range c.Owns.Resource {
		c.unusedOf(owned.Values, "owns", "resource", owned.Key)
	}
	for i, pattern := range c.Owns.Spans {
		if j := slices.IndexFunc(c.Owns.Spans[:i], func(p *regexp.Regexp) bool { return p.String() == pattern.String() }); j >= 0 {
			c.fault(path{"owns", "spans", i}, "%s is the same pattern (got %q)", c.key("owns", "spans", j), pattern)
		}
	}
	c.unusedComponents(c.Spans.Components.Services, "services")
	c.unusedComponents(c.Spans.Components.Scopes, "scopes")
}

func (c *checker) unusedOf(globs []glob.Glob, list ...any) {
	for i, g := range globs {
		for j, other := range globs {
			// A star of the text can only match a star of the other glob. Of two equal globs the later one is
			// reported.
			if i != j && other.Match(g.String()) && (j < i || !g.Match(other.String())) {
				c.fault(append(slices.Clone(list), i), "%s matches all that it matches (got %q)", c.key(append(slices.Clone(list), j)...), g)
				break
			}
		}
	}
}

// unusedComponents reports rules for components after one that matches all that they match.
func (c *checker) unusedComponents(rules []ComponentRule, list string) {
	for i, rule := range rules {
		text := rule.Match.String()
		if j := slices.IndexFunc(rules[:i], func(r ComponentRule) bool { return r.Match.Match(text) }); j >= 0 {
			c.fault(path{"spans", "components", list, i, "match"}, "%s decides all that it matches (got %q)",
				c.key("spans", "components", list, j), text)
		}
	}
}

// unusedMetricRules reports rules after one that matches all that they match, and renames of names that a
// rule renames.
func (c *checker) unusedMetricRules() {
	rules := c.Metrics.Rules
	for i, rule := range rules {
		name, exact := exactName(rule.Match)
		j := slices.IndexFunc(rules[:i], func(r MetricRule) bool {
			return r.Match.String() == rule.Match.String() || exact && r.Match.MatchString(name)
		})
		if j >= 0 {
			c.fault(path{"metrics", "rules", i, "match"}, "%s decides all that it matches (got %q)", c.key("metrics", "rules", j), rule.Match)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(c.Metrics.Rename)) {
		if i, to := c.renamedByRule(from); to != "" {
			c.fault(path{"metrics", "rename", from}, "%s renames it to %q (got %q)", c.key("metrics", "rules", i), to, c.Metrics.Rename[from])
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(c.Metrics.Units)) {
		if c.Metrics.Units[unit] == unit {
			c.fault(path{"metrics", "units", unit}, "must be another unit (got %q)", unit)
		}
	}
}

// unusedCopies reports copies after one of the same name that is of all metrics that they are of.
func (c *checker) unusedCopies() {
	rules := c.Metrics.Also
	for i, rule := range rules {
		name, exact := exactName(rule.Match)
		j := slices.IndexFunc(rules[:i], func(r AlsoRule) bool {
			return (r.Match.String() == rule.Match.String() || exact && r.Match.MatchString(name)) && r.keepsOut(rule)
		})
		if j >= 0 {
			c.faultOfLater(path{"metrics", "also", i}, j)
		}
	}
}

// renamedByRule returns the rule that names a metric, and its new name. The name is empty if no rule does.
func (c *checker) renamedByRule(name string) (index int, to string) {
	for i, rule := range c.Metrics.Rules {
		groups := rule.Match.FindStringSubmatch(name)
		if groups == nil {
			continue
		}
		to := rule.Rename
		for _, group := range Placeholders(rule.Rename) {
			text := groups[rule.Match.SubexpIndex(group)]
			if !plainText.MatchString(text) {
				return i, "" // naming may write it in another way, or not at all
			}
			to = strings.ReplaceAll(to, "{"+group+"}", text)
		}
		return i, to
	}
	return 0, ""
}

// plainText matches short texts that naming neither changes nor takes for an id.
var plainText = regexp.MustCompile(`^[a-z]{1,19}$`)

// conformantSpan matches the span names that no rule changes.
var conformantSpan = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*/[A-Z][A-Za-z0-9]*$`)

// unusedSpanRules reports rules after one that decides all that they match, and rules for a name that is
// conformant.
func (c *checker) unusedSpanRules() {
	rules := c.Spans.Rules
	for i, rule := range rules {
		name, exact := exactName(rule.Match)
		place := path{"spans", "rules", i, "match"}
		if exact && conformantSpan.MatchString(name) {
			c.fault(place, "a name of this form is conformant and stays (got %q)", rule.Match)
			continue
		}
		j := slices.IndexFunc(rules[:i], func(earlier SpanRule) bool { return earlier.decides(&rule, name, exact) })
		if j >= 0 {
			c.fault(place, "%s decides all that it matches (got %q)", c.key("spans", "rules", j), rule.Match)
		}
	}
}

// decides reports whether a rule decides all names that a later one matches. Name is the only name that the
// later one matches, if that is exact. A rule whose placeholder has no text decides nothing.
func (r *SpanRule) decides(later *SpanRule, name string, exact bool) bool {
	if r.Scope != nil && (later.Scope == nil || !r.Scope.Match(later.Scope.String())) {
		return false
	}
	if r.Match.String() == later.Match.String() && r.Component == later.Component && r.Operation == later.Operation {
		return true
	}
	var groups []string
	if exact {
		groups = r.Match.FindStringSubmatch(name)
	}
	if groups == nil && r.Match.String() != later.Match.String() {
		return false
	}
	for _, part := range []string{r.Component, r.Operation} {
		group, ok := Placeholder(part).Group()
		if ok && (groups == nil || !plainText.MatchString(groups[r.Match.SubexpIndex(group)])) {
			return false
		}
	}
	return true
}

// exactName returns the only name that a pattern matches, if there is only one.
func exactName(pattern *regexp.Regexp) (name string, ok bool) {
	parsed, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil || parsed.Op != syntax.OpConcat || len(parsed.Sub) != 3 {
		return "", false
	}
	first, text, last := parsed.Sub[0], parsed.Sub[1], parsed.Sub[2]
	if first.Op != syntax.OpBeginText || text.Op != syntax.OpLiteral || text.Flags&syntax.FoldCase != 0 || last.Op != syntax.OpEndText {
		return "", false
	}
	return string(text.Rune), true
}

// unusedLayouts reports layouts that an earlier line or format has too.
func (c *checker) unusedLayouts() {
	type seen struct {
		format, line int
		joins        bool
	}
	earlier := map[string]seen{}
	for i, format := range c.Logs.Formats {
		for j, line := range format.Lines {
			before, ok := earlier[line]
			switch {
			case ok && (before.format == i || before.joins || !format.Joins):
				c.fault(path{"logs", "formats", i, "lines", j}, "%s is the same layout (got %q)",
					c.key("logs", "formats", before.format, "lines", before.line), line)
			case !ok && format.Second == "":
				earlier[line] = seen{i, j, format.Joins}
			}
		}
	}
}

// unusedSections reports rules for a signal that the pack owns no telemetry of.
func (c *checker) unusedSections() {
	o := c.Owns
	if o.All || len(o.Resource) > 0 || len(o.Scopes) > 0 {
		return
	}
	m := c.Metrics
	if len(o.Metrics) == 0 && len(m.Rules)+len(m.Rename)+len(m.Prefixes)+len(m.Units)+len(m.Gauges) > 0 {
		c.fault(path{"metrics"}, "owns selects no metrics: it has neither all, resource, scopes nor metrics")
	}
	s := c.Spans
	if len(o.Spans) == 0 && len(s.Rules)+len(s.Components.Services)+len(s.Components.Scopes)+len(s.Components.Default) > 0 {
		c.fault(path{"spans"}, "owns selects no spans: it has neither all, resource, scopes nor spans")
	}
}

// unmetMetrics reports expected metrics that never have the name: it is not conformant, or the pack's own
// rules change it.
func (c *checker) unmetMetrics() {
	for i, metric := range c.Expect.Metrics {
		place, text := path{"expect", "metrics", i}, metric.String()
		if strings.Contains(text, "__") || strings.HasSuffix(text, "_") {
			c.fault(place, "no conformant name has an underscore at its end or two in a row (got %q)", text)
			continue
		}
		if strings.Contains(text, "*") {
			continue
		}
		if j, to := c.renamedByRule(text); to != "" && to != text {
			c.fault(place, "%s renames it to %q (got %q)", c.key("metrics", "rules", j), to, text)
		} else if to := c.Metrics.Rename[text]; to != "" && to != text {
			c.fault(place, "metrics.rename names it %q (got %q)", to, text)
		}
	}
}
