// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

func (e *explainer) metric() (*answer, error) {
	a := &answer{signal: "metric"}
	d := e.namer.Metric(e.owner, e.name)
	if !d.System.Owned() && !d.Changed() && e.signal == "" {
		return nil, nil
	}
	e.decide(a, d.System, e.namer.MetricSources(e.owner, e.name))
	a.add("because", "%s: %s", d.Rule, d.Rule.Reason())
	a.out(e.name, d.Name)
	for _, attribute := range d.Attributes {
		a.add("attribute", "%s = %q", attribute.Key, attribute.Value)
	}
	for _, repair := range d.Repairs {
		a.repair(repair)
	}
	if sources := e.namer.GaugeSources(d.System, e.name, d.Name); len(sources) > 0 {
		aggregate := e.namer.Series(e.owner, e.name, d.Name).Gauge
		a.add("gauges", "%s, by %s", aggregate, e.sources.at(sources[0].System.Name(), sources[0].Path()))
	}
	for _, c := range e.namer.Copies(&d, e.name) {
		a.add("also", "%s%s, by %s", c.Name, where(&c), e.sources.at(c.Source.System.Name(), c.Source.Path()))
	}
	if adopted := e.namer.Adopted().Metric(nil, e.name); !d.System.Owned() && adopted.Name != d.Name {
		a.add("repaired", "%s, if unowned were repair", adopted.Name)
	}
	return a, nil
}

// where returns the points that are copied, if not all are.
func where(c *naming.Copy) string {
	if c.SelectsAll() {
		return ""
	}
	if len(c.Where) == 0 {
		return " of other points"
	}
	var all []string
	for _, a := range c.Where {
		all = append(all, fmt.Sprintf("%s = %q", a.Key, a.Value))
	}
	return " of points with " + strings.Join(all, ", ")
}

// repair adds what a rule does to the values.
func (a *answer) repair(rule *conventions.MetricRule) {
	if rule.Type == conventions.TypeCounter {
		a.add("type", "counter, if it comes as a gauge")
	}
	if rule.Unit != "" {
		a.add("unit", "%s, unless it states one of the same dimension", rule.Unit)
	}
	if rule.Convert != "" {
		a.add("values", "converted to %s", rule.Convert)
	}
}

func (e *explainer) span() (*answer, error) {
	a := &answer{signal: "span"}
	ctx := naming.Context{Owner: e.owner, Scope: e.scope, Service: e.resource[serviceName]}
	given := ptrace.NewSpan()
	for key, value := range e.given {
		given.Attributes().PutStr(key, value)
	}
	facts := attributes.SpanFacts(given, naming.AsksOf(e.name))
	d := e.namer.Span(ctx, facts, e.name)
	if !d.System.Owned() && !d.Changed() && e.signal == "" {
		return nil, nil
	}
	e.decide(a, d.System, e.namer.SpanSources(ctx, facts, e.name))
	a.add("because", "%s: %s", d.Rule, d.Rule.Reason())
	a.out(e.name, d.Name)
	for _, attribute := range d.Attributes {
		a.add("attribute", "%s = %q", attribute.Key, attribute.Value)
	}
	if len(d.IDs) > 0 {
		a.add("ids", "%s", strings.Join(d.IDs, ", "))
	}
	ctx.Owner = nil
	if adopted := e.namer.Adopted().Span(ctx, facts, e.name); !d.System.Owned() && adopted.Name != d.Name {
		a.add("repaired", "%s, if unowned were repair", adopted.Name)
	}
	return a, nil
}

func (e *explainer) attribute() (*answer, error) {
	a := &answer{signal: "attribute"}
	rules := e.namer.AttributeSources(e.owner, e.name)
	d := e.namer.Attribute(e.owner, e.name)
	others := e.otherRules(rules)
	protected := e.policy.Content().Key(e.name)
	if len(rules)+len(others) == 0 && d == nil && protected.Rule == nil && !e.namer.AttributeCopies(e.owner).Read(e.name) && e.signal == "" {
		return nil, nil
	}
	e.decide(a, e.owner, rules)
	key := e.name
	if d != nil {
		key = d.Key
		a.add("because", "%s: %s", d.Rule, d.Rule.Reason())
	}
	if d != nil && d.Sensitive == conventions.SensitiveRemove {
		a.add("out", "nothing: it is removed")
	} else {
		a.out(e.name, key)
	}
	if d != nil && d.Type != "" {
		a.add("type", "%s", d.Type)
	}
	if d != nil && d.Allowed != nil {
		a.add("allowed", "%s; another value becomes %s", strings.Join(d.Allowed, ", "), naming.OtherValue)
	}
	if d != nil && d.Sensitive != "" {
		a.add("sensitive", "%s", d.Sensitive)
	}
	if by, only, except := e.namer.ID(e.owner, e.name); by != nil {
		a.add("id", "data points%s lose it, by the pack %s", ofMetrics(only, except), by.Name())
	}
	e.copies(a)
	if rule := protected.Rule; rule != nil {
		a.certain = true
		c := e.policy.Content()
		a.add("content", "%s, as %s", c.Action(rule, c.Service(e.resource[serviceName])), rule.Label)
	}
	for _, source := range others {
		a.add("elsewhere", "%s: %s, for its own telemetry", source.System.Name(), e.sources.at(source.System.Name(), source.Path()))
	}
	return a, nil
}

