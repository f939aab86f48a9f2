// SPDX-License-Identifier: Apache-2.0

package example

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// scraped is the scope of the metrics of a page.
const scraped = "github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"

// stranger checks that nothing changes of telemetry of others.
func (r *runner) stranger(ctx context.Context, e *conventions.Stranger) error {
	from := e.Origin
	if from.Resource == nil {
		from.Resource = map[string]string{"service.name": "stranger"}
	}
	switch {
	case e.Line != "":
		r.in = e.Line
		if format := r.formats.Match(e.Line, nil, &logformat.Entry{}); format != nil && format.System == r.pack.System {
			r.fail("line", "no format of the pack", format.Name)
		}
		return nil
	case len(e.Page) > 0:
		r.in, from.Scope = strings.Join(e.Page, ", "), scraped
		return r.strangeMetrics(ctx, from, e.Page, e.Attributes)
	case e.Metric != "":
		r.in = e.Metric
		return r.strangeMetrics(ctx, from, []string{e.Metric}, e.Attributes)
	}
	r.in = e.Span
	return r.strangeSpan(ctx, from, e)
}

func (r *runner) strangeSpan(ctx context.Context, from conventions.Origin, e *conventions.Stranger) error {
	td, in := spanFrom(r.pack, from)
	in.SetName(e.Span)
	if err := r.put(e.Attributes, in.Attributes()); err != nil {
		return err
	}
	for i := range r.pack.Links {
		if stage := selecting(&r.pack.Links[i], e.Span, from, in.Attributes()); stage != "" {
			r.fail("links", "no stage", r.pack.Links[i].Name+"."+stage)
		}
	}
	out, err := r.keeping.spanThrough(ctx, td)
	if err != nil {
		return err
	}
	r.same("span", e.Span, out.Name())
	r.unchanged(e.Attributes, out.Attributes())
	return nil
}

// selecting returns the stage of a rule that selects a span, or nothing.
func selecting(rule *linking.Rule, name string, from conventions.Origin, attrs pcommon.Map) string {
	selects := func(s *linking.Stage) bool {
		if s == nil || len(s.Logs) > 0 {
			return false
		}
		key := cmp.Or(s.Key, rule.Key)
		for attribute, value := range s.Attributes {
			got, ok := from.Resource[attribute]
			if !ok {
				got, ok = textOf(attrs)(attribute)
			}
			if !ok || !value.Match(got) {
				return false
			}
		}
		_, keyed := attrs.Get(key.SpanAttribute)
		return keyed && (len(s.SpanName) == 0 || s.SpanName.Match(name)) && (len(s.Scope) == 0 || s.Scope.Match(from.Scope)) &&
			(s.Service == nil || s.Service.Match(from.Resource["service.name"]))
	}
	switch {
	case selects(rule.From):
		return "from"
	case selects(rule.To):
		return "to"
	case slices.ContainsFunc(rule.Stages, func(s linking.Stage) bool { return selects(&s) }):
		return "stages"
	}
	return ""
}

func (r *runner) strangeMetrics(ctx context.Context, from conventions.Origin, names []string, attrs map[string]any) error {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(origin(r.pack, from, rm.Resource().Attributes()))
	owner := r.namer.Owner(textOf(rm.Resource().Attributes()), from.Scope)
	if len(names) > 1 {
		page, _ := r.namer.PageOwner(slices.Values(names), r.namer.MetricOwner)
		owner = cmp.Or(owner, page)
	}
	for _, name := range names {
		m := sm.Metrics().AppendEmpty()
		m.SetName(name)
		point := m.SetEmptyGauge().DataPoints().AppendEmpty()
		point.SetTimestamp(1)
		if err := r.put(attrs, point.Attributes()); err != nil {
			return err
		}
		for _, key := range sortedKeys(attrs) {
			if _, id := r.namer.Series(owner, "", name).ID(key); id {
				r.fail(key, "an attribute that "+name+" keeps", "an id")
			}
		}
	}
	done, err := r.metrics(ctx, md)
	if err != nil {
		return err
	}
	var got []string
	for _, m := range done.All() {
		got = append(got, m.Name())
		if m.Type() != pmetric.MetricTypeGauge {
			r.fail("type", "Gauge", m.Type().String())
			continue
		}
		r.unchanged(attrs, m.Gauge().DataPoints().At(0).Attributes())
	}
	r.same("metrics", fmt.Sprint(names), fmt.Sprint(got))
	return nil
}

// unchanged checks that attributes came out as they were.
func (r *runner) unchanged(want map[string]any, got pcommon.Map) {
	sent := pcommon.NewMap()
	if err := r.put(want, sent); err == nil && !sent.Equal(got) {
		r.fail("attributes", fmt.Sprint(sent.AsRaw()), fmt.Sprint(got.AsRaw()))
	}
}
