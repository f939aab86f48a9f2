// SPDX-License-Identifier: Apache-2.0

package series

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/puzpuzpuz/xsync/v4"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/cost"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Settings are the settings that apply to all metrics.
type Settings struct {
	ServiceLimit int // series of one service; 0 for no limit
	MaxStale     time.Duration
}

// Store holds the series of all metrics. It is safe for concurrent use.
type Store struct {
	Settings
	Memory  Memory
	Seed    uint64    // of the hashes that identify metrics, streams and series
	Started time.Time // the beginning of epoch 1

	metrics  *xsync.Map[attrhash.Hash, *Metric]
	services *xsync.Map[attrhash.Hash, *service]
	// since is when counting began. An earlier process may have counted streams that
	// started before.
	since      pcommon.Timestamp
	watermarks watermarks
	generation atomic.Uint32 // of the policy
	lost       atomic.Int64  // outputs of replaced metrics that were refused and not sent again

	costs *cost.Table

	sources *xsync.Map[sourceKey, *source]
	looks   atomic.Uint32 // the number of the last look
	missed  misses
}

// New returns an empty Store. Memory is the limit in bytes, with the reserve.
func New(settings Settings, memory int64) *Store {
	s := &Store{
		Settings: settings, Memory: Memory{Limit: memory - memory/reserveShare, Reserve: memory / reserveShare},
		metrics: xsync.NewMap[attrhash.Hash, *Metric](), services: xsync.NewMap[attrhash.Hash, *service](),
		sources: xsync.NewMap[sourceKey, *source](),
		costs:   cost.New(settings.MaxStale, time.Now()),
	}
	s.Reset()
	return s
}

// Reset removes all series and chooses a new seed.
func (s *Store) Reset() {
	s.Seed, s.Started = rand.Uint64(), time.Now()
	s.metrics.Clear()
	s.services.Clear()
	s.sources.Clear()
	s.Memory.Used.Store(0)
	s.Memory.crowd.Store(0)
	s.since = pcommon.NewTimestampFromTime(s.Started)
	s.watermarks.set(nil)
	s.looks.Store(0)
	s.missed.set(0)
}

// Counts returns the numbers of admitted series and of known streams.
func (s *Store) Counts() (series, streams int64) {
	for _, known := range s.services.All() {
		series += known.series.Load()
		streams += known.streams.Load()
	}
	return series, streams
}

// epochs returns a duration in epochs of one second. Series age by epochs.
func epochs(d time.Duration) uint32 { return uint32(d / time.Second) }

// epochOf returns the epoch of a time. It is never 0, which stands for none.
func (s *Store) epochOf(t time.Time) uint32 { return 1 + epochs(max(0, t.Sub(s.Started))) }

func (s *Store) epochTime(epoch uint32) time.Time {
	return s.Started.Add(time.Duration(epoch-1) * time.Second)
}

// Planned is the plan of a metric by one policy.
type Planned struct {
	Plan    *plan.Plan
	Audited bool // nothing of the metric is sent
}

// Load returns the metric with an identity, and whether it has the rules of a policy. If it does not, those are to be
// made, and Replan is to be called.
func (s *Store) Load(id attrhash.Hash, generation uint32) (m *Metric, current bool) {
	m, ok := s.metrics.Load(id)
	if !ok {
		return nil, false
	}
	return m.by(generation)
}

// by returns the metric for batches by a policy, and whether it has that policy's rules.
func (m *Metric) by(generation uint32) (*Metric, bool) {
	for {
		known := m.Plan().Generation
		if known <= generation {
			return m, known == generation
		}
		before := m.before.Load()
		if before == nil {
			return m, true // the rules have not changed, or the batch comes too late
		}
		m = before
	}
}

// Replan gives a metric the rules of a later policy. If they are others, a new metric replaces it. Nothing that was
// counted before counts again: streams that may have been counted only give their baseline, and new outputs begin
// after those that were sent.
func (s *Store) Replan(m *Metric, by Planned, now time.Time) *Metric {
	if m.audited == by.Audited && m.Plan().Same(by.Plan) {
		m.plan.Store(by.Plan)
		return m
	}
	if m.Plan().Generation != by.Plan.Generation && s.isStored(m) {
		fresh := s.successor(m, by, now)
		stored, _ := s.metrics.Compute(m.ID, func(known *Metric, ok bool) (*Metric, xsync.ComputeOp) {
			if !ok || known != m {
				return known, xsync.CancelOp // another batch was faster
			}
			return fresh, xsync.UpdateOp
		})
		if stored == fresh {
			s.dropBefore(m) // batches two policies ago are gone
			return fresh
		}
		s.leave(fresh)
	}
	stored, ok := s.metrics.Load(m.ID)
	if !ok {
		return m // it expired meanwhile
	}
	stored, _ = stored.by(by.Plan.Generation)
	return stored
}

