package cardinalityprocessor

import (
	"context"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/aggregate"
)

// wireFold is the state of one pass over one request. It belongs to one goroutine, and
// then to the next request.
type wireFold struct {
	*wire
	wireTally
	wireScan
	changes uint64           // of the namer, before it was asked
	times   map[identity]int // how many metrics of the request are of a family
	attrs   wireAttributes   // of the point at hand
	points  []wirePoint      // of all metrics, one after the other
	all     wirePoints       // of the metric at hand
	needs   []need
	out     wireWriter
}

// end counts what the fold did, and leaves it to another request.
func (s *wireFold) end() {
	s.telemetry.addWire(context.Background(), &s.wireTally)
	s.wireTally = wireTally{}
	s.request = nil
	clear(s.metrics)
	clear(s.points)
	s.all = wirePoints{}
	clear(s.needs)
	clear(s.attrs.all[:])
	clear(s.times)
	s.folds.Put(s)
}

// fold folds the points of the metrics that it is sure of, and tells whether there were
// any: then out has the request without those that do not go out. The batch, which may
// be nil, has to be told what becomes of the request.
func (s *wireFold) fold(request []byte) (batch *wireBatch, folded bool) {
	if !s.scan(request) {
		s.outcomes[wireRequest] += int64(len(s.spans))
		return nil, false
	}
	w := s.walks.Get().(*walk)
	w.begin()
	defer w.end(context.Background())
	if s.renew(w.now); !s.plan() {
		s.outcomes[wireRequest] += int64(len(s.spans))
		return nil, false
	}
	s.points, s.needs = s.points[:0], s.needs[:0]
	var trials []wireTrial
	for i := range s.metrics {
		m := &s.metrics[i]
		what := s.look(m, &trials)
		m.folded = what == wireFolded
		s.outcomes[what] += int64(m.to - m.from)
		folded = folded || m.folded
	}
	if folded && !s.room() {
		s.outcomes[wireBudget] += s.outcomes[wireFolded]
		s.outcomes[wireFolded] = 0
		folded = false
	}
	if folded {
		s.foldAll(w)
		s.write()
	}
	if !folded && trials == nil {
		return nil, false
	}
	return &wireBatch{processor: s.cardinalityProcessor, trials: trials, sent: sentBatch{slices.Clone(w.sent)}}, folded
}

// plan finds the plans of all metrics. It returns false for a request that is not usual,
// or whose metrics had naming decide otherwise of others.
func (s *wireFold) plan() bool {
	s.changes = s.namerChanges()
	for i := range s.resources {
		rm := &s.resources[i]
		resource := identity{lo: s.seed}.thenBytes(s.of(rm.rest))
		for j := rm.from; j < rm.to; j++ {
			sm := &s.scopes[j]
			scope := resource.thenBytes(s.of(sm.rest))
			for k := sm.from; k < sm.to; k++ {
				m, ok := &s.metrics[k], false
				if m.plan, ok = s.planOf(scope, rm, sm, m); !ok {
					return false
				}
				s.times[m.plan.id]++
			}
		}
	}
	return s.namerChanges() == s.changes
}

