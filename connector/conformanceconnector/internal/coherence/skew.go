package coherence

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
)

// maxSkews bounds the pairs of services whose clocks are compared.
const maxSkews = 256

// skews estimates by how much services' clocks differ, from calls between them. It is
// safe for concurrent use.
type skews struct {
	mu    sync.Mutex
	pairs map[servicePair]*skew
}

type servicePair struct{ client, server *report.ServiceCounts }

// skew is what the calls of one interval bound: every offset lies between a least and a most, so
// the tightest bounds of all hold, if one offset fits them all.
type skew struct {
	calls       int64
	least, most int64
	middles     float64 // sum of the middles
}

func newSkews() *skews { return &skews{pairs: map[servicePair]*skew{}} }

// add notes a call, and reports whether there was room for its pair.
func (s *skews) add(client, server *report.ServiceCounts, least, most int64) bool {
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

// take returns what the interval's calls bound, and begins another interval.
func (s *skews) take() []report.Skew {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []report.Skew{}
	for pair, skew := range s.pairs {
		offset, uncertain, bounded := skew.offset()
		all = append(all, report.Skew{
			Client: pair.client.Name, Server: pair.server.Name,
			Offset: offset, Uncertain: uncertain, Bounded: bounded, Calls: skew.calls,
		})
	}
	slices.SortFunc(all, func(a, b report.Skew) int {
		return cmp.Or(strings.Compare(a.Client, b.Client), strings.Compare(a.Server, b.Server))
	})
	clear(s.pairs)
	return all
}

// offset returns the estimate and by how much it can be wrong. Where the calls contradict
// each other, as when a service has several hosts, it is their mean and has no bound.
func (p *skew) offset() (offset, uncertain time.Duration, bounded bool) {
	if p.least <= p.most {
		half := p.most/2 - p.least/2 // the difference may be more than there are numbers for
		return time.Duration(p.least + half), time.Duration(half), true
	}
	return time.Duration(p.middles / float64(p.calls)), 0, false
}