func (s *Store) isStored(m *Metric) bool {
	known, ok := s.metrics.Load(m.ID)
	return ok && known == m
}

// successor returns a metric without series that replaces another one.
func (s *Store) successor(m *Metric, by Planned, now time.Time) *Metric {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := metricState{
		ID: m.ID, Since: max(m.Since, pcommon.NewTimestampFromTime(now)), Merged: m.Merged, Ended: m.Ended, Missed: s.looks.Load(),
	}
	if m.streams != nil {
		state.Ended, state.Merged = max(m.Ended, m.streams.sent()), state.Since
	}
	fresh := s.replacement(m, state, by)
	fresh.replaced = s.epochOf(now)
	fresh.before.Store(m)
	return fresh
}

// dropBefore removes the metric that another one has replaced.
func (s *Store) dropBefore(m *Metric) {
	before := m.before.Swap(nil)
	if before == nil {
		return
	}
	s.dropBefore(before)
	before.mu.Lock()
	if before.removed { // by who unlocked it, and takes it off its service
		before.mu.Unlock()
		return
	}
	_, refused := before.expire(^uint32(0))
	before.removed = true
	before.service.release(before.Departed.bytes())
	before.Departed = nil
	before.mu.Unlock()
	s.lost.Add(int64(refused))
	s.leave(before)
}

// ReplanAll gives the rules of a policy to the metrics that had no point since it began, so that they can be stored.
func (s *Store) ReplanAll(plans *plan.Planner, audit func(service string) bool, now time.Time) {
	for _, m := range s.metrics.All() {
		if known := m.Plan(); known.Generation < plans.Generation && known.Input.Name != "" {
			s.Replan(m, Planned{plans.Restore(known.Input), audit(m.service.name)}, now)
		}
	}
}

// Change begins a policy. Sources are looked at anew, because their metrics may have other names.
func (s *Store) Change(generation uint32) { s.generation.Store(generation) }

// Add creates a metric of a service. It returns the existing one if another batch has just
// created it. The metric is charged with its first series, and removed if it gets none until
// it is unlocked.
func (s *Store) Add(id attrhash.Hash, by Planned, service Service) *Metric {
	owner := s.joinService(service.ID, service.Name)
	m := newMetric(s.stateOf(id), by, owner)
	if known, ok := s.metrics.LoadOrStore(id, m); ok {
		s.leaveService(owner)
		return known
	}
	return m
}

// Service identifies a service.
type Service struct {
	ID   attrhash.Hash
	Name string
}

// OfService returns the metric with the overflow series of a metric's service. If asked to, it
// creates the metric, as far as there is memory.
func (s *Store) OfService(id attrhash.Hash, one *Metric, create bool) *Metric {
	if one.service.overflows.Load() == 0 && !create {
		return nil
	}
	by := Planned{one.Plan(), one.audited}
	if m, current := s.Load(id, by.Plan.Generation); m != nil || !create {
		if m != nil && !current {
			m = s.Replan(m, by, time.Now())
		}
		return m
	}
	if !one.service.reserveOutput(metricBytes) {
		return nil
	}
	created := false
	m, _ := s.metrics.Compute(id, func(known *Metric, ok bool) (*Metric, xsync.ComputeOp) {
		if ok {
			return known, xsync.CancelOp
		}
		m := newMetric(s.stateOf(id), by, s.joinService(one.service.id, one.service.name))
		m.beOfService()
		created = true
		return m, xsync.UpdateOp
	})
	if created {
		one.service.chargeMetric(0)
	} else {
		one.service.release(metricBytes)
	}
	return m
}

// stateOf returns the state of a new metric. If a metric of the same identity was removed before, the new
// one takes over its times.
func (s *Store) stateOf(id attrhash.Hash) metricState {
	since, merged, ended := s.watermarks.times(id)
	return metricState{ID: id, Since: max(s.since, since), Merged: merged, Ended: ended, Missed: s.missed.of(id).Load()}
}

// newMetric creates a metric of a service that it has joined.
func newMetric(state metricState, by Planned, owner *service) *Metric {
	m := &Metric{metricState: state, service: owner, audited: by.Audited}
	m.plan.Store(by.Plan)
	return m
}

// replacement creates a metric that replaces another one of its identity and service.
func (s *Store) replacement(of *Metric, state metricState, by Planned) *Metric {
	m := newMetric(state, by, s.joinService(of.service.id, of.service.name))
	if of.OfService {
		m.beOfService()
		m.service.charge(metricBytes)
		m.service.chargeMetric(0)
	}
	return m
}

// joinService returns a service and adds one to its number of metrics. It creates the
// service for its first metric.
func (s *Store) joinService(id attrhash.Hash, name string) *service {
	owner, _ := s.services.Compute(id, func(owner *service, known bool) (*service, xsync.ComputeOp) {
		if !known {
			owner = &service{store: s, id: id, name: plan.Name(name), crowd: s.services.Size() >= maxServices}
		}
		owner.metrics++
		return owner, xsync.UpdateOp
	})
	return owner
}

