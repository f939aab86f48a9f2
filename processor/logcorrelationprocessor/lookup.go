// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/keylookup"
)

// keyIndex is the index of spans by key, with the rules for the keys of records. It is safe for
// concurrent use.
type keyIndex struct {
	correlation.Index
	// readers are the keys of records that belong to a span with the key. witnesses are the keys of
	// records that stand for the span they were written in. The earlier rules decide.
	readers, witnesses []keylookup.Rule
	// stating are the keys in attributes of lines that state their trace, and so where its process writes.
	stating []keylookup.Rule
}

// newKeyIndex returns the index that the settings name.
func newKeyIndex(host component.Host, cfg *Config, packs []*conventions.Pack) (*keyIndex, error) {
	rules, err := correlation.LoadRules(cfg.Rules, packs, cfg.Scope)
	if err != nil {
		return nil, err
	}
	index, err := correlation.Find(host, *cfg.Index)
	if err != nil {
		return nil, err
	}
	x := &keyIndex{Index: index}
	for _, rule := range rules {
		if len(rule.Logs) > 0 {
			x.readers = append(x.readers, keylookup.NewRule(rule, rule.Logs, nil))
			if attributes := attributesOf(rule); rule.SameProcess && len(attributes) > 0 {
				x.stating = append(x.stating, keylookup.NewRule(rule, attributes, nil))
			}
		}
		if rule.From != nil && len(rule.From.Logs) > 0 {
			x.witnesses = append(x.witnesses, keylookup.NewRule(rule, rule.From.Logs, rule.From.Service))
		}
	}
	return x, nil
}

// attributesOf returns the places of a rule's key in attributes, which take no search.
func attributesOf(rule *correlation.Rule) (all []linking.LogKey) {
	for _, key := range rule.Logs {
		if key.Attribute != "" {
			all = append(all, key)
		}
	}
	return all
}

// lookup is the requests about several records together. It belongs to one goroutine.
type lookup struct {
	index *keyIndex
	tally *tally

	last bool // the records wait no longer

	resource pcommon.Resource
	readers  []*keylookup.Rule // for its records
	owners   int               // how many of them are of packs that own it

	writer    correlation.Writer
	requests  []correlation.Request
	questions []question // one for each request
	records   []unresolved
	splits    map[correlation.Key]int               // the requests whether requests are split
	seen      map[correlation.Key]correlation.Split // what members show, and the index does not know
	threads   map[pcommon.TraceID][]correlation.Process
}

func newLookup(index *keyIndex, tally *tally) *lookup {
	return &lookup{
		index: index, tally: tally, writer: correlation.Writer{HashKey: index.HashKey()},
		splits: map[correlation.Key]int{}, seen: map[correlation.Key]correlation.Split{},
		threads: map[pcommon.TraceID][]correlation.Process{},
	}
}

// question is what one request is for.
type question struct {
	rule      *keylookup.Rule // nil for a whole trace id
	shortened bool            // the record may mean the whole value, about which there is a question before
	line      keylookup.Line
	answer    keylookup.Answer

	// Of a rule about single processes.
	asks    int                  // the question whether requests are split
	isSplit bool                 // this is such a question
	unused  bool                 // nobody needs the answer
	split   correlation.Split    // its answer
	members []correlation.Member // of the key, with the record's own

	candidates keylookup.Candidates // by the members
}

// unresolved is a record that lacks ids.
type unresolved struct {
	resource   pcommon.Resource
	record     plog.LogRecord
	half       bool // it lacks only the upper half of its trace id
	first, end int  // its requests

	found   bool
	several bool            // several traces have one of its keys
	waits   bool            // an answer may come later
	by      *keylookup.Rule // by whose key it shows where the process of its trace writes
	why     why             // it has no ids so far
}

// forget removes the references to records.
func (l *lookup) forget() {
	clear(l.records)
	l.records = l.records[:0]
	l.resource = pcommon.Resource{}
}

// begin begins new requests.
func (l *lookup) begin() {
	l.requests, l.questions = l.requests[:0], l.questions[:0]
	clear(l.splits)
	clear(l.threads)
}

