package cardinalityprocessor

import (
	"context"
	"strings"
	"time"

	"github.com/puzpuzpuz/xsync/v4"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// addFamily makes a family, or returns the one that another batch has just made;
// nil when there is no memory for it.
func (p *cardinalityProcessor) addFamily(id attrhash.Hash, plan *plan, namespace, name string) *family {
	s := p.joinService(attrhash.Hash{Lo: p.seed}.Text(namespace).Text(name), name)
	if !s.take(familyBytes) {
		p.leaveService(s)
		return nil
	}
	f := p.newFamily(id, plan, s)
	if known, ok := p.families.LoadOrStore(id, f); ok {
		s.give(familyBytes)
		p.leaveService(s)
		return known
	}
	return f
}

// newFamily makes a family of an identity that may have had one before.
func (p *cardinalityProcessor) newFamily(id attrhash.Hash, plan *plan, s *service) *family {
	since, merged, ended := p.left.of(id)
	return &family{id: id, plan: plan, service: s, since: max(p.since, since), merged: merged, ended: ended}
}

// joinService returns the service of a name, which counts one family more.
func (p *cardinalityProcessor) joinService(id attrhash.Hash, name string) *service {
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
		f = p.remake(f)
	}
}

// remake puts a new family in the place of one that is gone.
func (p *cardinalityProcessor) remake(gone *family) *family {
	f, _ := p.families.Compute(gone.id, func(known *family, ok bool) (*family, xsync.ComputeOp) {
		if ok && known != gone {
			return known, xsync.CancelOp
		}
		s := p.joinService(gone.service.id, gone.service.name)
		s.charge(familyBytes)
		return p.newFamily(gone.id, gone.plan, s), xsync.UpdateOp
	})
	return f
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
		if id.Lo%sweeps != share || !f.expire(oldest, now, p) {
			continue
		}
		p.families.Compute(id, func(known *family, ok bool) (*family, xsync.ComputeOp) {
			if !ok || known != f {
				return known, xsync.CancelOp // it was made again
			}
			return nil, xsync.DeleteOp
		})
		f.service.give(familyBytes)
		p.leaveService(f.service)
	}
	// A value is touched less often than its series.
	if grace := p.touchEvery + 1; oldest > grace {
		for id, s := range p.services.All() {
			if id.Lo%sweeps == share {
				s.expireValues(oldest - grace)
			}
		}
	}
}

func (p *cardinalityProcessor) epochTime(epoch uint32) time.Time {
	return p.started.Add(time.Duration(epoch) * time.Second)
}
