// SPDX-License-Identifier: Apache-2.0

package links

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// killHold is longer than the time in which the other span of a pair comes, after a restart.
const killHold = 5 * time.Second

// A gateway as it is shipped that is killed or rolled out at random points, while senders repeat what it has not accepted:
// all spans arrive, and all pairs are linked. TC_KILL_PAIRS says how many there are.
func TestLinksOfKilledGateways(t *testing.T) {
	t.Parallel()
	pairs := soak.Count(t, "TC_KILL_PAIRS", 60)
	f := func(name string, end func(*testing.T, *collectortest.Collector), mayBeForward bool) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backend := collectortest.Start(t, collectortest.Options{Configs: []string{collectortest.PlainBackend}})
			free := collectortest.FreeAddress(t)
			// An address of the gateway's own, so that nobody takes it while the gateway is away.
			options := collectortest.Options{
				Configs: []string{"builtin:gateway", fmt.Sprintf("yaml:{processors: {span_link: {%s}}}", payload.RulesOfJobs(killHold))},
				Env: map[string]string{
					"OTELCOL_TC_BACKEND": "http://" + backend.HTTP, "OTELCOL_TC_STATE": t.TempDir(),
					"OTELCOL_TC_OTLP_HTTP_ENDPOINT": ownAddress(t, 8, free),
				},
			}
			gateway := collectortest.Start(t, options)
			jobs := &jobPairs{url: "http://" + gateway.HTTP + "/v1/traces"}
			done := jobs.send(t, pairs)
			ends := 0
			for next := int64(0); ; ends++ {
				next += 5 + rand.Int64N(20)
				before := jobs.progress()
				for done.Err() == nil && (jobs.accepted.Load() < next || !jobs.allPast(before)) {
					time.Sleep(time.Millisecond)
				}
				if done.Err() != nil {
					break
				}
				end(t, gateway)
				gateway = collectortest.Start(t, options)
			}
			jobs.check(t, backend, mayBeForward)
			t.Logf("%d pairs, %s %d times", pairs, name, ends)
		})
	}
	f("killed", func(t *testing.T, c *collectortest.Collector) { c.Kill(t) }, false)
	// What waits goes on at the end.
	f("rolled out", func(t *testing.T, c *collectortest.Collector) { assert.Zero(t, c.Stop(t).Code) }, true)
}

// jobPairs are pairs of spans that a few senders send.
type jobPairs struct {
	url      string
	accepted atomic.Int64
	// bySender is how many requests of each sender were accepted. Between two ends of the gateway each sender has one
	// accepted: wire_limits sets a request aside that three ends of the process have interrupted.
	bySender [jobSenders]atomic.Int64

	mu    sync.Mutex
	pairs []jobPair
}

const jobSenders = 4

type jobPair struct {
	name     string // of the later stage
	put, get scenario.SpanRef
}

// send sends pairs of both rules, each span by itself, and in any order. It returns a context that ends with the last.
func (j *jobPairs) send(t *testing.T, pairs int) context.Context {
	t.Helper()
	done, cancel := context.WithCancel(t.Context())
	var left atomic.Int64
	left.Store(int64(pairs))
	var senders sync.WaitGroup
	for sender := range j.bySender {
		senders.Go(func() {
			for n := left.Add(-1); n >= 0; n = left.Add(-1) {
				j.sendPair(t, sender, fmt.Sprintf("pair-%d", n))
			}
			j.bySender[sender].Store(math.MaxInt64)
		})
	}
	go func() {
		senders.Wait()
		cancel()
	}()
	return done
}

// progress returns what was accepted of each sender.
func (j *jobPairs) progress() (all [jobSenders]int64) {
	for sender := range j.bySender {
		all[sender] = j.bySender[sender].Load()
	}
	return all
}

// allPast reports whether more of each sender was accepted since progress returned before, or all of it.
func (j *jobPairs) allPast(before [jobSenders]int64) bool {
	for sender, accepted := range j.progress() {
		if accepted == before[sender] && accepted < math.MaxInt64 {
			return false
		}
	}
	return true
}

func (j *jobPairs) sendPair(t *testing.T, sender int, key string) {
	p := jobPair{name: []string{payload.GetName, payload.TakeName}[rand.IntN(2)]}
	var requests [2]ptrace.Traces
	requests[0], p.put = payload.Job(payload.PutName, key)
	requests[1], p.get = payload.Job(p.name, key)
	if rand.IntN(2) == 0 {
		requests[0], requests[1] = requests[1], requests[0]
	}
	for _, r := range requests {
		j.post(t, sender, r)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pairs = append(j.pairs, p)
}

// post sends a request until it is accepted.
func (j *jobPairs) post(t *testing.T, sender int, traces ptrace.Traces) {
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	if !assert.NoError(t, err) {
		return
	}
	client := http.Client{Timeout: 10 * time.Second}
	for t.Context().Err() == nil {
		response, err := client.Post(j.url, "application/x-protobuf", bytes.NewReader(body))
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				j.accepted.Add(1)
				j.bySender[sender].Add(1)
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// check checks that all spans came, and that all pairs and no others are linked.
func (j *jobPairs) check(t *testing.T, backend *collectortest.Collector, mayBeForward bool) {
	t.Helper()
	came := map[scenario.SpanRef]int{}
	collectortest.Eventually(t, 2*killHold+collectortest.ArrivalTimeout, func() (bool, string) {
		clear(came)
		for span := range collectortest.SpansOf(backend.Traces(t)) {
			came[collectortest.SpanRef(span)]++
		}
		return len(came) == 2*len(j.pairs), fmt.Sprintf("%d of %d spans", len(came), 2*len(j.pairs))
	})
	linked, forward := map[edge]int{}, 0
	for _, link := range allDerivedLinks(backend.Traces(t)) {
		linked[edge{link.Earlier, link.Later}]++
		if link.Forward && link.Rule == "held" {
			forward++
		}
	}
	twice, lost := -len(came), 0
	for _, n := range came {
		twice += n
	}
	for _, p := range j.pairs {
		e := edge{p.put, p.get}
		if linked[e] == 0 {
			lost++
		}
		delete(linked, e)
	}
	assert.Zero(t, lost, "pairs that are not linked")
	assert.Empty(t, linked, "links of no pair")
	if !mayBeForward {
		assert.Zero(t, forward, "links forward of a rule that holds")
	}
	t.Logf("%d of %d pairs lost, %d links forward of the rule that holds, %d spans came again", lost, len(j.pairs), forward, twice)
}
