// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// mortal is a profile whose requests wait for the next hop, so that it can be killed while it
// handles them. It keeps its state from one life to the next.
type mortal struct {
	configs []string
	env     map[string]string
	nextHop string // the variable that leads to it
}

func mortalGateway(t *testing.T) mortal {
	return mortal{
		configs: []string{"builtin:gateway", "yaml:connectors: {spillover: {patience: 1m}}"},
		env:     map[string]string{"OTELCOL_TC_STATE": filepath.Join(t.TempDir(), "state"), "OTELCOL_TC_COMPRESSION": "none"},
		nextHop: "OTELCOL_TC_BACKEND",
	}
}

func mortalAgent(t *testing.T) mortal {
	return mortal{
		configs: []string{
			"builtin:agent", "builtin:fragments/agent-host",
			"yaml:{exporters: {rendezvous: {client: {compression: none}}}, connectors: {spillover: {patience: 1m}}}",
		},
		env:     map[string]string{"OTELCOL_TC_STATE": filepath.Join(t.TempDir(), "state"), "OTELCOL_TC_NODE": "node-1"},
		nextHop: "OTELCOL_TC_GATEWAYS",
	}
}

func (m mortal) start(t *testing.T, nextHop string) *collectortest.Collector {
	t.Helper()
	m.env[m.nextHop] = nextHop
	return collectortest.Start(t, collectortest.Options{Configs: m.configs, Env: m.env})
}

// dieAt kills the process while it handles requests.
func (m mortal) dieAt(t *testing.T, over send, requests ...[]byte) {
	t.Helper()
	address := collectortest.FreeAddress(t)
	away := map[string]string{"OTELCOL_TC_BACKEND": "http://" + address, "OTELCOL_TC_GATEWAYS": fmt.Sprintf("[%q]", address)}
	c := m.start(t, away[m.nextHop])
	ended := make(chan struct{})
	for _, request := range requests {
		go func() { over(t, c, request); ended <- struct{}{} }()
	}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return m.noted(t) >= len(requests), "the requests have not come"
	})
	c.Kill(t)
	for range requests {
		<-ended
	}
}

// noted returns how many requests the journal has in flight. Their bytes count as in flight a little earlier.
func (m mortal) noted(t *testing.T) (requests int) {
	t.Helper()
	slots, err := os.ReadFile(filepath.Join(m.env["OTELCOL_TC_STATE"], "wire_limits", "in-flight"))
	require.NoError(t, err)
	for slot := range slices.Chunk(slots, 16) {
		if !bytes.Equal(slot, make([]byte, len(slot))) {
			requests++
		}
	}
	return requests
}

// send sends a request, and returns how it was answered: OK, InvalidArgument if it was refused for good, or another
// code if it should come again.
type send func(*testing.T, *collectortest.Collector, []byte) codes.Code

func sendOverGRPC(t *testing.T, c *collectortest.Collector, body []byte) codes.Code {
	return collectortest.DialRaw(t, c).ExportRaw(t, body)
}

func sendOverHTTP(_ *testing.T, c *collectortest.Collector, body []byte) codes.Code {
	response, err := http.Post("http://"+c.HTTP+"/v1/traces", "application/x-protobuf", strings.NewReader(string(body)))
	if err != nil {
		return codes.Unavailable
	}
	_ = response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		return codes.OK
	case http.StatusBadRequest:
		return codes.InvalidArgument
	}
	return codes.Unavailable
}

// taggedSpan returns a request of a span that is large, so that it is seen in flight, and has
// a tag by which the next hop knows it.
func taggedSpan(t *testing.T, tag string) []byte {
	t.Helper()
	return collectortest.OneSpan(t, func(span ptrace.Span) {
		span.Attributes().PutStr("tag", tag)
		span.Attributes().PutStr("filler", strings.Repeat("x", 100_000))
	})
}

// hop is a server, over both protocols, that looks for tags.
type hop struct {
	mu  sync.Mutex
	all strings.Builder // of what came; guarded by mu
}

func (m *hop) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, _ = io.Copy(&m.all, r.Body)
}

func (m *hop) take(_ context.Context, traces ptrace.Traces) (rejected int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
	m.all.Write(body)
	return 0, err
}

func (m *hop) have(tag string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Contains(m.all.String(), tag)
}

