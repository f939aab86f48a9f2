// SPDX-License-Identifier: Apache-2.0

package links

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// world is a deployment. All of them send the same ids of transfers, runs, requests and processes.
type world map[string]string

var worlds = []world{
	{},
	{"deployment.environment.name": "staging"},
	{"deployment.environment.name": "production"},
	{"deployment.environment.name": "production", "k8s.namespace.name": "team-b"},
	{"k8s.namespace.name": "team-b"},
}

// own returns the id that a span of the world has in place of one of the scenario.
func own(world int, id pcommon.TraceID) pcommon.TraceID {
	if !id.IsEmpty() {
		id[8] ^= byte(world) // the upper half of some ids is empty
	}
	return id
}

func ownRef(world int, ref scenario.SpanRef) scenario.SpanRef {
	return scenario.SpanRef{TraceID: own(world, ref.TraceID), SpanID: ref.SpanID}
}

// mark gives a process the attributes of a world. Every other one has the older name of the
// environment.
func (w world) mark(resource pcommon.Map, process int) {
	resource.RemoveIf(func(key string, _ pcommon.Value) bool { return strings.HasPrefix(key, "deployment.environment") })
	for key, value := range w {
		if key == "deployment.environment.name" && process%2 == 1 {
			key = "deployment.environment"
		}
		resource.PutStr(key, value)
	}
}

// worldsRequests returns what all worlds send of one scenario of each system, a request for each
// process, and the pairs that belong together.
func worldsRequests(t *testing.T, seed uint64) (requests []func(*sender), pairs []scenario.Pair, spans int) {
	t.Helper()
	for _, name := range scenario.Names() {
		generator, err := scenario.New(name, seed, time.Now())
		require.NoError(t, err)
		for range 3 { // in the third, a worker of TuFT loses its context
			batch := generator.Next(time.Now())
			for n, of := range worlds {
				for _, p := range batch.Pairs {
					pairs = append(pairs, scenario.Pair{From: ownRef(n, p.From), To: ownRef(n, p.To), Rule: p.Rule})
				}
				for i, rs := range batch.Traces.ResourceSpans().All() {
					one := ptrace.NewTraces()
					rs.CopyTo(one.ResourceSpans().AppendEmpty())
					of.mark(one.ResourceSpans().At(0).Resource().Attributes(), i)
					for span := range collectortest.SpansOf(one) {
						span.SetTraceID(own(n, span.TraceID()))
					}
					spans += one.SpanCount()
					requests = append(requests, func(to *sender) { to.spans(one) })
				}
				for i, rl := range batch.Logs.ResourceLogs().All() {
					one := plog.NewLogs()
					rl.CopyTo(one.ResourceLogs().AppendEmpty())
					of.mark(one.ResourceLogs().At(0).Resource().Attributes(), i+1)
					for record := range collectortest.Records(one) {
						record.SetTraceID(own(n, record.TraceID()))
					}
					requests = append(requests, func(to *sender) { to.records(one) })
				}
			}
		}
	}
	return requests, pairs, spans
}

// Equal ids of two environments or namespaces never meet. In each of them all pairs are linked,
// although its processes state the environment by two names. If all spans came within the hold,
// the links of TensorCast and TuFT point back.
func TestScopesNeverMeet(t *testing.T) {
	t.Parallel()
	t.Run("index in memory", func(t *testing.T) {
		t.Parallel()
		checkScopes(t, linking{index: "max_memory_mib: 64", naming: true}.start(t))
	})
	t.Run("two collectors and Redis", func(t *testing.T) {
		t.Parallel()
		settings := inRedis(servers.StartRedis(t, "--port").Address, patient)
		settings.spans, settings.logs, settings.naming = "", "hold: 6s", true
		one, two := settings.start(t), settings.start(t)
		awaitAnyRedis(t, one)
		awaitAnyRedis(t, two)
		checkScopes(t, one, two)
	})
}

// awaitAnyRedis waits until a collector with the shipped rules has reached Redis.
func awaitAnyRedis(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return strings.Contains(c.Logs(), "Redis is back") || redisFailures(t, c) == 0, "Redis is not reached"
	})
}

// shortestHold is that of the rules whose links have to point back.
const shortestHold = 5 * time.Second

func checkScopes(t *testing.T, collectors ...*collectortest.Collector) {
	t.Helper()
	requests, pairs, spans := worldsRequests(t, 20)
	random := rand.New(rand.NewPCG(20, 0))
	random.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
	var senders []*sender
	for _, c := range collectors {
		senders = append(senders, newSender(t, c))
	}
	begin := time.Now()
	for i, send := range requests {
		send(senders[i%len(senders)])
	}
	took := time.Since(begin)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		n := 0
		for _, c := range collectors {
			n += c.Traces(t).SpanCount()
		}
		return n >= spans, "spans are missing"
	})
	all := ptrace.NewTraces()
	for _, c := range collectors {
		require.Zero(t, c.Stop(t).Code)
		c.Traces(t).ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	}
	require.Equal(t, spans, all.SpanCount())
	if took >= shortestHold {
		t.Logf("sending took %s, so spans and logs did not wait for each other", took)
		checkLinks(t, all, pairs, 0)
		return
	}
	checkLinks(t, all, pairs, minLinked)
	for _, link := range allDerivedLinks(all) {
		if strings.HasPrefix(link.Rule, "tensorcast.") || strings.HasPrefix(link.Rule, "tuft.") {
			assert.False(t, link.Forward, "%+v", link)
		}
	}
}
