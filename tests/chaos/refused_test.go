// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// refusal is how a next hop refuses everything for a while, and what becomes of what clients offer meanwhile while data
// goes directly. What was accepted before always arrives.
type refusal struct {
	name   string
	answer answer
	told   bool // clients are told (see toldBy); otherwise it is accepted, and waits on disk
	short  bool // in make test, too
}

var refusals = []refusal{
	{"400", answer{status: http.StatusBadRequest}, true, true},
	{"401", answer{status: http.StatusUnauthorized}, false, true},
	{"403", answer{status: http.StatusForbidden}, false, false},
	{"404", answer{status: http.StatusNotFound}, false, true},
	{"408", answer{status: http.StatusRequestTimeout}, false, false},
	{"413", answer{status: http.StatusRequestEntityTooLarge}, false, true},
	{"422", answer{status: http.StatusUnprocessableEntity}, true, false},
	{"429", answer{status: http.StatusTooManyRequests}, false, false},
	{"500", answer{status: http.StatusInternalServerError}, false, true},
	{"501", answer{status: http.StatusNotImplemented}, false, false},
	{"503", answer{status: http.StatusServiceUnavailable}, false, false},
	{"RST", answer{reset: true}, false, true},
	{"hang", answer{hang: true}, false, false},
	{"bad certificate", answer{stranger: true}, false, true},
}

// hop is a collector and what is behind it.
type hop struct {
	name  string
	start func(*testing.T, string) *scenario
	// secure are the fragment for TLS, and the variables that have the address and the authority.
	secure, address, authority string
}

var hops = []hop{
	{"gateway, HTTP", gatewayScenario, "gateway-backend-tls", "OTELCOL_TC_BACKEND", "OTELCOL_TC_BACKEND_CA"},
	{"gateway, gRPC", jaegerScenario, "", "OTELCOL_TC_JAEGER_INSECURE", "OTELCOL_TC_JAEGER_CA"},
	{"agent", agentScenario, "agent-tls", "", "OTELCOL_TC_GATEWAY_CA"},
}

// jaegerScenario is a gateway that sends traces over gRPC.
func jaegerScenario(t *testing.T, name string) *scenario {
	t.Helper()
	s := gatewayScenario(t, name)
	s.options.Configs = append(s.options.Configs, "builtin:fragments/gateway-jaeger")
	s.options.Env["OTELCOL_TC_JAEGER_ENDPOINT"] = s.sink.grpc.address
	return s
}

// What was accepted arrives, whatever the next hop answers meanwhile, and in whichever state it does so. Nothing is set
// aside, because the next hop refuses everything. With TC_CHAOS it does so for a minute, and there are 30,000 spans.
func TestRefusals(t *testing.T) {
	for _, h := range hops {
		for _, r := range refusals {
			if !r.short && os.Getenv("TC_CHAOS") == "" {
				continue
			}
			t.Run(h.name+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				s := h.start(t, "12 "+h.name+": "+r.name)
				s.hurry()
				r.told = r.toldBy(h)
				if r.answer.stranger {
					s.secure(t, h)
				}
				c, clients := s.start(t)
				for _, state := range []string{"direct", "spilling", "draining"} {
					if !t.Run(state, func(t *testing.T) { s.refuse(t, c, clients, r, state) }) {
						return
					}
				}
			})
		}
	}
}

// toldBy reports whether clients of a hop are told. OUT_OF_RANGE, which is 422 over gRPC, says nothing about the
// request: by OTLP it is sent again.
func (r refusal) toldBy(h hop) bool {
	return r.told && (h.name == "gateway, HTTP" || codesOf[r.answer.status] == codes.InvalidArgument)
}

// hurry lets the collector wait less long for answers, so that it asks more often.
func (s *scenario) hurry() {
	s.options.Env["OTELCOL_TC_TIMEOUT"] = "1s"
	s.options.Env["OTELCOL_TC_PATIENCE"] = "500ms"
}

func (s *scenario) secure(t *testing.T, h hop) {
	t.Helper()
	s.options.Env[h.authority] = s.sink.secure(t)
	switch {
	case h.secure != "":
		s.options.Configs = append(s.options.Configs, "builtin:fragments/"+h.secure)
		if h.address != "" {
			s.options.Env[h.address] = "https://" + s.sink.http.address
		}
	default:
		s.options.Env[h.address] = "false"
	}
}