// add adds the requests about a record, and reports whether the record is now an unresolved one.
func (l *lookup) add(resource pcommon.Resource, record plog.LogRecord) bool {
	trace := record.TraceID()
	half := !trace.IsEmpty() && keylookup.IsHalf(trace) && l.index.TraceIDs()
	first := len(l.requests)
	switch {
	case trace.IsEmpty():
		l.addKeys(resource, record)
	case half:
		l.addRequest(correlation.Request{Key: l.writer.KeyOfTrace(trace)}, question{})
	default:
		l.addWitness(resource, record)
		l.addStating(resource, record)
		return false
	}
	if len(l.requests) == first {
		return false
	}
	l.records = append(l.records, unresolved{resource: resource, record: record, half: half, first: first, end: len(l.requests)})
	return true
}

// maxValues is how many values of a key a record can have. One with more belongs to no single
// trace.
const maxValues = 64

// addKeys asks for the spans with a record's keys.
func (l *lookup) addKeys(resource pcommon.Resource, record plog.LogRecord) {
	var claimed *conventions.Pack
	for i, rule := range l.readersOf(resource) {
		if rule.SameProcess && claimed != nil && rule.Pack != claimed {
			continue // one process does not serve two systems
		}
		question := question{rule: rule, line: keylookup.Line{Last: l.last}}
		if rule.SameProcess {
			if question.line.Written = keylookup.TimeOf(record.Timestamp()); question.line.Written == (keylookup.Time{}) {
				continue // a request of the same process can have had the same id before
			}
		}
		first := len(l.requests)
		l.eachKey(rule, resource, record, func(place *keylookup.Place, key correlation.Key) {
			question.line.TraceOnly, question.shortened = place.TraceOnly, place.Normalise.RandomSuffix > 0
			if len(l.requests)-first > maxValues || l.asks(first, key) {
				return
			}
			if rule.SameProcess && len(l.requests) == first {
				question.line.Process = rule.ProcessOf(&l.writer, record.Attributes(), resource.Attributes())
				question.asks = l.askSplit(rule, resource, record)
			}
			request := correlation.Request{Key: key, Limit: rule.Limit()}
			if question.line.Process.HasFile() {
				request.Op, request.Member = correlation.Join, correlation.Sighting(question.line.Process, record.Timestamp())
			}
			l.addRequest(request, question)
		})
		if len(l.requests)-first > maxValues {
			l.requests, l.questions = l.requests[:first], l.questions[:first]
			clear(l.splits)
		}
		if rule.SameProcess && i < l.owners && len(l.requests) > first {
			claimed = rule.Pack
		}
	}
}

// readersOf returns the rules for the records of a resource: first those of the packs that own it.
func (l *lookup) readersOf(resource pcommon.Resource) []*keylookup.Rule {
	if l.resource == resource {
		return l.readers
	}
	l.resource, l.readers = resource, l.readers[:0]
	for _, owns := range [...]bool{true, false} {
		for i := range l.index.readers {
			if rule := &l.index.readers[i]; rule.Owns(resource.Attributes()) == owns {
				l.readers = append(l.readers, rule)
			}
		}
		if owns {
			l.owners = len(l.readers)
		}
	}
	return l.readers
}

// askSplit returns the question whether the requests of a record's scope are split.
func (l *lookup) askSplit(rule *keylookup.Rule, resource pcommon.Resource, record plog.LogRecord) int {
	rule.BeginSplit(&l.writer, record.Attributes(), resource.Attributes())
	key := l.writer.Key()
	i, ok := l.splits[key]
	if !ok {
		i = len(l.requests)
		l.splits[key] = i
		l.addRequest(correlation.Request{Key: key}, question{isSplit: true})
	}
	return i
}

// asks reports whether there is a request for a key from the first on: a record may have the
// same value in several places.
func (l *lookup) asks(first int, key correlation.Key) bool {
	for i := first; i < len(l.requests); i++ {
		if l.requests[i].Key == key {
			return true
		}
	}
	return false
}

// addWitness adds a record with a key and both ids to the index, where it stands for its span.
func (l *lookup) addWitness(resource pcommon.Resource, record plog.LogRecord) {
	if record.SpanID().IsEmpty() || record.TraceID().IsEmpty() {
		return
	}
	for i := range l.index.witnesses {
		rule := &l.index.witnesses[i]
		l.eachKey(rule, resource, record, func(_ *keylookup.Place, key correlation.Key) {
			l.addRequest(correlation.Request{Key: key, Op: correlation.Join, Member: memberOf(record), Limit: rule.Limit()}, question{})
		})
	}
}