// look reads the points of a metric, and tells whether they can be folded.
func (s *wireFold) look(m *wireMetric, trials *[]wireTrial) outcome {
	plan := m.plan
	switch {
	case m.from == m.to || !plan.fits:
		return wireMetricUnfit
	case s.times[plan.id] > 1:
		return wireRepeated
	case plan.tries.Load() > maxTries:
		return wireUnsure
	}
	f, ok := s.families.Load(plan.id)
	if !ok || f.plan.exempt {
		return wireUnknown
	}
	if !f.plan.keys.any() {
		return wireUnneeded
	}
	known := s.shapesOf(plan, f.plan.keys)
	m.points.begin = len(s.points)
	s.attrs.count = 0 // the metric before may have had others
	var last *shape
	seen, print := uint64(0), uint64(0)
	for i := m.from; i < m.to; i++ {
		raw := s.spans[i]
		s.points = append(s.points, wirePoint{})
		p := &s.points[len(s.points)-1]
		if !p.read(s.request[raw.begin:raw.end], &s.attrs) {
			return s.giveUp(m, wirePointUnfit)
		}
		if last = known.of(&s.attrs, last, s.wire); last == nil || !last.fit {
			return s.giveUp(m, wirePointUnfit)
		}
		if i == m.from && !last.drops && !last.overflow {
			return s.giveUp(m, wireUnneeded) // most likely there is nothing to gain
		}
		p.shape = last
		if p.id, ok = last.identify(&s.attrs, known, s.wire); !ok {
			return s.giveUp(m, wirePointUnfit)
		}
		seen |= 1 << last.number
	}
	m.points.end = len(s.points)
	m.family = f
	if plan.sure.Load()&seen == seen {
		s.needs = append(s.needs, need{f.service, m.to - m.from})
		return wireFolded
	}
	for i := m.points.begin; i < m.points.end; i++ {
		p := &s.points[i]
		print += fingerprint(p.id.stream, uint64(p.start), uint64(p.time), p.value, p.valued)
	}
	*trials = append(*trials, wireTrial{plan: plan, shapes: seen, print: print, points: m.to - m.from})
	plan.tries.Add(1)
	return s.giveUp(m, wireUnsure)
}

func (s *wireFold) giveUp(m *wireMetric, why outcome) outcome {
	clear(s.points[m.points.begin:])
	s.points = s.points[:m.points.begin]
	return why
}

// need is how many points of a service a fold has.
type need struct {
	service *service
	points  int
}

// needBytes is what a point takes at most: a stream, an output and a series.
const needBytes = 1 << 10

// room tells whether no point can meet a full budget of its service or of all. Then the
// order of metrics decides who gets the last place, and it is not the order here.
func (s *wireFold) room() bool {
	points := 0
	for _, n := range s.needs {
		points += n.points
	}
	for _, n := range s.needs {
		if limit := n.service.limit; limit > 0 && n.service.series.Load()+int64(points) > limit {
			return false
		}
		bytes := int64(points * needBytes)
		left := s.memory.limit - s.memory.used.Load() - bytes
		if left < 0 || n.service.used.Load()+bytes > fairShare*left {
			return false
		}
	}
	return true
}

// foldAll folds the metrics that can be. One whose family was made anew by now is left
// as it is.
func (s *wireFold) foldAll(w *walk) {
	for i := range s.metrics {
		m := &s.metrics[i]
		if !m.folded {
			continue
		}
		if m.folded = s.foldMetric(w, m); !m.folded {
			s.outcomes[wireFolded] -= int64(m.to - m.from)
			s.outcomes[wireUnknown] += int64(m.to - m.from)
		}
	}
}

// foldMetric is walkPoints for points on the wire.
func (s *wireFold) foldMetric(w *walk, m *wireMetric) bool {
	f := m.family
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.tracked.(*numberTracker)
	if f.gone || !ok || m.plan.shapes.Load().rules != f.plan.keys {
		return false
	}
	all := &s.all
	all.sent, all.ends = s.points[m.points.begin:m.points.end], nil
	w.points += int64(len(all.sent))
	w.marks = w.marks[:0]
	p := pass[*wirePoint, aggregate.Number, *aggregate.Number]{w: w, f: f, t: t, kind: wireNumbers, all: all}
	for i := range all.sent {
		dp := &all.sent[i]
		w.marks = append(w.marks, p.route(dp, i, &dp.id))
	}
	p.emit()
	p.sweep()
	m.ends = all.ends
	return true
}

// fingerprint is what a point says, so that it can be recognised. Those of several are
// added up.
func fingerprint(stream identity, start, time uint64, value aggregate.Number, valued bool) uint64 {
	return stream.thenNumber(start).thenNumber(time).thenNumber(value.Bits).thenNumber(bit(value.Double)<<1 | bit(valued)).lo
}
