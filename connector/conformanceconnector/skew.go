package conformanceconnector

import (
	"sync"
	"time"
)

// maxSkews bounds the pairs of services whose clocks are compared.
const maxSkews = 256

// skews estimates by how much services' clocks differ, from calls between them. It is
// safe for concurrent use.
type skews struct {
	mu    sync.Mutex
	pairs map[servicePair]*skew
}

type servicePair struct{ client, server *service }

// skew is what the calls of one interval say: every offset lies between a least and a
// most, so the tightest bounds of all hold, if one offset fits them all.
type skew struct {
	calls       int64
	least, most int64
	middles     float64 // sum of the middles
}

func newSkews() *skews { return &skews{pairs: map[servicePair]*skew{}} }

// add notes a call, and tells whether there was room for its pair.
func (s *skews) add(client, server *service, least, most int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pairs[servicePair{client, server}]
	if p == nil {
		if len(s.pairs) >= maxSkews {
			return false
		}
		p = &skew{least: least, most: most}
		s.pairs[servicePair{client, server}] = p
	}
	p.calls++
	p.least, p.most = max(p.least, least), min(p.most, most)
	p.middles += float64(least)/2 + float64(most)/2
	return true
}

// take returns what the interval's calls say, and begins another.
func (s *skews) take() map[servicePair]*skew {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.pairs
	s.pairs = map[servicePair]*skew{}
	return taken
}

// offset is the estimate and by how much it can be wrong. Where the calls contradict
// each other, as when a service has several hosts, it is their mean and has no bound.
func (p *skew) offset() (offset, uncertain time.Duration, bounded bool) {
	if p.least <= p.most {
		half := p.most/2 - p.least/2 // the difference may be more than there are numbers for
		return time.Duration(p.least + half), time.Duration(half), true
	}
	return time.Duration(p.middles / float64(p.calls)), 0, false
}