// addStating adds the lines of files that state a key and their trace.
func (l *lookup) addStating(resource pcommon.Resource, record plog.LogRecord) {
	if _, ok := record.Attributes().Get(correlation.FilePathKey); !ok {
		return
	}
	for i := range l.index.stating {
		l.addLine(&l.index.stating[i], resource, record)
	}
}

// addLine adds a line to the index, where it shows where a process of its trace writes.
func (l *lookup) addLine(rule *keylookup.Rule, resource pcommon.Resource, record plog.LogRecord) {
	var process correlation.Process
	l.eachKey(rule, resource, record, func(_ *keylookup.Place, key correlation.Key) {
		if process == "" {
			process = rule.ProcessOf(&l.writer, record.Attributes(), resource.Attributes())
		}
		member := correlation.Witness(record.TraceID(), process, record.Timestamp())
		l.addRequest(correlation.Request{Key: key, Op: correlation.Join, Member: member, Limit: rule.Limit()}, question{unused: true})
	})
}

// eachKey calls do for each key of a rule that a record has.
func (l *lookup) eachKey(rule *keylookup.Rule, resource pcommon.Resource, record plog.LogRecord, do func(*keylookup.Place, correlation.Key)) {
	if !rule.Selects(resource.Attributes()) {
		return
	}
	for i := range rule.Places {
		place := &rule.Places[i]
		use := func(add func() bool) {
			rule.BeginKey(&l.writer, record.Attributes(), resource.Attributes())
			if add() {
				do(place, l.writer.Key())
			}
		}
		if place.Attribute == "" {
			place.Values(record.Body().Str(), func(value string) {
				use(func() bool { return l.writer.AddText(value, place.Normalise) })
			})
		} else if value, ok := record.Attributes().Get(place.Attribute); ok {
			use(func() bool { return l.writer.AddValue(value, place.Normalise) })
		}
	}
}

func memberOf(record plog.LogRecord) correlation.Member {
	written := record.Timestamp()
	if written == 0 {
		written = record.ObservedTimestamp()
	}
	if written == 0 {
		written = pcommon.NewTimestampFromTime(time.Now())
	}
	return correlation.Member{
		TraceID: record.TraceID(), SpanID: record.SpanID(),
		Start: written, End: written, Stages: 1, // the first
		Flags: uint8(record.Flags() & flagBits),
		Log:   true,
	}
}

func (l *lookup) addRequest(request correlation.Request, about question) {
	l.requests = append(l.requests, request)
	l.questions = append(l.questions, about)
}

// run makes the requests, and gives the records the ids that the index knows. Without an answer
// they stay as they are, and the requests count as failed.
func (l *lookup) run(ctx context.Context) (ok bool) {
	ok = l.ask(ctx) && l.askThreads(ctx)
	for i := range l.questions {
		if about := &l.questions[i]; ok && about.members != nil {
			l.see(about, about.candidates.SplitOfThreads(l.threads))
			about.answer = about.line.SpanOf(about.candidates, l.threads, about.split)
			if about.answer.Kind == keylookup.Found && l.last && !about.split.Is() {
				l.see(about, correlation.Whole)
			}
		}
	}
	for i := range l.records {
		l.decide(&l.records[i])
	}
	return ok
}

// join adds to the index the records that do not wait, and now have their ids, and what was seen of split requests.
func (l *lookup) join(ctx context.Context) {
	l.begin()
	for i := range l.records {
		if r := &l.records[i]; !r.waits {
			l.addWitness(r.resource, r.record)
			if r.half {
				l.addStating(r.resource, r.record)
			} else if r.by != nil {
				l.addLine(r.by, r.resource, r.record)
			}
		}
	}
	for key, split := range l.seen {
		l.addRequest(split.Request(key, l.index.Window()), question{unused: true})
	}
	clear(l.seen)
	l.ask(ctx)
}

func (l *lookup) ask(ctx context.Context) (ok bool) { return l.do(ctx, l.requests, l.note) }

func (l *lookup) do(ctx context.Context, requests []correlation.Request, note func(int, correlation.Result)) (ok bool) {
	if len(requests) == 0 {
		return true
	}
	if l.index.Do(ctx, requests, note) != nil {
		l.tally.failures++
		return false
	}
	return true
}