// ofMetrics returns the metrics whose points lose an id, if not all do.
func ofMetrics(only, except []glob.Glob) (text string) {
	if len(only) > 0 {
		text += " of " + globs(only)
	}
	if len(except) > 0 {
		text += " except those of " + globs(except)
	}
	return text
}

func globs(list []glob.Glob) string {
	var texts []string
	for _, g := range list {
		texts = append(texts, g.String())
	}
	return strings.Join(texts, ", ")
}

// copies adds the copies and lists that are made of an attribute of a span, a span event or a log record.
func (e *explainer) copies(a *answer) {
	plan := e.namer.AttributeCopies(e.owner)
	for _, source := range plan.Sources(e.name) {
		c := &plan.Copies[source.Copy]
		text := c.Key
		if c.Field != "" {
			text += fmt.Sprintf(" of the field %s", c.Field)
		}
		if c.Type != "" {
			text += fmt.Sprintf(" as %s", c.Type)
		}
		if c.With != nil {
			text += fmt.Sprintf(" beside %s", strings.Join(c.With, " or "))
		}
		a.certain = true
		a.add("also", "%s, by %s", text, e.sources.at(c.Source.System.Name(), c.Source.Path()))
	}
	for _, list := range plan.Lists(e.name) {
		a.certain = true
		a.add("messages", "%s, by %s", list.Key, e.sources.at(list.Source.System.Name(), list.Source.Path()))
	}
}

// otherRules returns the rules that packs have for an attribute of their own telemetry, if no pack owns that of
// the question.
func (e *explainer) otherRules(rules []naming.Source) (others []naming.Source) {
	if e.owner.Owned() || len(rules) > 0 {
		return nil
	}
	for _, system := range e.namer.Systems() {
		others = append(others, e.namer.AttributeSources(system, e.name)...)
	}
	return others
}

func (e *explainer) log() (*answer, error) {
	formats, err := logformat.New(e.policy.Packs())
	if err != nil {
		return nil, err
	}
	var entry logformat.Entry
	format := formats.Match(e.name, nil, &entry)
	if format == nil {
		if e.signal == "" {
			return nil, nil
		}
		a := &answer{signal: "log"}
		a.add("format", "none: the line is the body")
		return a, nil
	}
	a := &answer{signal: "log", certain: true}
	if key := e.formatKey(format); key != nil {
		a.add("pack", "%s: %s", format.System, e.sources.at(format.System, key))
	} else {
		a.add("pack", "none: a general format")
	}
	for _, prefix := range entry.Prefixes {
		a.add("prefix", "%s, by %s", prefix.Text, e.sources.at(prefix.System, e.prefixKey(prefix)))
	}
	a.add("format", "%s", format.Name)
	if !entry.Time.IsZero() {
		now := time.Now()
		a.add("time", "%s", entry.Time.Resolve(time.UTC, now, time.Time{}).Format(time.RFC3339Nano))
	}
	if entry.SeverityText != "" {
		a.add("severity", "%s (%s)", entry.Severity, entry.SeverityText)
	}
	body, _ := e.namer.RedactBody(e.systemOf(format), entry.Body, "[redacted]")
	a.add("body", "%s", body)
	for _, attribute := range entry.Attributes {
		text := attribute.Text
		if attribute.Kind == logformat.KindInt {
			text = fmt.Sprint(attribute.Int)
		}
		a.add("attribute", "%s = %s", attribute.Key, text)
	}
	for _, id := range entry.IDs {
		a.add("trace", "%s = %s", id.Key, id.Value)
	}
	for _, field := range format.Resource {
		a.add("resource", "%s = %s", field.Key, field.Value)
	}
	for _, field := range entry.Resource {
		a.add("resource", "%s = %s", field.Key, field.Value)
	}
	return a, nil
}

// formatKey returns the key of a format in its pack, or nil for a general format.
func (e *explainer) formatKey(format *logformat.Format) []string {
	for _, pack := range e.policy.Packs() {
		for i, f := range pack.Logs.Formats {
			if pack.System == format.System && f.Name == format.Name {
				return []string{"logs", "formats", fmt.Sprint(i)}
			}
		}
	}
	return nil
}

// prefixKey returns the key of a prefix in its pack.
func (e *explainer) prefixKey(prefix logformat.Prefix) []string {
	for _, pack := range e.policy.Packs() {
		if i := slices.Index(pack.Logs.Prefixes, prefix.Layout); i >= 0 && pack.System == prefix.System {
			return []string{"logs", "prefixes", fmt.Sprint(i)}
		}
	}
	return nil
}

// systemOf returns the system that a format belongs to, or the owner of the resource.
func (e *explainer) systemOf(format *logformat.Format) *naming.System {
	for _, system := range e.namer.Systems() {
		if system.Name() == format.System {
			return system
		}
	}
	return e.owner
}