// refuse plays one refusal in a state of the queue.
func (s *scenario) refuse(t *testing.T, c *collectortest.Collector, clients *client, r refusal, state string) {
	t.Helper()
	requests, extent := 30, time.Duration(0)
	if os.Getenv("TC_CHAOS") != "" {
		requests, extent = 300, time.Minute
	}
	// Large, so that the queue is sent in several batches.
	made := newTemplate(t, shape{signal: traces, items: 100, padding: 200 << 10})
	offered := func() (accepted int) {
		var all sync.WaitGroup
		var count atomic.Int64
		for range 4 {
			mine := clients.another(t)
			all.Go(func() {
				for range requests / 4 {
					if mine.send(made, overHTTP) {
						count.Add(1)
					}
				}
			})
		}
		all.Wait()
		return int(count.Load())
	}
	whole := requests / 4 * 4
	began := s.ledger.tally()
	switch state {
	case "direct":
		s.sink.respond(r.answer)
		want := whole
		if r.told {
			want = 0
		}
		require.Equal(t, want, offered(), "answers: %v", clients.answers)
	case "spilling":
		s.sink.away()
		require.Equal(t, whole, offered(), "answers: %v", clients.answers)
		s.sink.respond(r.answer)
		s.sink.back(t)
	case "draining":
		s.sink.away()
		require.Equal(t, whole, offered(), "answers: %v", clients.answers)
		s.sink.respond(answer{then: &r.answer})
		s.sink.back(t)
		s.awaitDeliveries(t, began.delivered+1)
	}
	if state != "direct" || !r.told {
		asked := s.sink.asked()
		collectortest.Eventually(t, patience, func() (bool, string) { return s.sink.asked() >= asked+3, "the next hop is asked again" })
		time.Sleep(extent)
	}
	s.sink.respond(answer{})
	s.awaitDelivered(t)
	// The answer to the last request may be under way. Without it the data comes again, in the next state.
	collectortest.Eventually(t, patience, func() (bool, string) {
		waiting := collectortest.Sum(c.SelfMetrics(t)["otelcol_spillover_queue_items"], map[string]string{"signal": string(traces)})
		return waiting == 0, fmt.Sprintf("%v spans in the queue", waiting)
	})
	letters := s.deadLetters(t)
	s.addState(state, began, strings.Count(letters, `"spanId"`))
	if r.told && state == "direct" {
		assert.NotEmpty(t, letters, "of data that nobody accepted")
		require.NoError(t, os.Remove(s.letterPath()))
	} else {
		assert.Empty(t, letters)
	}
}

// addState adds what became of the items of one state to the table.
func (s *scenario) addState(state string, before tally, aside int) {
	after := s.ledger.tally()
	addRow(&row{name: s.row.name + ", " + state, tally: tally{
		offered:   after.offered - before.offered,
		accepted:  after.accepted - before.accepted,
		delivered: after.delivered - before.delivered,
		doubled:   after.doubled - before.doubled,
		dropped:   after.dropped - before.dropped,
	}, notes: []string{fmt.Sprintf("%d set aside", aside)}})
}

// Of spans that are larger than the backend takes, only these are set aside, and all others arrive: directly, where the
// senders of the large ones are told, and from the queue. With TC_CHAOS it is 50 spans of 1 to 20 MB, otherwise 5.
func TestLargeSpansAmongSmall(t *testing.T) {
	large, step := 5, 4
	if os.Getenv("TC_CHAOS") != "" {
		large, step = 50, 0
	}
	const limit, small = 4 * mib, 20
	for _, state := range []string{"direct", "queue"} {
		t.Run(state, func(t *testing.T) {
			s := gatewayScenario(t, "12 large spans: "+state)
			s.options.Configs = append(s.options.Configs,
				"yaml:receivers::otlp::protocols::grpc::max_recv_msg_size_mib: 64",
				"yaml:extensions::wire_limits: {max_decoded_mib: 512, max_in_flight_mib: 1024}",
				"yaml:processors::naming::max_value_bytes: 0", // no limit
				"yaml:connectors::spillover::dead_letter_size: 2147483648")
			s.sink.respond(answer{most: limit})
			_, clients := s.start(t)
			if state == "queue" {
				s.sink.away()
			}
			arrive, aside := 0, 0
			for i := range large {
				size := 1_000_000 + i*step*1_000_000
				if step == 0 {
					size = 1_000_000 + i*19_000_000/(large-1)
				}
				tooLarge := size > limit
				accepted := clients.send(newTemplate(t, shape{signal: traces, items: small + 1, large: size}), overGRPC)
				assert.Equal(t, state == "queue" || !tooLarge, accepted, "a span of %d bytes", size)
				arrive += small + 1
				if tooLarge {
					arrive, aside = arrive-1, aside+1
				}
			}
			if state == "queue" {
				s.sink.back(t)
				// What is refused last is decided once something else is accepted.
				require.True(t, clients.send(newTemplate(t, shape{signal: traces, items: small}), overGRPC))
				arrive += small
			}
			s.awaitDeliveries(t, arrive)
			collectortest.Eventually(t, patience, func() (bool, string) {
				lines := strings.Count(s.deadLetters(t), "\n")
				return lines >= aside, fmt.Sprintf("%d of %d set aside", lines, aside)
			})
			assert.Equal(t, arrive, s.ledger.tally().delivered)
			assert.Zero(t, s.ledger.tally().doubled)
			assert.Equal(t, aside, strings.Count(s.deadLetters(t), `"spanId"`))
		})
	}
}

// deadLetters returns the lines of what was set aside.
func (s *scenario) deadLetters(t *testing.T) string {
	t.Helper()
	letters, err := os.ReadFile(s.letterPath())
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return string(letters)
}

func (s *scenario) letterPath() string {
	return filepath.Join(s.options.Env["OTELCOL_TC_STATE"], "spillover", "spillover", "traces", "dead_letter.jsonl")
}
