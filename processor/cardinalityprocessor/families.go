package cardinalityprocessor

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/puzpuzpuz/xsync/v4"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// addFamily makes a family, or returns the one that another batch has just made;
// nil when there is no memory for it.
func (p *cardinalityProcessor) addFamily(id identity, plan *plan, namespace, name string) *family {
	s := p.joinService(identity{lo: p.seed}.then(namespace).then(name), name)
	if !s.take(familyBytes) {
		p.leaveService(s)
		return nil
	}
	f := &family{
		id: id, plan: plan, service: s,
		since: pcommon.Timestamp(p.since.Load()), forgotten: pcommon.Timestamp(p.forgotten.Load()),
	}
	if known, ok := p.families.LoadOrStore(id, f); ok {
		s.give(familyBytes)
		p.leaveService(s)
		return known
	}
	return f
}

// joinService returns the service of a name, which counts one family more.
func (p *cardinalityProcessor) joinService(id identity, name string) *service {
	s, _ := p.services.Compute(id, func(s *service, known bool) (*service, xsync.ComputeOp) {
		if !known {
			s = &service{id: id, name: strings.Clone(naming.Beginning(name, maxNameBytes)), limit: int64(p.config.ServiceLimit), memory: &p.memory}
			s.charge(serviceBytes)
		}
		s.families++
		return s, xsync.UpdateOp
	})
	return s
}

// leaveService takes one family off a service, which goes with its last.
func (p *cardinalityProcessor) leaveService(s *service) {
	p.services.Compute(s.id, func(s *service, _ bool) (*service, xsync.ComputeOp) {
		if s.families--; s.families > 0 {
			return s, xsync.UpdateOp
		}
		s.expireValues(^uint32(0))
		s.give(serviceBytes)
		return nil, xsync.DeleteOp
	})
}

// lock locks a family. One that has just been removed is made again.
func (p *cardinalityProcessor) lock(f *family) *family {
	for {
		f.mu.Lock()
		if !f.gone {
			return f
		}
		f.mu.Unlock()
		again := &family{
			id: f.id, plan: f.plan, service: p.joinService(f.service.id, f.service.name),
			since: pcommon.Timestamp(p.since.Load()), forgotten: pcommon.Timestamp(p.forgotten.Load()),
		}
		again.service.charge(familyBytes)
		if known, ok := p.families.LoadOrStore(f.id, again); ok {
			again.service.give(familyBytes)
			p.leaveService(again.service)
			again = known
		}
		f = again
	}
}

// sweeps is how often within max_stale each family is looked at.
const sweeps = 8

// expireForever removes what is stale, an eighth of the families at a time, until
// the context ends.
func (p *cardinalityProcessor) expireForever(ctx context.Context) {
	ticker := time.NewTicker(max(p.config.MaxStale/sweeps/sweeps, time.Second))
	defer ticker.Stop()
	for share := uint64(0); ; share++ {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			p.expire(now, share%sweeps)
		}
	}
}

// expire removes what is stale from one share of the families and services.
func (p *cardinalityProcessor) expire(now time.Time, share uint64) {
	epoch := p.epochOf(now)
	if epoch <= p.maxStale {
		return
	}
	oldest := epoch - p.maxStale
	for id, f := range p.families.All() {
		if id.lo%sweeps != share || !f.expire(oldest, p.epochTime) {
			continue
		}
		raise(&p.since, f.since)
		raise(&p.forgotten, f.forgotten)
		p.families.Compute(id, func(known *family, ok bool) (*family, xsync.ComputeOp) {
			if !ok || known != f {
				return known, xsync.CancelOp
			}
			return nil, xsync.DeleteOp
		})
		f.service.give(familyBytes)
		p.leaveService(f.service)
	}
	if oldest > p.touchEvery {
		for id, s := range p.services.All() {
			if id.lo%sweeps == share {
				s.expireValues(oldest - p.touchEvery)
			}
		}
	}
}

func (p *cardinalityProcessor) epochTime(epoch uint32) time.Time {
	return p.started.Add(time.Duration(epoch) * time.Second)
}

// raise makes a time at least as late as another.
func raise(t *atomic.Uint64, to pcommon.Timestamp) {
	for {
		old := t.Load()
		if uint64(to) <= old || t.CompareAndSwap(old, uint64(to)) {
			return
		}
	}
}
