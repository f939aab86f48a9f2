package cardinalityprocessor

import "encoding/binary"

// Fields of OTLP's messages, and of which of them a metric's points are.
const (
	fieldResourceMetrics = 1 // of a request
	fieldScopeMetrics    = 2 // of a resource's metrics
	fieldMetrics         = 2 // of a scope's metrics
	fieldPoints          = 1 // of what a metric holds
	fieldGauge           = 5 // of a metric, and so on
	fieldSum             = 7
	fieldHistogram       = 9
	fieldExponential     = 10
	fieldSummary         = 11
	fieldMetadata        = 12
)

// span is a part of a request.
type span struct{ begin, end int }

// wireMessage is a message of a request, with what lies in it.
type wireMessage struct {
	whole    span // with its header
	rest     span // in wireScan.rest: its fields but those that lie in it
	from, to int  // what lies in it: scopes of a resource, metrics of a scope, points of a metric
}

// wireMetric is a metric of a request.
type wireMetric struct {
	wireMessage
	data     int  // the field that holds the points, or 0
	dataRest span // in wireScan.rest: that field's fields but the points
	plan     *wirePlan
	family   *family // of a metric that is to be folded
	points   span    // in wireFold.points
	ends     []*wirePoint
	folded   bool
}

// What a request may have, or it is none that a client sends: what is remembered of it has
// not been looked at by the limits of what is decoded, and stays for the next.
const (
	maxWirePoints   = 1 << 16
	maxWireMessages = 1 << 13 // of resources, scopes and metrics each
	maxWireHeaders  = 1 << 18 // bytes
)

// wireScan takes a request apart as far as its points, which it does not look into. It
// is stricter than pdata: what no client writes is left to that.
type wireScan struct {
	request   []byte
	rest      []byte
	resources []wireMessage
	scopes    []wireMessage
	metrics   []wireMetric
	spans     []span // of points
}

// wireField is one field.
type wireField struct {
	number  int
	whole   span
	content span // of one that has a length
	length  bool
}

// next reads the field at the begin of a span, and makes that what comes behind.
func (s *wireScan) next(at *span) (f wireField, ok bool) {
	b := s.request[at.begin:at.end]
	tag, n := binary.Uvarint(b)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<10 {
		return f, false
	}
	f.number = int(tag >> 3)
	switch tag & 7 {
	case 0:
		_, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return f, false
		}
		n += m
	case 1:
		n += 8
	case 2:
		length, m := binary.Uvarint(b[n:])
		if m <= 0 || length > uint64(len(b)-n-m) {
			return f, false
		}
		n += m
		f.length, f.content = true, span{at.begin + n, at.begin + n + int(length)}
		n += int(length)
	case 5:
		n += 4
	default:
		return f, false
	}
	if n > len(b) {
		return f, false
	}
	f.whole = span{at.begin, at.begin + n}
	at.begin += n
	return f, true
}

// keep notes a field that is left as it is.
func (s *wireScan) keep(f wireField) {
	s.rest = append(s.rest, s.request[f.whole.begin:f.whole.end]...)
}

// scan takes a request apart, and returns false for one that is not usual.
func (s *wireScan) scan(request []byte) bool {
	s.request = request
	s.rest, s.spans = s.rest[:0], s.spans[:0]
	clear(s.metrics)
	s.resources, s.scopes, s.metrics = s.resources[:0], s.scopes[:0], s.metrics[:0]
	for at := (span{0, len(request)}); at.begin < at.end; {
		f, ok := s.next(&at)
		if !ok || f.number != fieldResourceMetrics || !f.length || !s.resource(f) {
			return false
		}
	}
	return true
}

// inner calls what for each field of a number in a message, and keeps the others, of
// which each may come once.
func (s *wireScan) inner(in wireField, number int, what func(*wireScan, wireField) bool) (rest span, ok bool) {
	// What lies in the message is read first, so that its own fields lie together.
	for at := in.content; at.begin < at.end; {
		f, ok := s.next(&at)
		if !ok || f.number == number && (!f.length || !what(s, f)) {
			return rest, false
		}
	}
	rest.begin = len(s.rest)
	seen := uint64(0)
	for at := in.content; at.begin < at.end; {
		f, _ := s.next(&at)
		if f.number == number {
			continue
		}
		bit := uint64(1) << f.number
		if f.number > fieldMetadata || !f.length || seen&bit != 0 {
			return rest, false
		}
		seen |= bit
		s.keep(f)
	}
	rest.end = len(s.rest)
	return rest, true
}

func (s *wireScan) resource(in wireField) bool {
	from := len(s.scopes)
	rest, ok := s.inner(in, fieldScopeMetrics, (*wireScan).scope)
	s.resources = append(s.resources, wireMessage{in.whole, rest, from, len(s.scopes)})
	return ok && len(s.resources) <= maxWireMessages && len(s.rest) <= maxWireHeaders
}

func (s *wireScan) scope(in wireField) bool {
	from := len(s.metrics)
	rest, ok := s.inner(in, fieldMetrics, (*wireScan).metric)
	s.scopes = append(s.scopes, wireMessage{in.whole, rest, from, len(s.metrics)})
	return ok && len(s.scopes) <= maxWireMessages
}

func (s *wireScan) metric(in wireField) bool {
	m := wireMetric{wireMessage: wireMessage{whole: in.whole, from: len(s.spans), to: len(s.spans)}}
	var data wireField
	m.rest.begin = len(s.rest)
	seen := uint64(0)
	for at := in.content; at.begin < at.end; {
		f, ok := s.next(&at)
		if !ok || !f.length {
			return false
		}
		switch f.number {
		case 1, 2, 3: // name, description, unit
			if seen&(1<<f.number) != 0 {
				return false
			}
			seen |= 1 << f.number
			s.keep(f)
		case fieldMetadata:
			s.keep(f)
		case fieldGauge, fieldSum, fieldHistogram, fieldExponential, fieldSummary:
			if m.data != 0 {
				return false
			}
			m.data, data = f.number, f
		default:
			return false
		}
	}
	m.rest.end = len(s.rest)
	m.dataRest.begin = len(s.rest)
	for at := data.content; at.begin < at.end; {
		f, ok := s.next(&at)
		switch {
		case !ok || f.number > 3:
			return false
		case f.number != fieldPoints:
			s.keep(f)
		case !f.length:
			return false
		case len(s.spans) == maxWirePoints:
			return false
		default:
			s.spans = append(s.spans, f.content)
		}
	}
	m.dataRest.end = len(s.rest)
	m.to = len(s.spans)
	s.metrics = append(s.metrics, m)
	return len(s.metrics) <= maxWireMessages && len(s.rest) <= maxWireHeaders
}

// of returns a part of what was kept.
func (s *wireScan) of(rest span) []byte { return s.rest[rest.begin:rest.end] }
