package report

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/distinct"
)

const (
	// seriesWindow is the time whose series are counted.
	seriesWindow = time.Hour
	// historyLength is how many counts of the last reports are kept.
	historyLength = 60
	// nearBudget is the share of a limit from which on there is a finding.
	nearBudget = 0.8
)

// Series counts the different sets of point attributes of one metric of one service, in
// this window and in the one before. It is safe for concurrent use.
type Series struct {
	service *ServiceCounts
	name    string
	seen    moment
	history []int // of the last reports

	mu     sync.Mutex
	count  distinct.Counter
	began  time.Time // of the window
	before estimate  // of the window before
}

type estimate struct {
	series int
	exact  bool
}

type seriesKey struct {
	service *ServiceCounts
	name    string
}

// Series returns the series of a metric, or nil where there is no room for them.
func (b *Builder) Series(svc *ServiceCounts, name string) *Series {
	name = Kept(name)
	return b.series.of(seriesKey{svc, name}, func() (seriesKey, *Series) {
		now := time.Now()
		s := &Series{service: svc, name: strings.Clone(name), began: now}
		s.seen.note(now)
		return seriesKey{svc, s.name}, s
	})
}

// Add counts the series of points, by the hashes of their attributes.
func (s *Series) Add(points []uint64, now time.Time) {
	s.seen.note(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.began) >= seriesWindow {
		s.before, s.count, s.began = s.current(), distinct.Counter{}, now
	}
	for _, hash := range points {
		s.count.Add(hash)
	}
}

func (s *Series) current() (e estimate) {
	e.series, e.exact = s.count.Estimate()
	return e
}

// estimate returns the larger of what this window and the one before have, so that a new
// window does not look like fewer series.
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
	return Metric{s.service.Name, s.name, e.series, e.exact, limit, slices.Clone(s.history)}
}

// reportMetrics lists the metrics, and finds those whose series are too many.
func (b *Builder) reportMetrics(now time.Time) []Metric {
	all := []Metric{}
	for _, s := range b.series.all() {
		m := s.report(now, b.settings.Limit)
		all = append(all, m)
		key := Key{Rule: RuleNearBudget, Kind: KindMetric, Service: s.service, Original: s.name}
		switch {
		case m.Series > m.Limit:
			key.Rule = RuleOverBudget
		case float64(m.Series) <= nearBudget*float64(m.Limit):
			continue
		}
		found := b.Finding(key)
		found.count.Add(1)
		if found.Service != nil { // not the rest of a full table
			found.paste = pasteLimit(s.name, m.Series)
		}
	}
	slices.SortFunc(all, func(a, b Metric) int {
		return cmp.Or(b.Series-a.Series, strings.Compare(a.Service, b.Service), strings.Compare(a.Name, b.Name))
	})
	return all
}
