package logcorrelationprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// inquiry is what the index is asked about several records together. It belongs to one
// goroutine.
type inquiry struct {
	*indexing
	*tally

	seed      uint64
	seeded    bool
	writer    correlation.Writer
	begins    []int // of the values in a body
	visits    []correlation.Visit
	questions []question // the visits' in their order
	note      func(int, correlation.Result)

	subjects []subject
}

// question is what one visit is for.
type question struct {
	traceOnly bool
	wholeID   bool // of a trace
	answer    answer
}

// subject is a record that lacks ids.
type subject struct {
	resource   pcommon.Resource
	record     plog.LogRecord
	held       *held // nil for one of a batch
	half       bool  // it lacks only the upper half of its trace id
	bytes      int   // set if it is to be held
	first, end int   // its visits

	got     answer
	several bool // traces have one of its keys
	waits   bool // an answer may come later
}

func newInquiry(x *indexing, t *tally) *inquiry {
	q := &inquiry{indexing: x, tally: t}
	q.begins = make([]int, max(len(x.looks.keys), len(x.witnesses.keys)))
	q.note = q.noted // made once, so that no batch allocates one
	return q
}

// forget lets go of the data that was asked about.
func (q *inquiry) forget() {
	clear(q.subjects)
	q.subjects = q.subjects[:0]
}

// begin begins new visits.
func (q *inquiry) begin() {
	q.visits, q.questions = q.visits[:0], q.questions[:0]
	q.seed, q.seeded = q.index.Seed()
}

// add asks about a record what there is to ask, and tells whether it is now a subject.
func (q *inquiry) add(resource pcommon.Resource, record plog.LogRecord) bool {
	trace := record.TraceID()
	half := q.traceIDs && isHalf(trace) && !trace.IsEmpty()
	first := len(q.visits)
	switch {
	case trace.IsEmpty():
		q.addLooks(resource, record)
	case half:
		q.addVisit(correlation.Visit{Key: q.writer.KeyOfTrace(trace, q.seed)}, question{wholeID: true})
	default:
		q.addWitness(resource, record)
		return false
	}
	if len(q.visits) == first {
		return false
	}
	q.subjects = append(q.subjects, subject{resource: resource, record: record, half: half, first: first, end: len(q.visits)})
	return true
}

// addLooks asks who has one of a record's keys.
func (q *inquiry) addLooks(resource pcommon.Resource, record plog.LogRecord) {
	var last correlation.Key
	q.eachKey(&q.looks, resource, record, func(k *logKey, key correlation.Key) {
		// A record may have the same value in two places.
		if key != last {
			q.addVisit(correlation.Visit{Key: key, Limit: k.rule.Limit()}, question{traceOnly: k.traceOnly})
			last = key
		}
	})
}

// addWitness has a record with a key and both ids stand for its span.
func (q *inquiry) addWitness(resource pcommon.Resource, record plog.LogRecord) {
	if len(q.witnesses.keys) == 0 || record.SpanID().IsEmpty() || record.TraceID().IsEmpty() {
		return
	}
	q.eachKey(&q.witnesses, resource, record, func(k *logKey, key correlation.Key) {
		q.addVisit(correlation.Visit{Key: key, Op: correlation.Join, Member: memberOf(record), Limit: k.rule.Limit()}, question{})
	})
}

// eachKey visits the keys that a record has.
func (q *inquiry) eachKey(set *logKeySet, resource pcommon.Resource, record plog.LogRecord, visit func(*logKey, correlation.Key)) {
	text := ""
	if body := record.Body(); body.Type() == pcommon.ValueTypeStr {
		text = body.Str()
	}
	inBody := set.bodies.find(text, q.begins)
	for i := range set.keys {
		k, begin := &set.keys[i], 0
		if inBody {
			begin = q.begins[i]
		}
		if k.write(&q.writer, resource, record, text, begin) {
			visit(k, q.writer.Key(q.seed))
		}
	}
}

func memberOf(record plog.LogRecord) correlation.Member {
	at := record.Timestamp()
	if at == 0 {
		at = record.ObservedTimestamp()
	}
	if at == 0 {
		at = pcommon.NewTimestampFromTime(time.Now())
	}
	return correlation.Member{
		TraceID: record.TraceID(), SpanID: record.SpanID(),
		Start: at, End: at, Stages: 1, // the first
		Flags: uint8(record.Flags() & flagBits),
		Log:   true,
	}
}

func (q *inquiry) addVisit(visit correlation.Visit, of question) {
	q.visits = append(q.visits, visit)
	q.questions = append(q.questions, of)
}

// ask makes the visits. What the index does not answer stays unanswered.
func (q *inquiry) ask(ctx context.Context) (ok bool) {
	if len(q.visits) == 0 {
		return true
	}
	if !q.seeded || q.index.Visit(ctx, q.visits, q.note) != nil {
		q.failures++
		return false
	}
	return true
}

// noted notes what a visit found, which is valid only now.
func (q *inquiry) noted(i int, r correlation.Result) {
	of := &q.questions[i]
	switch {
	case q.visits[i].Op == correlation.Join:
		q.joined++
	case r.Poisoned:
		of.answer.kind = nothing
	case of.wholeID:
		of.answer = wholeTrace(r.Members)
	default:
		of.answer = spanOf(r.Members, of.traceOnly)
	}
}

// decide takes the first of a subject's answers that gives something, and gives the ids
// to the record.
func (q *inquiry) decide(s *subject) {
	for i := s.first; i < s.end; i++ {
		switch a := q.questions[i].answer; a.kind {
		case found:
			s.got, s.waits = a, false
			if s.half {
				q.resolved++
			} else {
				q.enriched[tracecontext.SourceIndex]++
			}
			a.giveIDs(s.record)
			return
		case several:
			s.several = true
		case unanswered, nobody:
			s.waits = true
		}
	}
}

// joinSubjects has those subjects be witnesses that have both ids by now.
func (q *inquiry) joinSubjects(ctx context.Context) {
	q.begin()
	for i := range q.subjects {
		if s := &q.subjects[i]; !s.waits {
			q.addWitness(s.resource, s.record)
		}
	}
	q.ask(ctx)
}
