package report

import (
	"maps"
	"math"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Builder counts what is judged and found, in bounded tables, and builds reports of it. It is
// safe for concurrent use, but for Report and Forget, during which nothing else may run.
type Builder struct {
	Packs []*Pack // what is expected

	settings   Settings
	since      time.Time // when counting began
	services   *table[string, ServiceCounts]
	other      *ServiceCounts // those past the limit
	series     *table[seriesKey, Series]
	sources    *table[sourceKey, source]
	links      *table[string, link]
	otherLinks link
	findings   *table[Key, Row]
	rest       *table[Key, Row] // what there is no room for: one row a rule and kind
	renamed    *table[RenamedKey, Row]
	refused    [limits]atomic.Int64
	counts     map[countKey]int64 // findings of all time
}

// Settings are those of a Builder.
type Settings struct {
	Prefix                               string
	Interval                             time.Duration
	ExpectAfter, ExpectEdgesAfter        time.Duration
	Limit                                int // series of a metric
	MaxServices, MaxMetrics, MaxFindings int
}

// NewBuilder returns a Builder that has counted nothing.
func NewBuilder(packs []*conventions.Pack, s Settings) *Builder {
	now := time.Now()
	return &Builder{
		Packs: newPacks(packs, s.Prefix), settings: s, since: now,
		services: newTable[string, ServiceCounts](s.MaxServices), other: &ServiceCounts{Name: Other, since: now},
		series:  newTable[seriesKey, Series](s.MaxMetrics),
		sources: newTable[sourceKey, source](MaxSources),
		links:   newTable[string, link](MaxLinkRules), otherLinks: link{rule: Other},
		findings: newTable[Key, Row](s.MaxFindings), rest: newTable[Key, Row](math.MaxInt), renamed: newTable[RenamedKey, Row](s.MaxFindings),
		counts: map[countKey]int64{},
	}
}

// Refuse counts what met a limit.
func (b *Builder) Refuse(l Bound, n int64) { b.refused[l].Add(n) }

// Empty returns a report without anything in it. Its lists are empty, which JSON tells from
// null.
func (b *Builder) Empty(now time.Time) *Report {
	return &Report{
		At: now, Since: b.since, Interval: b.settings.Interval, OneIn: 1,
		Services: []Service{}, Metrics: []Metric{}, Findings: []Finding{}, Counts: []Count{}, Expectations: []Expectation{},
		Components: []Component{}, Edges: []Edge{}, Skews: []Skew{}, LogSources: []LogSource{}, Links: []Link{}, Limits: []Limit{},
	}
}

// Report returns what is known. If take is true its findings have what is not sent yet.
func (b *Builder) Report(now time.Time, take bool) *Report {
	b.missing(now)
	r := b.Empty(now)
	r.Metrics = b.reportMetrics(now)
	r.Services = b.reportServices(r.Metrics)
	r.Findings = b.reportFindings(take)
	r.Counts = b.reportCounts()
	for _, p := range b.Packs {
		r.Expectations = append(r.Expectations, p.report())
	}
	r.LogSources = b.reportSources()
	r.Links = b.reportLinks()
	for l := range limits {
		r.Limits = append(r.Limits, Limit{LimitTexts[l], b.refused[l].Load()})
	}
	return r
}

// Forget forgets what was not seen for long, and reports whether there was anything: who
// remembers services, series or rows has to forget them too. If findings are sent, those that
// are not sent yet are kept.
func (b *Builder) Forget(now time.Time, sends bool) (changed bool) {
	since := now.Add(-ForgetAfter)
	gone := map[string]bool{}
	changed = b.services.forget(func(s *ServiceCounts) bool {
		if s.gone = s.seen.before(since); s.gone {
			gone[s.Name] = true
		}
		return s.gone
	})
	changed = b.series.forget(func(s *Series) bool { return s.seen.before(since) }) || changed
	b.sources.forget(func(s *source) bool { return s.seen.before(since) })
	old := func(r *Row) bool {
		return r.Service != nil && r.Service.gone || r.idle >= MaxIdle && (!sends || r.unsent.Load() == 0)
	}
	changed = b.findings.forget(old) || changed
	b.renamed.forget(old)
	maps.DeleteFunc(b.counts, func(key countKey, _ int64) bool { return gone[key.Service] })
	return changed
}
