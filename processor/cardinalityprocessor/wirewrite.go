package cardinalityprocessor

import "encoding/binary"

// wireMark marks points that were folded: the processor passes them. With it go bits of
// their family's identity, which no sender knows.
const wireMark = 1 << 31

// markOf is the mark of a family's points, in the flags that OTLP has not given away.
func markOf(id identity) uint32 { return wireMark | uint32(id.hi)<<1&^wireMark }

// write writes the request without the points that do not go out, and without what is
// emptied by that.
func (s *wireFold) write() {
	s.out.bytes = s.out.bytes[:0]
	for i := range s.resources {
		s.writeResource(&s.resources[i])
	}
}

func (s *wireFold) whole(m *wireMessage) { s.out.raw(s.request[m.whole.begin:m.whole.end]) }

func (s *wireFold) writeResource(rm *wireMessage) {
	begin := s.out.open(fieldResourceMetrics)
	s.out.raw(s.of(rm.rest))
	left := 0
	for i := rm.from; i < rm.to; i++ {
		if s.writeScope(&s.scopes[i]) {
			left++
		}
	}
	if emptied(rm.to-rm.from, left) {
		s.out.undo(begin)
		return
	}
	s.out.close(begin)
}

// writeScope tells whether it was written.
func (s *wireFold) writeScope(sm *wireMessage) bool {
	begin := s.out.open(fieldScopeMetrics)
	s.out.raw(s.of(sm.rest))
	left := 0
	for i := sm.from; i < sm.to; i++ {
		m := &s.metrics[i]
		if !m.folded {
			s.whole(&m.wireMessage)
		} else if !s.writeMetric(m) {
			continue
		}
		left++
	}
	if emptied(sm.to-sm.from, left) {
		s.out.undo(begin)
		return false
	}
	s.out.close(begin)
	return true
}

// writeMetric tells whether it was written.
func (s *wireFold) writeMetric(m *wireMetric) bool {
	begin := s.out.open(fieldMetrics)
	s.out.raw(s.of(m.rest))
	data := s.out.open(m.data)
	s.out.raw(s.of(m.dataRest))
	left, mark := 0, markOf(m.plan.id)
	for i := m.points.begin; i < m.points.end; i++ {
		if p := &s.points[i]; !p.gone {
			s.out.point(p, mark)
			left++
		}
	}
	for _, p := range m.ends {
		if !p.gone {
			s.out.point(p, mark)
			left++
		}
	}
	if left == 0 {
		s.out.undo(begin)
		return false
	}
	s.out.close(data)
	s.out.close(begin)
	return true
}

// overflowAttribute is the attribute of overflow series, encoded.
var overflowAttribute = func() []byte {
	var w wireWriter
	w.raw(append([]byte{tagKey, byte(len(overflowKey))}, overflowKey...))
	w.raw([]byte{tagValue, 2, tagBool, 1})
	return append([]byte{tagAttribute, byte(len(w.bytes))}, w.bytes...)
}()

// point writes a point and its mark. One that was not merged is written as it came.
func (w *wireWriter) point(p *wirePoint, mark uint32) {
	begin := w.open(fieldPoints)
	switch {
	case !p.merged:
		w.raw(p.raw)
	case p.overflow:
		w.raw(overflowAttribute)
		w.number(p)
	default:
		w.attributes(p)
		w.number(p)
	}
	w.bytes = binary.AppendUvarint(append(w.bytes, tagFlags), uint64(mark|uint32(p.flags)))
	w.close(begin)
}

// number writes what a point measured, and when.
func (w *wireWriter) number(p *wirePoint) {
	w.fixed(tagStart, uint64(p.start))
	w.fixed(tagTime, uint64(p.time))
	tag := byte(tagInt)
	if p.value.Double {
		tag = tagDouble
	}
	w.fixed(tag, p.value.Bits)
}

// attributes writes those that stay.
func (w *wireWriter) attributes(p *wirePoint) {
	i := 0
	for b := p.raw; len(b) > 0; {
		switch b[0] {
		case tagAttribute:
			length, n := short(b[1:])
			if !p.shape.keys[i].dropped {
				w.raw(b[:1+n+length])
			}
			i++
			b = b[1+n+length:]
		case tagFlags:
			b = b[2:]
		default:
			b = b[9:]
		}
	}
}
