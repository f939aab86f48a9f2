package series

import (
	"math/rand/v2"
	"time"

	"github.com/puzpuzpuz/xsync/v4"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Settings are what a Store keeps to besides the plans of metrics.
type Settings struct {
	ServiceLimit int // series; 0 for none
	MaxStale     time.Duration
	DropOverflow bool
	Gathered     bool // outputs go out with a window, and not with their batch
}

// Store holds the series of all metrics. It is safe for concurrent use.
type Store struct {
	Settings
	Memory  Memory
	Seed    uint64    // of identities
	Started time.Time // epoch 0

	metrics  *xsync.Map[attrhash.Hash, *Metric]
	services *xsync.Map[attrhash.Hash, *service]
	// since is when counting began: a stream that started before may have been counted
	// by another.
	since pcommon.Timestamp
	left  watermarks // of metrics that were removed
}

// New returns an empty Store whose series may take so many bytes.
func New(settings Settings, memory int64) *Store {
	s := &Store{
		Settings: settings, Memory: Memory{Limit: memory},
		metrics: xsync.NewMap[attrhash.Hash, *Metric](), services: xsync.NewMap[attrhash.Hash, *service](),
	}
	s.Forget()
	return s
}

// Forget begins without any series.
func (s *Store) Forget() {
	s.Seed, s.Started = rand.Uint64(), time.Now()
	s.metrics.Clear()
	s.services.Clear()
	s.Memory.Used.Store(0)
	s.since = pcommon.NewTimestampFromTime(s.Started)
	s.left.set(nil)
}

// Taken returns how many series have a place, and how many streams are merged.
func (s *Store) Taken() (series, streams int64) {
	for _, known := range s.services.All() {
		series += known.series.Load()
		streams += known.streams.Load()
	}
	return series, streams
}

// epochs is a duration in the seconds that series are aged by.
func epochs(d time.Duration) uint32 { return uint32(d / time.Second) }

func (s *Store) epochOf(t time.Time) uint32 { return epochs(max(0, t.Sub(s.Started))) }

func (s *Store) epochTime(epoch uint32) time.Time {
	return s.Started.Add(time.Duration(epoch) * time.Second)
}

// Load returns the metric of an identity.
func (s *Store) Load(id attrhash.Hash) (*Metric, bool) { return s.metrics.Load(id) }

// Add makes a metric of a service, or returns the one that another batch has just made; nil
// when there is no memory for it.
func (s *Store) Add(id attrhash.Hash, plan *plan.Plan, namespace, name string) *Metric {
	of := s.joinService(attrhash.Hash{Lo: s.Seed}.Text(namespace).Text(name), name)
	if !of.take(metricBytes) {
		s.leaveService(of)
		return nil
	}
	m := s.newMetric(id, plan, of)
	if known, ok := s.metrics.LoadOrStore(id, m); ok {
		of.give(metricBytes)
		s.leaveService(of)
		return known
	}
	return m
}

// newMetric makes a metric of an identity that may have had one before.
func (s *Store) newMetric(id attrhash.Hash, plan *plan.Plan, of *service) *Metric {
	since, merged, ended := s.left.of(id)
	return &Metric{id: id, Plan: plan, service: of, since: max(s.since, since), merged: merged, ended: ended}
}

// joinService returns the service of a name, which counts one metric more.
func (s *Store) joinService(id attrhash.Hash, name string) *service {
	of, _ := s.services.Compute(id, func(of *service, known bool) (*service, xsync.ComputeOp) {
		if !known {
			of = &service{store: s, id: id, name: plan.Name(name)}
			of.charge(serviceBytes)
		}
		of.metrics++
		return of, xsync.UpdateOp
	})
	return of
}

// leaveService takes one metric off a service, which goes with its last.
func (s *Store) leaveService(of *service) {
	s.services.Compute(of.id, func(of *service, _ bool) (*service, xsync.ComputeOp) {
		if of.metrics--; of.metrics > 0 {
			return of, xsync.UpdateOp
		}
		of.expireValues(^uint32(0))
		of.give(serviceBytes)
		return nil, xsync.DeleteOp
	})
}

// Lock locks a metric. One that has just been removed is made again.
func (s *Store) Lock(m *Metric) *Metric {
	for {
		m.mu.Lock()
		if !m.gone {
			return m
		}
		m.mu.Unlock()
		m = s.remake(m)
	}
}

// remake puts a new metric in the place of one that is gone.
func (s *Store) remake(gone *Metric) *Metric {
	m, _ := s.metrics.Compute(gone.id, func(known *Metric, ok bool) (*Metric, xsync.ComputeOp) {
		if ok && known != gone {
			return known, xsync.CancelOp
		}
		of := s.joinService(gone.service.id, gone.service.name)
		of.charge(metricBytes)
		return s.newMetric(gone.id, gone.Plan, of), xsync.UpdateOp
	})
	return m
}

// Sweeps is how many shares metrics and services expire in, each once within MaxStale.
const Sweeps = 8

// touchEvery is how often the values of a known series are touched, in epochs.
func (s *Store) touchEvery() uint32 { return epochs(s.MaxStale) / Sweeps }

// Expire removes what is stale from one share of the metrics and services. It returns how
// many outputs were removed that had yet to go out again.
func (s *Store) Expire(now time.Time, share uint64) (lost int) {
	epoch, stale := s.epochOf(now), epochs(s.MaxStale)
	if epoch <= stale {
		return 0
	}
	oldest := epoch - stale
	for id, m := range s.metrics.All() {
		if id.Lo%Sweeps != share {
			continue
		}
		empty, owed := m.expire(oldest, now)
		lost += owed
		if !empty {
			continue
		}
		s.metrics.Compute(id, func(known *Metric, ok bool) (*Metric, xsync.ComputeOp) {
			if !ok || known != m {
				return known, xsync.CancelOp // it was made again
			}
			return nil, xsync.DeleteOp
		})
		m.service.give(metricBytes)
		s.leaveService(m.service)
	}
	// A value is touched less often than its series.
	if grace := s.touchEvery() + 1; oldest > grace {
		for id, of := range s.services.All() {
			if id.Lo%Sweeps == share {
				of.expireValues(oldest - grace)
			}
		}
	}
	return lost
}
