// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// maxSkews limits the pairs of services whose clocks are compared.
const maxSkews = 256

// skews estimates the clock offsets between services from the calls between them. It is safe for
// concurrent use.
type skews struct {
	mu    sync.Mutex
	pairs map[servicePair]*skew
}

type servicePair struct{ client, server *report.ServiceCounts }

// skew holds the bounds from the calls of one interval. Each call gives a lower and an upper bound of the
// offset. If one offset fits all calls, it lies between the largest lower and the smallest upper bound.
type skew struct {
	calls       int64
	least, most int64
	middles     float64 // sum of the middles of the bounds
}

func newSkews() *skews { return &skews{pairs: map[servicePair]*skew{}} }

// add records a call, and reports whether there was room for its pair of services.
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

// take returns the skews of the interval and begins another interval.
func (s *skews) take() []conformance.Skew {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []conformance.Skew{}
	for pair, skew := range s.pairs {
		offset, uncertain, bounded := skew.offset()
		all = append(all, conformance.Skew{
			Client: pair.client.Name, Server: pair.server.Name,
			Offset: offset, Uncertain: uncertain, Bounded: bounded, Calls: skew.calls,
		})
	}
	slices.SortFunc(all, func(a, b conformance.Skew) int {
		return cmp.Or(strings.Compare(a.Client, b.Client), strings.Compare(a.Server, b.Server))
	})
	clear(s.pairs)
	return all
}

// offset returns the estimate and its maximum error. If the calls contradict each other, as with several
// hosts of a service, the estimate is their mean and has no maximum error.
func (p *skew) offset() (offset, uncertain time.Duration, bounded bool) {
	if p.least <= p.most {
		half := p.most/2 - p.least/2 // halved first, to avoid an overflow
		return time.Duration(p.least + half), time.Duration(half), true
	}
	return time.Duration(p.middles / float64(p.calls)), 0, false
}
