// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/tailstage"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/answer"
)

// indexing is how records find their spans by key. It is safe for concurrent use after
// Start.
type indexing struct {
	id    component.ID
	index correlation.Index // set by Start
	// lookups are the keys of records that belong to a span with the key, and anchors
	// those of records that stand for the span they were written in. The earlier rules
	// decide.
	lookups, anchors []ruleKeys
	traceIDs         bool // set by Start: the index knows whole trace ids
	tail             *tailstage.Stage
	hold             time.Duration
}

// newIndexing returns the indexing for settings that name an index.
func newIndexing(cfg *Config, packs []*conventions.Pack) (*indexing, error) {
	rules, err := correlation.LoadRules(cfg.Rules, packs, cfg.Scope)
	if err != nil {
		return nil, err
	}
	x := &indexing{id: *cfg.Index, hold: cfg.Hold}
	for _, rule := range rules {
		if len(rule.Logs) > 0 {
			x.lookups = append(x.lookups, newRuleKeys(rule, rule.Logs, nil))
		}
		if rule.From != nil && len(rule.From.Logs) > 0 {
			x.anchors = append(x.anchors, newRuleKeys(rule, rule.From.Logs, rule.From.Service))
		}
	}
	return x, nil
}

func (x *indexing) start(_ context.Context, host component.Host) error {
	index, err := correlation.Find(host, x.id)
	if err != nil {
		return err
	}
	x.index, x.traceIDs = index, index.TraceIDs()
	return nil
}

// inquiry is the requests about several records together. It belongs to one goroutine.
type inquiry struct {
	*indexing
	*tally
	audited bool // the records are those of a copy

	seed      uint64
	seeded    bool
	writer    correlation.Writer
	requests  []correlation.Request
	questions []question // one for each request

	subjects []subject
}

// question is what one request is for.
type question struct {
	rule      *ruleKeys // nil for a whole trace id
	traceOnly bool
	time      answer.Time // within which the span was written; zero: at any time
	answer    answer.Answer
}

// subject is a record that lacks ids.
type subject struct {
	resource   pcommon.Resource
	scope      pcommon.InstrumentationScope
	record     plog.LogRecord
	held       *held // nil for one of a batch
	half       bool  // it lacks only the upper half of its trace id
	bytes      int   // set if it is to be held
	first, end int   // its requests

	got     answer.Answer
	several bool // several traces have one of its keys
	waits   bool // an answer may come later
}

// forget removes the references to records.
func (q *inquiry) forget() {
	clear(q.subjects)
	q.subjects = q.subjects[:0]
}

// begin begins new requests.
func (q *inquiry) begin() {
	q.requests, q.questions = q.requests[:0], q.questions[:0]
	q.seed, q.seeded = q.index.Seed()
}

// add adds the requests about a record, and reports whether the record is now a subject.
func (q *inquiry) add(resource pcommon.Resource, scope pcommon.InstrumentationScope, record plog.LogRecord) bool {
	trace := record.TraceID()
	half := q.traceIDs && answer.IsHalf(trace) && !trace.IsEmpty()
	first := len(q.requests)
	switch {
	case trace.IsEmpty():
		q.addLookups(resource, record)
	case half:
		q.addRequest(correlation.Request{Key: q.writer.KeyOfTrace(trace, q.seed)}, question{})
	default:
		q.addAnchor(resource, record)
		return false
	}
	if len(q.requests) == first {
		return false
	}
	q.subjects = append(q.subjects, subject{resource: resource, scope: scope, record: record, half: half, first: first, end: len(q.requests)})
	return true
}

// addLookups asks for the spans with a record's keys.
func (q *inquiry) addLookups(resource pcommon.Resource, record plog.LogRecord) {
	for i := range q.lookups {
		r := &q.lookups[i]
		question := question{rule: r}
		if r.rule.SameProcess {
			if question.time = answer.TimeOf(record.Timestamp()); question.time == (answer.Time{}) {
				continue // a request of the same process can have had the same id before
			}
		}
		first := len(q.requests)
		q.eachKey(r, resource, record, func(k *logKey, key correlation.Key) {
			question.traceOnly = k.traceOnly
			q.addLookup(first, key, question)
		})
		if len(q.requests)-first > maxValues {
			q.requests, q.questions = q.requests[:first], q.questions[:first]
		}
	}
}

// maxValues is how many values of a key a record can have. One with more belongs to no single
// trace.
const maxValues = 64

// addLookup asks for a key, unless a rule's earlier requests have it: a record may have the same
// value in several places.
func (q *inquiry) addLookup(first int, key correlation.Key, of question) {
	if len(q.requests)-first > maxValues {
		return
	}
	for i := first; i < len(q.requests); i++ {
		if q.requests[i].Key == key {
			return
		}
	}
	q.addRequest(correlation.Request{Key: key, Limit: of.rule.rule.Limit()}, of)
}

