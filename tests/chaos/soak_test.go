// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const (
	agentMemory   = 512 * mib
	gatewayMemory = 1024 * mib
	// refusedAtMost is how long a clean client may be refused at a stretch.
	refusedAtMost = 2 * time.Second
	// cleanPause is between two requests of the clean client.
	cleanPause = 20 * time.Millisecond
)

// An agent and a gateway behind it get mutated requests by every way in, at full speed, beside a
// clean client of the agent. Nobody dies, and the clean client loses nothing. `make soak` sets
// TC_MUTANTS=30m: then the client must also never be refused for long, and memory stay level, in
// containers of the default sizes.
func TestMutantsBesideACleanClient(t *testing.T) {
	during, isSoak := 10*time.Second, os.Getenv("TC_MUTANTS") != ""
	if isSoak {
		var err error
		during, err = time.ParseDuration(os.Getenv("TC_MUTANTS"))
		require.NoError(t, err, "TC_MUTANTS")
	}
	binary := collectortest.Binary(t)
	s := gatewayScenario(t, fmt.Sprintf("19 mutated requests for %s", during))
	s.options.Configs = append(s.options.Configs, allOnPage)
	if isSoak {
		newMemoryGroup(t, gatewayMemory)
	}
	gateway := collectortest.Start(t, s.options)
	if isSoak {
		t.Setenv("OTELCOL_TC_BINARY", binary) // not the one in the gateway's group
		newMemoryGroup(t, agentMemory)
	}
	agent := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:agent", "builtin:fragments/agent-host"},
		Env: map[string]string{
			"OTELCOL_TC_STATE":     filepath.Join(t.TempDir(), "state"),
			"OTELCOL_TC_GATEWAYS":  fmt.Sprintf("[%q]", gateway.GRPC),
			"OTELCOL_TC_IN_FLIGHT": "128", // a quarter of its memory
		},
	})

	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	var senders sync.WaitGroup
	for i, target := range []*collectortest.Collector{agent, gateway} {
		for j, send := range []func(context.Context, *client, *mutants) error{mutantOverGRPC, mutantOverHTTP, mutantAsJSON} {
			m, c := newMutants(t, uint64(10*i+j)), newClient(t, s.ledger, target)
			senders.Go(func() {
				for ctx.Err() == nil && target.Running() {
					if send(ctx, c, m) != nil {
						time.Sleep(time.Millisecond) // most are refused
					}
				}
			})
		}
	}
	levels := map[string]*level{"agent": {collector: agent}, "gateway": {collector: gateway}}
	for _, l := range levels {
		senders.Go(func() { l.sample(t, ctx) })
	}
	senders.Go(func() { scrapePage(ctx, gateway) })
	clean := newClient(t, s.ledger, agent)
	longest := sendClean(t, ctx, clean)
	senders.Wait()

	assert.True(t, agent.Running(), "the agent ended")
	assert.True(t, gateway.Running(), "the gateway ended")
	s.awaitDelivered(t)
	s.note("longest refusal of the clean client %s; answers %s", longest.Round(time.Millisecond), clean.answers)
	for name, l := range levels {
		s.note("%s: %d MiB, then %d MiB", name, l.before>>20, l.after>>20)
	}
	if isSoak {
		assert.LessOrEqual(t, longest, refusedAtMost)
		for name, l := range levels {
			assert.Less(t, l.after, l.before*5/4, "memory of the %s grows", name)
		}
	}
}

// sendClean sends until the time is over, and returns how long it was refused at a stretch.
func sendClean(t *testing.T, ctx context.Context, c *client) (longest time.Duration) {
	t.Helper()
	var all []*template
	for _, s := range []signal{traces, logs} {
		all = append(all, newTemplate(t, shape{signal: s, items: 20}))
	}
	since := time.Now()
	for i := 0; ctx.Err() == nil; i++ {
		via := overHTTP
		if i%2 == 1 {
			via = overGRPC
		}
		if c.send(all[i/2%len(all)], via) {
			since = time.Now()
		}
		longest = max(longest, time.Since(since))
		time.Sleep(cleanPause)
	}
	return longest
}

func anySignal(m *mutants) signal {
	return []signal{traces, metrics, logs}[m.random.IntN(3)]
}

func mutantOverGRPC(ctx context.Context, c *client, m *mutants) error {
	s := anySignal(m)
	request, response := m.next(s, false), []byte{}
	return c.grpc.Invoke(ctx, grpcMethods[s], &request, &response, grpc.WaitForReady(true))
}

func mutantOverHTTP(ctx context.Context, c *client, m *mutants) error {
	s := anySignal(m)
	return postMutant(ctx, c, s, "application/x-protobuf", m.next(s, false))
}

func mutantAsJSON(ctx context.Context, c *client, m *mutants) error {
	s := anySignal(m)
	return postMutant(ctx, c, s, "application/json", m.next(s, true))
}

func postMutant(ctx context.Context, c *client, s signal, contentType string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.target.HTTP+"/v1/"+string(s), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", contentType)
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// scrapePage reads the Prometheus page as a Prometheus does.
func scrapePage(ctx context.Context, c *collectortest.Collector) {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Prometheus+"/metrics", http.NoBody)
		if err != nil {
			return
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_, _ = io.Copy(io.Discard, response.Body) // its content does not matter
			_ = response.Body.Close()
		}
		time.Sleep(time.Second)
	}
}

// level is the memory of a process, in bytes: the most in the second third of the time, and in
// the last.
type level struct {
	collector     *collectortest.Collector
	before, after int64
}

func (l *level) sample(t *testing.T, ctx context.Context) {
	begin := time.Now()
	deadline, _ := ctx.Deadline()
	third := deadline.Sub(begin) / 3
	for ctx.Err() == nil && l.collector.Running() {
		switch used := l.collector.MemoryInUse(t, time.Second); int(time.Since(begin) / third) {
		case 1:
			l.before = max(l.before, used)
		case 2:
			l.after = max(l.after, used)
		}
	}
}