// askThreads asks what the threads of traces state, where the process of a record decides between them.
func (l *lookup) askThreads(ctx context.Context) (ok bool) {
	var requests []correlation.Request
	var traces []pcommon.TraceID
	for i := range l.questions {
		about := &l.questions[i]
		if about.members == nil {
			continue
		}
		l.see(about, l.questions[about.asks].split|correlation.SplitIn(about.members)|correlation.SplitFrom(about.line.Process, about.members))
		about.candidates = about.line.Candidates(about.members)
		if about.rule.Threads == nil || !about.line.Process.HasThread() || !about.split.Is() && len(about.candidates) < 2 && !about.line.Waits(about.split) {
			continue
		}
		for _, trace := range about.candidates.Traces() {
			if _, asked := l.threads[trace]; !asked {
				l.threads[trace] = nil
				traces = append(traces, trace)
				requests = append(requests, correlation.Request{Key: l.writer.KeyOfThreads(trace)})
			}
		}
	}
	return l.do(ctx, requests, func(i int, result correlation.Result) {
		for _, m := range result.Members {
			l.threads[traces[i]] = append(l.threads[traces[i]], correlation.Process(strings.Clone(m.TraceState)))
		}
	})
}

// see adds what the index, or the members of a question's key, show of split requests.
func (l *lookup) see(about *question, split correlation.Split) {
	about.split |= split
	asked := about.asks
	if about.split&^l.questions[asked].split != 0 {
		l.seen[l.requests[asked].Key] |= about.split
	}
}

// note records the result of a request, which is valid only now.
func (l *lookup) note(i int, result correlation.Result) {
	about := &l.questions[i]
	switch {
	case about.unused:
	case about.isSplit:
		about.split = correlation.SplitOf(result)
	case about.rule == nil && l.requests[i].Op == correlation.Join:
		l.tally.joined++
	case result.Poisoned:
		about.answer.Kind = keylookup.Nothing
	case about.rule == nil:
		about.answer = keylookup.WholeTrace(result.Members)
	case about.rule.SameProcess:
		about.members = make([]correlation.Member, 0, len(result.Members)) // not nil
		for _, m := range result.Members {
			m.TraceState = strings.Clone(m.TraceState)
			about.members = append(about.members, m)
		}
	default:
		about.answer = keylookup.SpanOf(result.Members, about.line.TraceOnly, about.line.Written)
	}
}

// decide gives a record the ids of the first rule that has some. All values that a rule finds in
// a record have to lead to one trace, and so do all that it shortened, if the others lead to none.
func (l *lookup) decide(r *unresolved) {
	r.why = noSpan
	for i := r.first; i < r.end; {
		if l.questions[i].isSplit {
			i++
			continue
		}
		answer, rule, process := l.questions[i].answer, l.questions[i].rule, l.questions[i].line.Process
		shortened := l.questions[i].shortened
		for i++; i < r.end && l.questions[i].rule == rule && l.questions[i].shortened == shortened; i++ {
			answer = answer.And(l.questions[i].answer)
		}
		switch answer.Kind {
		case keylookup.Found:
			if shortened && r.waits && !l.last {
				break // a span with the whole value may come
			}
			r.found, r.waits = true, false
			if answer.By.IsCertain() {
				r.by = rule
			}
			l.apply(r, answer)
			return
		case keylookup.Several:
			r.several, r.why = true, severalTraces
		case keylookup.NoProcess:
			r.why = noProcess
			r.waits = r.waits || process != "" // the span of its own process may come
		case keylookup.Unanswered:
			r.waits, r.why = true, unanswered
		case keylookup.Nobody:
			r.waits = true
		}
	}
}

// apply gives a record the ids of a span that was found.
func (l *lookup) apply(r *unresolved, answer keylookup.Answer) {
	r.record.SetTraceID(answer.Trace)
	if r.half {
		l.tally.resolved++ // the span is its own
	} else {
		l.tally.enriched[tracecontext.SourceIndex]++
		l.tally.of(r.resource).found(answer.By)
		r.record.SetSpanID(answer.Span)
		if r.record.Flags()&flagBits == 0 {
			r.record.SetFlags(r.record.Flags() | plog.LogRecordFlags(answer.Flags))
		}
	}
}