// addAnchor adds a record with a key and both ids to the index, where it stands for its span.
func (q *inquiry) addAnchor(resource pcommon.Resource, record plog.LogRecord) {
	if len(q.anchors) == 0 || record.SpanID().IsEmpty() || record.TraceID().IsEmpty() {
		return
	}
	for i := range q.anchors {
		r := &q.anchors[i]
		q.eachKey(r, resource, record, func(_ *logKey, key correlation.Key) {
			q.addRequest(correlation.Request{Key: key, Op: correlation.Join, Member: memberOf(record), Limit: r.rule.Limit()}, question{rule: r})
		})
	}
}

// eachKey calls do for each key of a rule that a record has.
func (q *inquiry) eachKey(r *ruleKeys, resource pcommon.Resource, record plog.LogRecord, do func(*logKey, correlation.Key)) {
	if !r.isOf(resource) {
		return
	}
	for i := range r.places {
		k := &r.places[i]
		if k.attribute == "" {
			k.texts(record.Body().Str(), func(value string) {
				r.rule.BeginKey(&q.writer, record.Attributes(), resource.Attributes())
				if q.writer.AddText(value, r.normalise) && q.addProcess(r, resource, record) {
					do(k, q.writer.Key(q.seed))
				}
			})
		} else if value, ok := record.Attributes().Get(k.attribute); ok {
			r.rule.BeginKey(&q.writer, record.Attributes(), resource.Attributes())
			if q.writer.AddValue(value, r.normalise) && q.addProcess(r, resource, record) {
				do(k, q.writer.Key(q.seed))
			}
		}
	}
}

// addProcess adds the process of a record to a key that has it, and reports whether it is known.
func (q *inquiry) addProcess(r *ruleKeys, resource pcommon.Resource, record plog.LogRecord) bool {
	return !r.rule.SameProcess || q.writer.AddInstance(resource.Attributes()) ||
		q.writer.AddProcess(record.Attributes(), resource.Attributes())
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

func (q *inquiry) addRequest(request correlation.Request, of question) {
	q.requests = append(q.requests, request)
	q.questions = append(q.questions, of)
}

// ask makes the requests. What the index does not answer stays unanswered.
func (q *inquiry) ask(ctx context.Context) (ok bool) {
	if len(q.requests) == 0 {
		return true
	}
	if !q.seeded || q.index.Do(ctx, q.requests, q.note) != nil {
		q.failures++
		return false
	}
	return true
}

// note records the result of a request, which is valid only now.
func (q *inquiry) note(i int, r correlation.Result) {
	of := &q.questions[i]
	switch {
	case q.requests[i].Op == correlation.Join:
		q.joined++
	case r.Poisoned:
		of.answer.Kind = answer.Nothing
	case of.rule == nil:
		of.answer = answer.WholeTrace(r.Members)
	default:
		of.answer = answer.SpanOf(r.Members, of.traceOnly, of.time)
	}
}

// decide gives a subject's record the ids of the first rule that has some. All values that a rule
// finds in a record have to lead to one trace.
func (q *inquiry) decide(s *subject) {
	for i := s.first; i < s.end; {
		a, rule := q.questions[i].answer, q.questions[i].rule
		for i++; i < s.end && q.questions[i].rule == rule; i++ {
			a = a.And(q.questions[i].answer)
		}
		switch a.Kind {
		case answer.Found:
			s.got, s.waits = a, false
			if s.half {
				q.resolved++
			} else {
				q.enriched[tracecontext.SourceIndex]++
			}
			shown := q.show(s)
			giveIDs(s.record, a)
			shown.DoneIfChanged(q.audited)
			return
		case answer.Several:
			s.several = true
		case answer.Unanswered, answer.Nobody:
			s.waits = true
		}
	}
}

// show begins to show a record that gets its ids, if somebody watches its service.
func (q *inquiry) show(s *subject) *tailstage.Shown {
	if !q.tail.Watched() {
		return nil
	}
	return q.tail.BeginOne(s.resource, s.scope, tailstage.Log(s.resource, s.record))
}

// joinSubjects adds the subjects that now have both ids to the index.
func (q *inquiry) joinSubjects(ctx context.Context) {
	q.begin()
	for i := range q.subjects {
		if s := &q.subjects[i]; !s.waits {
			q.addAnchor(s.resource, s.record)
		}
	}
	q.ask(ctx)
}

// giveIDs gives a record the ids of a span that was found.
func giveIDs(record plog.LogRecord, a answer.Answer) {
	half := !record.TraceID().IsEmpty()
	record.SetTraceID(a.Trace)
	if half {
		return // the span is its own
	}
	record.SetSpanID(a.Span)
	if record.Flags()&flagBits == 0 {
		record.SetFlags(record.Flags() | plog.LogRecordFlags(a.Flags))
	}
}
