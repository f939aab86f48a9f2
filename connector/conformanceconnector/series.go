package conformanceconnector

import (
	"math"
	"strings"
	"sync"
	"time"
)

// seriesWindow is the time whose series are counted.
const seriesWindow = time.Hour

// series counts the different sets of point attributes of one metric of one service,
// in this window and in the one before. It is safe for concurrent use.
type series struct {
	service *service
	name    string

	mu     sync.Mutex
	count  distinct
	began  time.Time // of the window
	before estimate  // of the window before
	seen   time.Time

	// The counts of the last reports, a ring. Guarded by state.mu.
	history [historyLength]int32
	reports int
}

// historyLength is how many counts are kept.
const historyLength = 60

// report says how many series there are and were, and notes it.
func (s *series) report(now time.Time, limit int) Metric {
	m := Metric{Service: s.service.name, Name: s.name, estimate: s.estimate(now), Limit: limit}
	s.history[s.reports%historyLength] = int32(min(m.Series, math.MaxInt32))
	s.reports++
	for i := max(s.reports-historyLength, 0); i < s.reports; i++ {
		m.History = append(m.History, int(s.history[i%historyLength]))
	}
	return m
}

// add counts the series of some points, by their hashes.
func (s *series) add(points []uint64, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = now
	if now.Sub(s.began) >= seriesWindow {
		s.before, s.count, s.began = s.count.estimate(), distinct{}, now
	}
	for _, hash := range points {
		s.count.add(hash)
	}
}

// estimate is the larger of what this window and the one before have, so that a new
// window does not look like fewer series.
func (s *series) estimate(now time.Time) estimate {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.count.estimate()
	if now.Sub(s.began) < 2*seriesWindow && s.before.Series > current.Series {
		return s.before
	}
	return current
}

func (s *series) idleSince() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// seriesTable is the bounded table of metrics whose series are counted. It is safe for
// concurrent use.
type seriesTable struct {
	most int

	mu   sync.Mutex
	rows map[seriesKey]*series
}

type seriesKey struct {
	service *service
	name    string
}

func newSeriesTable(most int) *seriesTable {
	return &seriesTable{most: most, rows: map[seriesKey]*series{}}
}

// of returns the row of a metric, or nil where there is no room for it.
func (t *seriesTable) of(svc *service, name string) *series {
	name = kept(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	if row, ok := t.rows[seriesKey{svc, name}]; ok {
		return row
	}
	if len(t.rows) >= t.most {
		return nil
	}
	now := time.Now()
	row := &series{service: svc, name: strings.Clone(name), began: now, seen: now}
	t.rows[seriesKey{svc, row.name}] = row
	return row
}

// all visits all rows.
func (t *seriesTable) all(visit func(*series)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, row := range t.rows {
		visit(row)
	}
}

// forget forgets the metrics that have sent nothing since a time.
func (t *seriesTable) forget(since time.Time) (any bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, row := range t.rows {
		if row.idleSince().Before(since) {
			delete(t.rows, key)
			any = true
		}
	}
	return any
}
