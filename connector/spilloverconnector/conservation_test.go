// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// TestConservation plays random histories: senders with requests in order, a next component that accepts,
// fails, refuses, does not answer or, in every other history, takes a part, and restarts of the connector.
// What was accepted arrives, each once, and that of each sender in order, but for what was refused. Only a restart between two parts
// of a batch sends the first part again, and a refusal in the queue is decided by what is behind it. TC_HISTORIES sets how many.
func TestConservation(t *testing.T) {
	histories := min(max(soak.Count(t, "TC_HISTORIES", 0)/1000, 5), 500) // one takes half a second
	for seed := range histories {
		t.Run(strconv.Itoa(seed), func(t *testing.T) { playHistory(t, uint64(seed), seed%2 == 1) })
	}
}

func playHistory(t *testing.T, seed uint64, parts bool) {
	const senders, phases, maxBatch = 4, 6, 400
	random := rand.New(rand.NewPCG(seed, 0))
	cfg, b := quick(t.TempDir()), &backend{}
	cfg.Patience = 20 * time.Millisecond
	refused := map[string]bool{}
	var mu sync.Mutex
	answers := []func(context.Context, pmetric.Metrics) error{
		nil,
		always(errNow),
		func(ctx context.Context, _ pmetric.Metrics) error { <-ctx.Done(); return errNow },
		func(_ context.Context, md pmetric.Metrics) error {
			for _, name := range namesOf(md) {
				if strings.HasSuffix(name, "7") {
					return errNever
				}
			}
			return nil
		},
	}
	if parts {
		answers = append(answers, func(_ context.Context, md pmetric.Metrics) error { // takes the first half
			names := namesOf(md)
			b.take(metricsNamed(names[:len(names)/2]...))
			return consumererror.NewMetrics(errNow, metricsNamed(names[len(names)/2:]...))
		})
	}
	var accepted [senders][]string
	number := 0
	for range phases {
		c := start(t, cfg, b)
		for range 3 {
			b.set(answers[random.IntN(len(answers))])
			number += 10
			var all sync.WaitGroup
			for s := range senders {
				all.Go(func() {
					for i := range 10 {
						name := fmt.Sprintf("%d-%05d", s, number+i)
						err := c.ConsumeMetrics(t.Context(), metricsNamed(name))
						if consumererror.IsPermanent(err) {
							mu.Lock()
							refused[name] = true
							mu.Unlock()
							continue
						}
						assert.NoError(t, err)
						accepted[s] = append(accepted[s], name)
					}
				})
			}
			all.Wait()
		}
		require.NoError(t, c.Shutdown(context.Background()))
	}
	b.set(nil)
	c := start(t, cfg, b)
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("9-last")))
	eventually(t, func() bool {
		there := letterNames(t, cfg)
		for _, name := range b.names() {
			there[name] = true
		}
		return !slices.ContainsFunc(append(slices.Concat(accepted[:]...), "9-last"), func(name string) bool { return !there[name] })
	})
	letters := letterNames(t, cfg)
	for s := range senders {
		var got, want []string
		seen := map[string]bool{}
		for _, name := range b.names() {
			mine := strings.HasPrefix(name, fmt.Sprintf("%d-", s))
			repeated := seen[name] || letters[name]
			if mine && !repeated {
				got = append(got, name)
			}
			seen[name] = true
		}
		for _, name := range accepted[s] {
			if !letters[name] {
				want = append(want, name)
			}
		}
		// What was refused once waits for what is behind it, which overtakes it.
		require.Equal(t, without7(want), without7(got), "sender %d", s)
		require.ElementsMatch(t, want, got, "sender %d", s)
	}
	assert.LessOrEqual(t, len(b.names()), number*senders+phases*maxBatch)
	for name := range refused {
		require.True(t, letters[name], "%s was refused and is no dead letter", name)
	}
}

// without7 returns the names that no next component refuses.
func without7(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasSuffix(name, "7") })
}

// letterNames returns the names of metrics in the dead letter file.
func letterNames(t *testing.T, cfg *Config) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	if _, err := os.Stat(letterPath(cfg)); os.IsNotExist(err) {
		return names
	}
	for line := range strings.Lines(deadLetters(t, cfg)) {
		md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics([]byte(line))
		require.NoError(t, err)
		for _, name := range namesOf(md) {
			names[name] = true
		}
	}
	return names
}
