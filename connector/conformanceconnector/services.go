package conformanceconnector

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

const (
	// otherService stands for the services past max_services.
	otherService = "other"
	// unknownService stands for resources without service.name.
	unknownService = "unknown"
	// maxText is how much is kept of a name, and of a service's.
	maxText = 256
	// forgetAfter is how long a service or a metric is known that sends nothing.
	forgetAfter = time.Hour
)

// service is what is counted for one service. Counts only grow, from since.
type service struct {
	name  string
	since time.Time
	seen  atomic.Int64 // when, in nanoseconds

	items    [kinds]items
	renamed  [kinds]atomic.Int64 // of the conformant
	spans    atomic.Int64        // judged with their traces
	roots    atomic.Int64
	late     atomic.Int64 // came after their traces were judged
	unjudged atomic.Int64 // of traces that were not judged

	reported [kinds]tally // at the last report; guarded by state.mu
}

// items counts what was judged, and what conforms.
type items struct{ checked, conformant atomic.Int64 }

type tally struct{ checked, conformant int64 }

func (i *items) load() tally { return tally{i.checked.Load(), i.conformant.Load()} }

func (i *items) add(t tally) {
	i.checked.Add(t.checked)
	i.conformant.Add(t.conformant)
}

// kept is what is kept of a text of telemetry's: its beginning, as valid UTF-8, which
// protobuf and JSON need.
func kept(text string) string { return strings.ToValidUTF8(naming.Beginning(text, maxText), "\ufffd") }

// services are the services that are told apart. It is safe for concurrent use.
type services struct {
	most  int
	other *service

	mu   sync.Mutex
	byID map[string]*service
}

func newServices(most int, now time.Time) *services {
	return &services{most: most, other: &service{name: otherService, since: now}, byID: map[string]*service{}}
}

// of returns the service of a name. When a place becomes free, what is remembered of
// those that had none is forgotten (state.forget).
func (s *services) of(name string, now time.Time) *service {
	if name == "" {
		name = unknownService
	}
	name = kept(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if svc, ok := s.byID[name]; ok {
		return svc
	}
	if len(s.byID) >= s.most || name == otherService {
		return s.other
	}
	svc := &service{name: strings.Clone(name), since: now}
	svc.seen.Store(now.UnixNano())
	s.byID[svc.name] = svc
	return svc
}

// all are the services, and other if it was needed.
func (s *services) all() []*service {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*service
	for _, svc := range s.byID {
		all = append(all, svc)
	}
	if s.other.seen.Load() > 0 {
		all = append(all, s.other)
	}
	return all
}

// forget forgets the services that have sent nothing since a time.
func (s *services) forget(since time.Time) (forgotten map[*service]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, svc := range s.byID {
		if svc.seen.Load() < since.UnixNano() {
			delete(s.byID, name)
			if forgotten == nil {
				forgotten = map[*service]bool{}
			}
			forgotten[svc] = true
		}
	}
	return forgotten
}
