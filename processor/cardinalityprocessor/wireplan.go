package cardinalityprocessor

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// wirePlan is what a metric becomes that is sent with the same resource, scope and
// header: which family it is of behind naming.
type wirePlan struct {
	changes uint64 // of the namer, that it knows of

	id     identity // of the family; the zero value for none
	fits   bool     // its points may be folded on the wire
	owner  *naming.System
	shapes atomic.Pointer[shapes] // once the family is known
	// sure are the shapes, as bits, whose points came to the processor as was foreseen.
	sure atomic.Uint64
	// tries is how many requests have gone by to become sure since it last did.
	tries atomic.Int32
}

// maxTries is how many requests may go by until points come as was foreseen. Should
// another processor stand between, they never do.
const maxTries = 64

func (i identity) thenBytes(b []byte) identity { return i.mix(xxh3.Hash128Seed(b, i.lo)) }

// planOf returns the plan of a metric, or false for one that cannot be decoded.
func (s *wireFold) planOf(before identity, rm, sm *wireMessage, m *wireMetric) (*wirePlan, bool) {
	key := before.thenNumber(uint64(m.data)).thenBytes(s.of(m.rest)).thenBytes(s.of(m.dataRest))
	if plan, ok := s.plans.Load(key); ok && plan.changes == s.changes {
		return plan, true
	}
	plan, ok := s.rehearse(rm, sm, m)
	if ok {
		if s.plans.Size() >= maxPlans {
			s.plans.Clear()
		}
		s.plans.Store(key, plan)
	}
	return plan, ok
}

// maxPlans bounds the plans: as many as naming has decisions of metrics.
const maxPlans = 1 << 14

// What the point of a rehearsal says: an integer, which no unit conversion leaves one.
const (
	rehearsedStart = 1
	rehearsedTime  = 2
	rehearsedValue = 3
)

// rehearse finds out what becomes of a metric, with one point that has no attributes.
func (s *wireFold) rehearse(rm, sm *wireMessage, m *wireMetric) (*wirePlan, bool) {
	md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(s.sample(rm, sm, m))
	if err != nil {
		return nil, false
	}
	as := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Type()
	plan := &wirePlan{changes: s.changes}
	if s.namer != nil {
		plan.owner = s.namer.Rehearse(md)
	}
	if md.MetricCount() == 0 {
		return plan, true // it is dropped
	}
	resource := md.ResourceMetrics().At(0)
	scope := resource.ScopeMetrics().At(0)
	metric := scope.Metrics().At(0)
	container := identity{lo: s.seed}.plus(hashMap(s.seed, resource.Resource().Attributes()))
	id, _, why := identifyMetric(identifyScope(s.seed, container, scope.Scope()), metric)
	if why != checked {
		return plan, true
	}
	plan.id = id
	overflow, _, overflowFits := finalKey(s.namer, plan.owner, overflowKey)
	overflowFits = overflowFits && overflow == overflowKey
	switch as {
	case pmetric.MetricTypeGauge:
		plan.fits = overflowFits && metric.Type() == as && untouched(metric.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		plan.fits = overflowFits && metric.Type() == as && untouched(metric.Sum().DataPoints())
	}
	return plan, true
}

// untouched tells whether the rehearsal's point is what it was.
func untouched(points pmetric.NumberDataPointSlice) bool {
	p := points.At(0)
	return points.Len() == 1 && p.Attributes().Len() == 0 && p.StartTimestamp() == rehearsedStart && p.Timestamp() == rehearsedTime &&
		p.ValueType() == pmetric.NumberDataPointValueTypeInt && p.IntValue() == rehearsedValue
}

// sample is a request of the one metric.
func (s *wireFold) sample(rm, sm *wireMessage, m *wireMetric) []byte {
	var out wireWriter
	resource := out.open(fieldResourceMetrics)
	out.raw(s.of(rm.rest))
	scope := out.open(fieldScopeMetrics)
	out.raw(s.of(sm.rest))
	metric := out.open(fieldMetrics)
	out.raw(s.of(m.rest))
	if m.data != 0 {
		data := out.open(m.data)
		out.raw(s.of(m.dataRest))
		if m.data == fieldGauge || m.data == fieldSum {
			point := out.open(fieldPoints)
			out.fixed(tagStart, rehearsedStart)
			out.fixed(tagTime, rehearsedTime)
			out.fixed(tagInt, rehearsedValue)
			out.close(point)
		}
		out.close(data)
	}
	out.close(metric)
	out.close(scope)
	out.close(resource)
	return out.bytes
}

// wireWriter writes protobuf from the front. Lengths are written with more bytes than
// they need, since they are known last.
type wireWriter struct{ bytes []byte }

// lengthBytes hold the length of what is four times as long as any request.
const lengthBytes = 5

// open begins a message and returns where it begins.
func (w *wireWriter) open(field int) int {
	w.bytes = append(w.bytes, byte(field<<3|2), 0x80, 0x80, 0x80, 0x80, 0)
	return len(w.bytes)
}

// close ends the message that begins there.
func (w *wireWriter) close(begin int) {
	length := len(w.bytes) - begin
	for i := begin - lengthBytes; i < begin-1; i++ {
		w.bytes[i] = 0x80 | byte(length&0x7f)
		length >>= 7
	}
	w.bytes[begin-1] = byte(length)
}

// undo takes the message back that begins there.
func (w *wireWriter) undo(begin int) { w.bytes = w.bytes[:begin-lengthBytes-1] }

func (w *wireWriter) raw(b []byte) { w.bytes = append(w.bytes, b...) }

func (w *wireWriter) fixed(tag byte, bits uint64) {
	w.bytes = binary.LittleEndian.AppendUint64(append(w.bytes, tag), bits)
}
