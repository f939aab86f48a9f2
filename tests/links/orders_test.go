// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// stageOf describes one stage of a shipped rule: a span, or a log that stands for one.
type stageOf struct {
	name, scope string
	kind        ptrace.SpanKind
	attributes  map[string]string // %s is the key
	log         string
}

// shippedPairs are the two stages of rules that packs have.
var shippedPairs = map[string][2]stageOf{
	"tensorcast.transport": {
		{name: "GlobalStore/RequestReplicaTransport", kind: ptrace.SpanKindServer, attributes: map[string]string{"tc.transport.id": "%s"}},
		{name: "StoreDaemon/BeginReplicaFetch", kind: ptrace.SpanKindServer, attributes: map[string]string{"tc.transport.id": "%s"}},
	},
	"fastdeploy.request": {
		{name: "POST /v1/chat/completions (Req: cmpl-%s)", kind: ptrace.SpanKindServer, attributes: map[string]string{"rid": "cmpl-%s"}},
		{name: "POST /v1/chat/completions (Req: cmpl-%s)", kind: ptrace.SpanKindServer, attributes: map[string]string{"rid": "%s_0"}},
	},
	"vllm.gateway": {
		{name: "POST", kind: ptrace.SpanKindServer, attributes: map[string]string{"http.request.header.x-request-id": "%s"}},
		{name: "llm_request", scope: "vllm.llm_engine", kind: ptrace.SpanKindServer, attributes: map[string]string{"gen_ai.request.id": "chatcmpl-%s"}},
	},
	"tuft.session": {
		{name: "training_controller.create_model", attributes: map[string]string{"tuft.session_id": "%s"}},
		{name: "sampling_controller.create_sampling_session", attributes: map[string]string{"tuft.session_id": "%s"}},
	},
	"tuft.request": {
		{log: "Future enqueued: %s"},
		{name: "future_store.execute_operation", attributes: map[string]string{"tuft.request_id": "%s"}},
	},
}

// orders are the orders in which the two stages of a pair arrive.
const (
	earlierFirst = iota
	laterFirst
	togetherEarlierFirst
	togetherLaterFirst
	laterFirstByHalfOfHold
	atTwoGateways
	atTwoGatewaysLaterFirst
	orderCount
)

// 500 pairs of shipped rules in seven orders of arrival, at two gateways: all are linked, once, and the later stage has the
// link.
func TestLaterStageHasTheLink(t *testing.T) {
	t.Parallel()
	const pairs, halfOfHold = 500, 3 * time.Second
	redis := servers.StartRedis(t, "--port")
	backend := collectortest.Start(t, collectortest.Options{Configs: []string{collectortest.PlainBackend}})
	s := &orderedPairs{t: t}
	for i := range s.gateways {
		s.gateways[i] = collectortest.Start(t, collectortest.Options{
			Configs: []string{"builtin:gateway", fmt.Sprintf("yaml:{extensions: {correlation_index: {redis: {%s}}}}", patient)},
			Env: map[string]string{
				"OTELCOL_TC_BACKEND": "http://" + backend.HTTP, "OTELCOL_TC_STATE": t.TempDir(),
				"OTELCOL_TC_INDEX": "redis", "OTELCOL_TC_REDIS_ENDPOINT": redis.Address,
			},
		})
		awaitRedis(t, s.gateways[i])
	}
	var rules []string
	for rule := range shippedPairs {
		rules = append(rules, rule)
	}
	work := make(chan int)
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			for n := range work {
				s.send(n, rules[rand.IntN(len(rules))], n%orderCount, halfOfHold)
			}
		})
	}
	for n := range pairs {
		work <- n
	}
	close(work)
	senders.Wait()
	s.late.Wait()

	collectortest.AwaitSpans(t, backend, s.spans)
	links := map[edge][]judge.Link{}
	for _, link := range allDerivedLinks(backend.Traces(t)) {
		links[edge{link.Earlier, link.Later}] = append(links[edge{link.Earlier, link.Later}], link)
	}
	byOrder := map[int]int{}
	for _, p := range s.pairs {
		found := links[p.edge]
		if assert.Len(t, found, 1, "%s, order %d", p.rule, p.order) && assert.False(t, found[0].Forward, "%s, order %d", p.rule, p.order) {
			assert.Equal(t, p.rule, found[0].Rule)
			byOrder[p.order]++
		}
		delete(links, p.edge)
	}
	assert.Empty(t, links, "links of no pair")
	t.Logf("linked back, by order: %v", byOrder)
}

