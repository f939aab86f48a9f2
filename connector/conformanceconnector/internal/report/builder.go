// SPDX-License-Identifier: Apache-2.0

// Package report counts results and findings by service, metric, rule and pack, and makes reports of them.
package report

import (
	"maps"
	"math"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// Report holds the results at one time. It is immutable.
type Report struct {
	conformance.Report
	Rows []*Row `json:"-"` // of its findings, in the same order
}

// Builder counts results and findings in bounded tables, and makes reports of them. It is safe for
// concurrent use, except Report and Forget, which must run alone.
type Builder struct {
	Packs []*Pack // what each pack expects

	settings   Settings
	since      time.Time // start of the counts
	services   *table[string, ServiceCounts]
	other      *ServiceCounts // services beyond the limit
	metrics    *table[metricKey, MetricInfo]
	sources    *table[sourceKey, source]
	targets    *table[targetKey, target]
	links      *table[string, link]
	otherLinks link
	findings   *table[Key, Row]
	passing    *table[Key, Row] // findings of names that pass: they must not take the place of others
	rest       *table[Key, Row] // findings beyond the limit: one row for each rule and kind
	costs      pastCosts
	refused    [limits]atomic.Int64
	counts     map[conformance.CountKey]int64 // findings since the start
	last       time.Time                      // the last report
}

// Settings are the settings of a Builder.
type Settings struct {
	Prefix                               string
	Interval                             time.Duration
	ExpectAfter, ExpectEdgesAfter        time.Duration
	MaxServices, MaxMetrics, MaxFindings int
	// Receivers are those of the collector. It may be nil.
	Receivers []conformance.Receiver
	// Reloads returns which files the policy comes from. Nil means that nobody knows.
	Reloads func() conformance.Reloads
	// Audit reports whether a service's telemetry stays unchanged. Nil means that none does.
	Audit func(service string) bool
	// Protected returns what was protected since the start. Nil means nothing.
	Protected func() []conformance.Protected
	// LogTraces returns what log_correlation found since the start. Nil means nothing.
	LogTraces func() []conformance.LogTraces
	// Costs returns what cardinality knows of series after a time since the last call, and whether there is a
	// cardinality processor that shares it. Nil means that there is none.
	Costs  func(since time.Duration) (all []conformance.Cost, shared bool)
	Prices Prices
	URLs   conformance.URLs
	// Repairs returns the names of a service that are repaired though no pack owns them. Nil means none.
	Repairs func(service string) naming.Unowned
	// Unmet returns the spans that span_link held in vain since the start, by rule. Nil means none.
	Unmet func() map[string]int64
}

// NewBuilder returns an empty Builder.
func NewBuilder(packs []*conventions.Pack, s Settings) *Builder {
	now := time.Now()
	return &Builder{
		Packs: newPacks(packs, s.Prefix), settings: s, since: now,
		services: newTable[string, ServiceCounts](s.MaxServices), other: &ServiceCounts{Name: Other, since: now},
		metrics: newTable[metricKey, MetricInfo](s.MaxMetrics),
		sources: newTable[sourceKey, source](MaxSources),
		targets: newTable[targetKey, target](MaxTargets),
		links:   newTable[string, link](MaxLinkRules), otherLinks: link{rule: Other},
		findings: newTable[Key, Row](s.MaxFindings), passing: newTable[Key, Row](s.MaxFindings), rest: newTable[Key, Row](math.MaxInt),
		counts: map[conformance.CountKey]int64{},
	}
}

// Refuse counts items beyond a limit.
func (b *Builder) Refuse(l Bound, n int64) { b.refused[l].Add(n) }

// Empty returns an empty report. Its lists are not nil, so JSON has empty lists instead of null.
func (b *Builder) Empty(now time.Time) *Report {
	return &Report{Report: conformance.Report{
		At: now, Since: b.since, Interval: b.settings.Interval, Prefix: b.settings.Prefix, OneIn: 1, Headline: conformance.Headline{Share: -1},
		Services: []conformance.Service{}, Metrics: []conformance.Metric{}, Findings: []conformance.Finding{}, Counts: []conformance.Count{}, Targets: []conformance.Target{}, Expectations: []conformance.Expectation{},
		Components: []conformance.Component{}, Edges: []conformance.Edge{}, Skews: []conformance.Skew{}, LogSources: []conformance.LogSource{}, LogTraces: []conformance.LogTraces{}, Links: []conformance.Link{}, Protected: []conformance.Protected{}, Limits: []conformance.Limit{},
		Explorer: conformance.Explorer{Metrics: []conformance.Cost{}}, URLs: b.settings.URLs,
		Receivers: append([]conformance.Receiver{}, b.settings.Receivers...),
	}}
}

// Report makes a report. If take is true, its findings are those not sent yet.
func (b *Builder) Report(now time.Time, take bool) *Report {
	b.missing(now)
	b.silence(now)
	r := b.Empty(now)
	explorer, costs := b.reportCosts(now)
	r.Explorer = explorer
	r.Metrics = b.reportMetrics(costs)
	r.Services = b.reportServices(costs)
	r.Headline = headlineOf(r.Services)
	r.Targets = b.reportTargets()
	r.Findings, r.Rows = b.reportFindings(take)
	r.Counts = b.reportCounts()
	for _, p := range b.Packs {
		r.Expectations = append(r.Expectations, p.report())
	}
	r.LogSources = b.reportSources()
	if b.settings.LogTraces != nil {
		r.LogTraces = b.settings.LogTraces()
	}
	if b.settings.Reloads != nil {
		reloads := b.settings.Reloads()
		r.Reloads = &reloads
	}
	r.Links = b.reportLinks()
	r.Protected = b.reportProtected()
	for l := range limits {
		r.Limits = append(r.Limits, conformance.Limit{Name: LimitTexts[l], Total: b.refused[l].Load()})
	}
	b.last = now
	return r
}

// Forget removes what was not seen for long, and reports whether it removed anything. Callers that hold
// services, metrics or rows must then drop them. If sends is true, findings not sent yet are kept.
func (b *Builder) Forget(now time.Time, sends bool) (changed bool) {
	since := now.Add(-ForgetAfter)
	gone := map[string]bool{}
	changed = b.services.forget(func(s *ServiceCounts) bool {
		if s.gone = s.seen.before(since); s.gone {
			gone[s.Name] = true
		}
		return s.gone
	})
	changed = b.metrics.forget(func(m *MetricInfo) bool { return m.seen.before(since) }) || changed
	b.sources.forget(func(s *source) bool { return s.seen.before(since) })
	b.targets.forget(func(t *target) bool { return t.key.service.gone || t.seen.before(now.Add(-silentAfter)) })
	old := func(r *Row) bool {
		return r.Service != nil && r.Service.gone || r.idle >= MaxIdle && (!sends || r.unsent.Load() == 0)
	}
	changed = b.findings.forget(old) || changed
	changed = b.passing.forget(old) || changed
	maps.DeleteFunc(b.counts, func(key conformance.CountKey, _ int64) bool { return gone[key.Service] })
	return changed
}