// A request at which the process dies comes back three times, and is then refused for good and
// kept in a file, from which it can be sent. What was in flight beside it is delivered.
func TestPoisonIsSetAside(t *testing.T) {
	f := func(name string, start func(*testing.T) mortal, over send,
		nextHop string, next *hop,
	) {
		t.Run(name, func(t *testing.T) {
			m := start(t)
			poison, innocent := taggedSpan(t, "the poison"), taggedSpan(t, "the innocent")
			m.dieAt(t, over, poison, innocent)
			m.dieAt(t, over, poison)
			m.dieAt(t, over, poison)

			c := m.start(t, nextHop)
			metrics := c.SelfMetrics(t)
			assert.Equal(t, 1.0, collectortest.Sum(metrics["otelcol_wire_limits_unfinished_requests"], nil))
			for range 2 {
				assert.Equal(t, codes.InvalidArgument, over(t, c, poison))
			}
			assert.Equal(t, codes.OK, over(t, c, innocent))
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return next.have("the innocent"), "the innocent has not arrived" })
			assert.False(t, next.have("the poison"))
			metrics = c.SelfMetrics(t)
			assert.Equal(t, 2.0, collectortest.Sum(metrics["otelcol_wire_limits_refused_requests"], map[string]string{"rule": "poison"}))
			assert.Equal(t, 1.0, collectortest.Sum(metrics["otelcol_wire_limits_set_aside_requests"], map[string]string{"signal": "traces"}))
			c.Reload(t)
			assert.Equal(t, codes.InvalidArgument, over(t, c, poison))
			assert.Equal(t, 1, strings.Count(c.Logs(), "A request was set aside, since the process died each time"))
			require.Zero(t, c.Stop(t).Code)

			// As the README says.
			state := filepath.Join(m.env["OTELCOL_TC_STATE"], "wire_limits")
			files, err := filepath.Glob(filepath.Join(state, "set-aside", "*-traces-*.binpb"))
			require.NoError(t, err)
			require.Len(t, files, 1)
			kept, err := os.ReadFile(files[0])
			require.NoError(t, err)
			require.NoError(t, os.Remove(filepath.Join(state, "journal")))
			c = m.start(t, nextHop)
			assert.Equal(t, codes.OK, sendOverHTTP(t, c, kept))
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return next.have("the poison"), "what was kept has not arrived" })
			assert.Zero(t, c.Stop(t).Code)
		})
	}
	for transport, over := range map[string]send{
		"grpc": sendOverGRPC, "http": sendOverHTTP,
	} {
		backend := &hop{}
		server := collectortest.Serve(t, backend)
		f("gateway "+transport, mortalGateway, over, "http://"+server, backend)
		gateway := &hop{}
		f("agent "+transport, mortalAgent, over, fmt.Sprintf("[%q]", collectortest.ServeSpans(t, gateway.take)), gateway)
	}
}

// A process that is killed again and again under load is nobody's fault: clients that send
// again until they are accepted all are.
func TestInnocentRequestsAreNotSetAside(t *testing.T) {
	const clients, each, kills = 8, 30, 5
	backend := collectortest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(30 * time.Millisecond) }))
	m := mortalGateway(t)
	var current atomic.Pointer[collectortest.Collector]
	current.Store(m.start(t, "http://"+backend))
	var all sync.WaitGroup
	var sent atomic.Int64
	for client := range clients {
		over := sendOverHTTP
		if client%2 == 0 {
			over = sendOverGRPC
		}
		all.Go(func() {
			for i := range each {
				request := taggedSpan(t, fmt.Sprintf("%d of %d", i, client))
				assert.Eventually(t, func() bool {
					answer := over(t, current.Load(), request)
					assert.NotEqual(t, codes.InvalidArgument, answer)
					return answer == codes.OK
				}, 2*time.Minute, 50*time.Millisecond)
				sent.Add(1)
			}
		})
	}
	unfinished := 0.0
	for kill := range int64(kills) {
		collectortest.Eventually(t, 2*time.Minute, func() (bool, string) {
			return sent.Load() >= (kill+1)*clients*each/(kills+1), fmt.Sprintf("%d were accepted", sent.Load())
		})
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			return sent.Load() == clients*each || collectortest.InFlight(t, current.Load()) > 0, "nothing is in flight"
		})
		current.Load().Kill(t)
		current.Store(m.start(t, "http://"+backend))
		unfinished += collectortest.Sum(current.Load().SelfMetrics(t)["otelcol_wire_limits_unfinished_requests"], nil)
	}
	all.Wait()
	assert.Positive(t, unfinished)
	metrics := current.Load().SelfMetrics(t)
	assert.Zero(t, collectortest.Sum(metrics["otelcol_wire_limits_refused_requests"], map[string]string{"rule": "poison"}))
	assert.NoDirExists(t, filepath.Join(m.env["OTELCOL_TC_STATE"], "wire_limits", "set-aside"))
}
