// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// Pack holds what one pack expects of its system, and when it was last seen.
type Pack struct {
	System string
	Edges  []*PackEdge

	since      moment // start of the current time in which the system sends
	seen       moment
	sent       steady
	metrics    []*Item
	components []*Item
}

// Item is an expected metric (a glob), component or edge.
type Item struct {
	Text string
	of   *Pack
	glob glob.Glob // for metrics
	last moment
}

// PackEdge is an expected edge and its number of traces.
type PackEdge struct {
	Item
	conventions.Edge
	Traces, Reached atomic.Int64
}

// newPacks returns what the packs expect. Packs write new metric names with tc_, whatever the prefix is.
func newPacks(packs []*conventions.Pack, prefix string) (all []*Pack) {
	for _, pack := range packs {
		p := &Pack{System: pack.System}
		for _, metric := range pack.Expect.Metrics {
			text := metric.String()
			if rest, renamed := strings.CutPrefix(text, conventions.MetricPrefix); renamed {
				text = prefix + rest
			}
			p.metrics = append(p.metrics, &Item{of: p, Text: text, glob: glob.New(text)})
		}
		for _, component := range pack.Expect.Components {
			p.components = append(p.components, &Item{of: p, Text: component})
		}
		for _, edge := range pack.Expect.Edges {
			p.Edges = append(p.Edges, &PackEdge{Item: Item{of: p, Text: edge.String()}, Edge: edge})
		}
		if len(p.metrics)+len(p.components)+len(p.Edges) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// Replan has the results go by other packs. What an expectation has seen stays with it. It must run alone.
func (b *Builder) Replan(packs []*conventions.Pack, prefix string) {
	before := map[string]*Pack{}
	for _, p := range b.Packs {
		before[p.System] = p
	}
	b.settings.Prefix = prefix
	b.Packs = newPacks(packs, prefix)
	for _, p := range b.Packs {
		if known := before[p.System]; known != nil {
			p.take(known)
		}
	}
	for _, s := range b.services.all() {
		s.repaired = b.settings.repaired(s.Name)
	}
}

// take takes over what an earlier version of the pack has seen.
func (p *Pack) take(before *Pack) {
	p.since.take(&before.since)
	p.seen.take(&before.seen)
	p.sent = before.sent
	takeItems(p.metrics, before.metrics)
	takeItems(p.components, before.components)
	for _, edge := range p.Edges {
		for _, known := range before.Edges {
			if edge.Text == known.Text {
				edge.last.take(&known.last)
				edge.Traces.Store(known.Traces.Load())
				edge.Reached.Store(known.Reached.Load())
			}
		}
	}
}

func takeItems(items, before []*Item) {
	for _, item := range items {
		for _, known := range before {
			if item.Text == known.Text {
				item.last.take(&known.last)
			}
		}
	}
}

// Seen records that the item was seen. It accepts a nil Item.
func (i *Item) Seen(now time.Time) {
	if i != nil {
		i.last.set(now)
		i.of.Seen(now)
	}
}

// Seen records that the system sends. It accepts a nil Pack.
func (p *Pack) Seen(now time.Time) {
	if p == nil {
		return
	}
	p.seen.set(now)
	if p.since.never() {
		p.since.nanoseconds.CompareAndSwap(0, now.UnixNano())
	}
}

// Pack returns the expectations of a system, or nil.
func (b *Builder) Pack(system *naming.System) *Pack {
	for _, p := range b.Packs {
		if system != nil && p.System == system.Name() {
			return p
		}
	}
	return nil
}

// ExpectedMetrics returns the items that match a metric. A metric without a system matches items of all
// packs.
func (b *Builder) ExpectedMetrics(system *naming.System, name string) (all []*Item) {
	for _, p := range b.Packs {
		if system != nil && p.System != system.Name() {
			continue
		}
		for _, m := range p.metrics {
			if m.glob.Match(name) {
				all = append(all, m)
			}
		}
	}
	return all
}

// Component returns an expected component, or nil.
func (p *Pack) Component(name string) *Item {
	if p == nil {
		return nil
	}
	for _, c := range p.components {
		if c.Text == name {
			return c
		}
	}
	return nil
}

// missing adds findings for items that were not seen. A system that sends nothing has none, and
// when it sends again its wait starts anew.
func (b *Builder) missing(now time.Time) {
	gone, goneEdge := now.Add(-b.settings.ExpectAfter), now.Add(-b.settings.ExpectEdgesAfter)
	for _, p := range b.Packs {
		if !p.seen.after(gone) {
			p.since.nanoseconds.Store(0)
			continue
		}
		if p.since.after(gone) {
			continue
		}
		for _, m := range p.metrics {
			b.miss(RuleMissingMetric, KindMetric, m, gone)
		}
		for _, c := range p.components {
			b.miss(RuleMissingComponent, KindSpan, c, gone)
		}
		for _, edge := range p.Edges {
			if !p.since.after(goneEdge) {
				b.miss(RuleMissingEdge, KindSpan, &edge.Item, goneEdge)
			}
		}
	}
}

func (b *Builder) miss(r *Rule, k Kind, i *Item, gone time.Time) {
	if !i.last.after(gone) {
		b.Finding(Key{Rule: r, Kind: k, System: i.of.System, Original: i.Text}).count.Add(1)
	}
}

func (p *Pack) report() conformance.Expectation {
	r := conformance.Expectation{System: p.System, SeenSince: p.since.time(), Silent: p.sent.silent}
	for _, m := range p.metrics {
		r.Metrics = append(r.Metrics, conformance.Expected{Name: m.Text, Last: m.last.time()})
	}
	for _, c := range p.components {
		r.Components = append(r.Components, conformance.Expected{Name: c.Text, Last: c.last.time()})
	}
	for _, e := range p.Edges {
		r.Edges = append(r.Edges, conformance.ExpectedEdge{
			Expected: conformance.Expected{Name: e.Text, Last: e.last.time()}, From: e.From, To: e.To, Traces: e.Traces.Load(), Reached: e.Reached.Load(),
		})
	}
	return r
}