// orderedPairs sends pairs.
type orderedPairs struct {
	t        *testing.T
	gateways [2]*collectortest.Collector
	late     sync.WaitGroup

	mu    sync.Mutex
	pairs []orderedPair
	spans int
}

type orderedPair struct {
	edge
	rule  string
	order int
}

// send sends the nth pair.
func (s *orderedPairs) send(n int, rule string, order int, late time.Duration) {
	key := fmt.Sprintf("%08x-%04x-4b3e-8a2f-3d5c7e9b1f%02x", rand.Uint32(), n, rand.IntN(256))
	stages := shippedPairs[rule]
	earlier, from := stages[0].request(key, time.Now().Add(-time.Second))
	later, to := stages[1].request(key, time.Now())
	s.mu.Lock()
	s.pairs = append(s.pairs, orderedPair{edge{from, to}, rule, order})
	s.spans += spansIn(earlier) + spansIn(later)
	s.mu.Unlock()
	first := s.gateways[0]
	second := first
	switch order {
	case togetherEarlierFirst, togetherLaterFirst:
		a, both := earlier.(ptrace.Traces)
		b := later.(ptrace.Traces)
		if !both {
			break // a log and a span
		}
		if order == togetherLaterFirst {
			a, b = b, a
		}
		b.ResourceSpans().MoveAndAppendTo(a.ResourceSpans())
		s.post(first, a)
		return
	case laterFirstByHalfOfHold:
		s.post(first, later)
		s.late.Go(func() {
			time.Sleep(late)
			s.post(first, earlier)
		})
		return
	case atTwoGateways, atTwoGatewaysLaterFirst:
		second = s.gateways[1]
	}
	if order == laterFirst || order == togetherLaterFirst || order == atTwoGatewaysLaterFirst {
		earlier, later = later, earlier
	}
	s.post(first, earlier)
	s.post(second, later)
}

// request returns a request with the stage's span or log, and the span.
func (s *stageOf) request(key string, start time.Time) (any, scenario.SpanRef) {
	ref := payload.NewSpanRef()
	if s.log != "" {
		logs := plog.NewLogs()
		record := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		record.Body().SetStr(fmt.Sprintf(s.log, key))
		record.SetTimestamp(pcommon.NewTimestampFromTime(start))
		record.SetTraceID(ref.TraceID)
		record.SetSpanID(ref.SpanID)
		return logs, ref
	}
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "server")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(s.scope)
	span := ss.Spans().AppendEmpty()
	span.SetName(withKey(s.name, key))
	span.SetKind(s.kind)
	span.SetTraceID(ref.TraceID)
	span.SetSpanID(ref.SpanID)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(2 * time.Second)))
	for name, text := range s.attributes {
		span.Attributes().PutStr(name, withKey(text, key))
	}
	return traces, ref
}

func withKey(text, key string) string { return strings.ReplaceAll(text, "%s", key) }

func spansIn(request any) int {
	if traces, ok := request.(ptrace.Traces); ok {
		return traces.SpanCount()
	}
	return 0
}

// post sends a request.
func (s *orderedPairs) post(to *collectortest.Collector, request any) {
	path, body, err := "/v1/traces", []byte(nil), error(nil)
	switch request := request.(type) {
	case ptrace.Traces:
		body, err = ptraceotlp.NewExportRequestFromTraces(request).MarshalProto()
	case plog.Logs:
		path = "/v1/logs"
		body, err = plogotlp.NewExportRequestFromLogs(request).MarshalProto()
	}
	if assert.NoError(s.t, err) {
		assert.Equal(s.t, http.StatusOK, collectortest.Post(s.t, to, path, body, ""))
	}
}
