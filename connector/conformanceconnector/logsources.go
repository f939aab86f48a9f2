package conformanceconnector

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maxLogSources bounds the sources of services' records that are told apart.
const maxLogSources = 500

// logSource is what is counted for the records of one source of one service. It is safe
// for concurrent use.
type logSource struct {
	records, withTrace, withSpan, inAttributes atomic.Int64

	seen time.Time // guarded by the table's mu
}

// logTally is the same of records that follow each other.
type logTally struct {
	source                                     string
	records, withTrace, withSpan, inAttributes int64
}

func (s *logSource) add(t logTally) {
	s.records.Add(t.records)
	s.withTrace.Add(t.withTrace)
	s.withSpan.Add(t.withSpan)
	s.inAttributes.Add(t.inAttributes)
}

// logSources is the bounded table of them. It is safe for concurrent use.
type logSources struct {
	mu   sync.Mutex
	rows map[logSourceKey]*logSource
}

type logSourceKey struct {
	service *service
	name    string
}

func newLogSources() *logSources { return &logSources{rows: map[logSourceKey]*logSource{}} }

// of returns the row of a source, or nil where there is no room for it.
func (s *logSources) of(svc *service, name string, now time.Time) *logSource {
	key := logSourceKey{svc, kept(name)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if row, ok := s.rows[key]; ok {
		row.seen = now
		return row
	}
	if len(s.rows) >= maxLogSources {
		return nil
	}
	key.name = strings.Clone(key.name)
	row := &logSource{seen: now}
	s.rows[key] = row
	return row
}

// report lists them, with the fewest records in a trace first.
func (s *logSources) report() []LogSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []LogSource{}
	for key, row := range s.rows {
		all = append(all, LogSource{
			Service: key.service.name, Name: key.name, Records: row.records.Load(),
			WithTrace: row.withTrace.Load(), WithSpan: row.withSpan.Load(), InAttributes: row.inAttributes.Load(),
		})
	}
	slices.SortFunc(all, func(a, b LogSource) int {
		return cmp.Or(cmp.Compare(a.share(), b.share()), cmp.Compare(b.Records, a.Records),
			strings.Compare(a.Service, b.Service), strings.Compare(a.Name, b.Name))
	})
	return all
}

// share is that of the records that have a trace.
func (s *LogSource) share() float64 { return float64(s.WithTrace) / float64(max(s.Records, 1)) }

// forget forgets those that have sent nothing since a time.
func (s *logSources) forget(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, row := range s.rows {
		if row.seen.Before(since) {
			delete(s.rows, key)
		}
	}
}
