// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/distinct"
)

const (
	// seriesWindow is the time in which series are counted.
	seriesWindow = time.Hour
	// historyLength is the number of past reports in a metric's history.
	historyLength = 60
	// nearBudget is the share of a limit above which there is a finding.
	nearBudget = 0.8
)

// Series counts the distinct attribute sets of one metric of one service, in this window and in the
// previous one. It is safe for concurrent use.
type Series struct {
	service *ServiceCounts
	name    string
	packs   naming.Series // what packs say of it
	seen    moment
	history []int // at the last reports

	mu         sync.Mutex
	instrument Instrument
	count      distinct.Counter
	values     values
	began      time.Time // start of the window
	before     estimate  // of the previous window
}

// Instrument is the type and the unit of a metric.
type Instrument struct{ Type, Unit string }

type estimate struct {
	series int
	exact  bool
	keys   []MetricAttribute
}

type seriesKey struct {
	service *ServiceCounts
	name    string
}

// Series returns the series of a metric, or nil if there is no room. packs
// returns what packs say of the metric.
func (b *Builder) Series(svc *ServiceCounts, name string, packs func() naming.Series) *Series {
	name = conformance.Kept(name)
	return b.series.of(seriesKey{svc, name}, func() (seriesKey, *Series) {
		now := time.Now()
		s := &Series{service: svc, name: strings.Clone(name), packs: packs(), began: now}
		s.seen.set(now)
		return seriesKey{svc, s.name}, s
	})
}

// Add counts series by the hashes of the points' attributes. It appends the indexes of the points whose
// attributes are to be given to Observe.
func (s *Series) Add(points []uint64, of Instrument, now time.Time, wanted []int) []int {
	s.seen.set(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.instrument != of {
		s.instrument = Instrument{of.Type, strings.Clone(conformance.Kept(of.Unit))}
	}
	if now.Sub(s.began) >= seriesWindow {
		s.before, s.count, s.values, s.began = s.current(), distinct.Counter{}, values{}, now
	}
	for i, hash := range points {
		if s.count.Add(hash) || hash%sampledSeries == 0 && !s.count.Exact() {
			wanted = append(wanted, i)
		}
	}
	return wanted
}

// Observe counts the values of a point's attributes. hash is that of the point.
func (s *Series) Observe(hash uint64, attributes []Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values.add(hash, attributes)
}

func (s *Series) current() (e estimate) {
	e.series, e.exact = s.count.Estimate()
	e.keys = s.values.estimate(e, s.packs)
	return e
}

// estimate returns the larger number of this window and the previous one, so that the count does not drop
// at the start of a window.
func (s *Series) estimate(now time.Time) estimate {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.current()
	if now.Sub(s.began) < 2*seriesWindow && s.before.series > current.series {
		return s.before
	}
	return current
}

func (s *Series) report(now time.Time, limit int) Metric {
	e := s.estimate(now)
	if len(s.history) == historyLength {
		s.history = slices.Delete(s.history, 0, 1)
	}
	s.history = append(s.history, e.series)
	s.mu.Lock()
	of := s.instrument
	s.mu.Unlock()
	return Metric{
		Service: s.service.Name, Name: s.name, System: s.packs.System.Name(), Type: of.Type, Unit: of.Unit,
		Series: e.series, Exact: e.exact, Limit: limit, Merged: merged(e), Attributes: e.keys, History: slices.Clone(s.history),
	}
}

// reportMetrics returns the metrics, and adds findings for those with too many series. For those that cardinality
// knows, its limit counts, which is for each resource: it decides what is too much, and RuleFolded says so.
func (b *Builder) reportMetrics(now time.Time, knowns map[metricKey]*known) []Metric {
	all := []Metric{}
	for _, s := range b.series.all() {
		m := s.report(now, b.settings.Limit)
		k := knowns[metricKey{m.Service, m.Name}]
		if k != nil && k.Limit > 0 {
			m.Limit = k.Limit
		}
		all = append(all, m)
		key := Key{Rule: RuleNearBudget, Kind: KindMetric, Service: s.service, Original: s.name}
		switch {
		case k != nil && (m.Series > m.Limit || Refused(&k.cost) > 0):
			continue
		case m.Series > m.Limit:
			key.Rule = RuleOverBudget
		case float64(m.Series) <= nearBudget*float64(m.Limit):
			continue
		}
		found := b.Finding(key)
		found.count.Add(1)
		if found.Service != nil { // not the shared row of a full table
			found.paste = pasteFewer(&m, k)
		}
	}
	slices.SortFunc(all, func(a, b Metric) int {
		return cmp.Or(b.Series-a.Series, strings.Compare(a.Service, b.Service), strings.Compare(a.Name, b.Name))
	})
	return all
}