// leaveService subtracts one from the service's number of metrics, and removes the service
// with its last metric.
func (s *Store) leaveService(owner *service) {
	s.services.Compute(owner.id, func(owner *service, _ bool) (*service, xsync.ComputeOp) {
		if owner.metrics--; owner.metrics > 0 {
			return owner, xsync.UpdateOp
		}
		owner.expireValues(^uint32(0))
		if owner.charged.Load() {
			owner.release(serviceBytes)
		}
		return nil, xsync.DeleteOp
	})
}

// Lock locks a metric and returns it. If the metric has just been removed, Lock creates it
// again and returns the new one.
func (s *Store) Lock(m *Metric) *Metric {
	for {
		m.mu.Lock()
		if !m.removed {
			return m
		}
		m.mu.Unlock()
		m = s.remake(m)
	}
}

// Unlock unlocks a metric. A metric that got no series is removed.
func (s *Store) Unlock(m *Metric) {
	if m.streams != nil && m.streams.empty() {
		m.streams = nil
	}
	m.removed = m.bytes == 0 && m.replaced == 0 // a new one would count what it may not count again
	if missed := s.missed.of(m.ID); m.removed && m.Missed > missed.Load() {
		missed.Store(m.Missed)
	}
	removed := m.removed
	m.mu.Unlock()
	if removed {
		s.remove(m)
	}
}

// remake replaces a removed metric by a new one.
func (s *Store) remake(removed *Metric) *Metric {
	m, _ := s.metrics.Compute(removed.ID, func(known *Metric, ok bool) (*Metric, xsync.ComputeOp) {
		if ok && known != removed {
			return known, xsync.CancelOp
		}
		return s.replacement(removed, s.stateOf(removed.ID), Planned{removed.Plan(), removed.audited}), xsync.UpdateOp
	})
	return m
}

// remove removes a metric without series, whose removed is set.
func (s *Store) remove(m *Metric) {
	s.metrics.Compute(m.ID, func(known *Metric, ok bool) (*Metric, xsync.ComputeOp) {
		if !ok || known != m {
			return known, xsync.CancelOp // remake replaced it
		}
		return nil, xsync.DeleteOp
	})
	s.dropBefore(m)
	s.leave(m)
}

// leave takes a removed metric without series off its service.
func (s *Store) leave(m *Metric) {
	m.service.release(int(m.bytes))
	if m.OfService {
		m.service.overflows.Add(-1)
	}
	s.leaveService(m.service)
}

// remember records the times of a metric that expired, which a new one of its identity takes over.
func (s *Store) remember(m *Metric, now time.Time) {
	since, merged := m.Since, m.Merged
	if d := m.Departed; d != nil {
		m.service.release(d.bytes())
		since = max(since, d.Last)
		if d.Merged {
			merged = max(merged, d.Last)
		}
	}
	if m.Missed != 0 {
		s.missed.of(m.ID).Store(s.looks.Load())
	}
	s.watermarks.record(m.ID, pcommon.NewTimestampFromTime(now), max(since, m.Ended), merged, m.Ended)
}

// Sweeps is the number of shares that metrics and services are divided into for expiry.
// Each share is swept several times within MaxStale.
const Sweeps = 8

// touchEvery returns the interval, in epochs, in which known streams renew their limited
// attribute values. Each renewal takes the service's lock.
func (s *Store) touchEvery() uint32 { return epochs(s.MaxStale) / Sweeps }

// latestBatch is how many epochs after a change of the policy a batch by the one before may come.
const latestBatch = 60

// Expire removes stale series, metrics and attribute values of one share. It returns the
// number of removed outputs that were refused and not sent again.
func (s *Store) Expire(now time.Time, share uint64) (lost int) {
	epoch, stale := s.epochOf(now), epochs(s.MaxStale)
	oldest := epoch - min(epoch, stale) // 0: nothing can be stale yet
	for id, m := range s.metrics.All() {
		if id.Lo%Sweeps != share {
			continue
		}
		if epoch-min(m.replaced, epoch) > latestBatch {
			s.dropBefore(m)
		}
		if oldest == 0 {
			continue
		}
		m.mu.Lock()
		if m.removed { // by who unlocked it, and is about to leave the store
			m.mu.Unlock()
			continue
		}
		empty, refused := m.expire(oldest)
		if empty {
			s.remember(m, now) // before another batch can create it again
		}
		m.mu.Unlock()
		lost += refused
		if empty {
			s.remove(m)
		}
	}
	s.expireSources(oldest, share)
	// Values are renewed less often than their series.
	if grace := s.touchEvery() + 1; oldest > grace {
		for id, owner := range s.services.All() {
			if id.Lo%Sweeps == share {
				owner.expireValues(oldest - grace)
			}
		}
	}
	return lost + int(s.lost.Swap(0))
}
