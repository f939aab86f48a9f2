// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	errBad   = consumererror.NewPermanent(status.Error(codes.InvalidArgument, "malformed"))
	errToken = consumererror.NewPermanent(status.Error(codes.Unauthenticated, "unknown token"))
	errLarge = consumererror.NewPermanent(status.Error(codes.ResourceExhausted, "message larger than max"))
)

// refuses returns an answer that refuses batches with a metric whose name begins with "bad".
func refuses(err error) func(context.Context, pmetric.Metrics) error {
	return func(_ context.Context, md pmetric.Metrics) error {
		if slices.ContainsFunc(namesOf(md), func(name string) bool { return strings.HasPrefix(name, "bad") }) {
			return err
		}
		return nil
	}
}

// While everything is refused, nothing is set aside, whatever the reason.
func TestAllRefused(t *testing.T) {
	for _, err := range []error{errBad, errNever, errToken, errLarge} {
		cfg, b := quick(t.TempDir()), &backend{}
		fill(t, cfg, numbered(0, 50)...)
		b.answer = always(err)
		start(t, cfg, b)
		eventually(t, func() bool { return b.tried() > 50 || errors.Is(err, errToken) && b.tried() > 3 })
		assert.NoFileExists(t, letterPath(cfg))
		b.set(nil)
		eventually(t, func() bool { return len(b.names()) >= 50 })
		assert.Equal(t, numbered(0, 50), slices.Sorted(slices.Values(b.names())), "%v", err)
		assert.NoFileExists(t, letterPath(cfg))
	}
}

// A refused record that is the last one stays until something else is accepted.
func TestRefusedWithoutWitness(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	fill(t, cfg, "bad")
	b.answer = refuses(errBad)
	c := start(t, cfg, b)
	eventually(t, func() bool { return b.tried() > 3 })
	assert.NoFileExists(t, letterPath(cfg))
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("good")))
	eventually(t, func() bool { return len(b.names()) > 0 && segments(t, cfg.Directory) == 0 })
	assert.Equal(t, []string{"good"}, b.names(), "once")
	assert.Contains(t, deadLetters(t, cfg), `"bad"`)
}

// A queue without room in which all is refused does not wait for ever: what is accepted goes past it.
func TestRefusedWithoutRoom(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{answer: always(errNow)}
	cfg.QueueSize, cfg.Batch.MinSize, cfg.Batch.MaxSize = mebibyte, 1, mebibyte/2
	c := start(t, cfg, b)
	for err := error(nil); err == nil; {
		bad := large(0)
		bad.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetName("bad")
		err = c.ConsumeMetrics(t.Context(), bad)
	}
	require.Error(t, c.ConsumeMetrics(t.Context(), large(1)), "nothing is known yet")
	b.set(refuses(errBad))
	eventually(t, func() bool { return c.ConsumeMetrics(t.Context(), large(1)) == nil })
	assert.Equal(t, numbered(1, 2), b.names(), "directly")
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("good")))
	eventually(t, func() bool { return segments(t, cfg.Directory) == 0 })
	assert.ElementsMatch(t, append(numbered(1, 2), "good"), b.names(), "once")
	assert.Equal(t, map[string]bool{"bad": true}, letterNames(t, cfg))
}

// Of a record with many items only the refused one is set aside, also behind a long run of refused records.
func TestOnlyTheRefusedItem(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	cfg.Batch.MaxSize, cfg.Batch.MinSize = 4000, 1
	fill(t, cfg, "a")
	c := start(t, cfg, &backend{answer: always(errNow)})
	for i := range 40 {
		require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(fmt.Sprintf("bad %d %s", i, strings.Repeat("-", 1000)))))
	}
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(append(numbered(0, 40), "bad last")...)))
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("z")))
	require.NoError(t, c.Shutdown(t.Context()))
	b.answer = refuses(errBad)
	start(t, cfg, b)
	eventually(t, func() bool { return segments(t, cfg.Directory) == 0 })
	assert.ElementsMatch(t, append(numbered(0, 40), "a", "z"), b.names())
	assert.Len(t, letterNames(t, cfg), 41)
}

// Of a record in which every tenth item is refused, only these are set aside.
func TestManyRefusedItems(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	var names, good, bad []string
	for i := range 1000 {
		name := fmt.Sprintf("good %d", i)
		if i%10 == 7 {
			name = fmt.Sprintf("bad %d", i)
			bad = append(bad, name)
		} else {
			good = append(good, name)
		}
		names = append(names, name)
	}
	fill(t, cfg, "a")
	c := start(t, cfg, &backend{answer: always(errNow)})
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(names...)))
	require.NoError(t, c.Shutdown(t.Context()))
	b.answer = refuses(errBad)
	start(t, cfg, b)
	eventually(t, func() bool { return segments(t, cfg.Directory) == 0 })
	assert.ElementsMatch(t, append(good, "a"), b.names())
	assert.ElementsMatch(t, bad, slices.Collect(maps.Keys(letterNames(t, cfg))))
	assert.Less(t, b.tried(), 2*len(names))
}

// A request for which the next component has no state but an error of its own stops the queue for a while only.
func TestErrorOfOne(t *testing.T) {
	t.Parallel()
	cfg, b := quick(t.TempDir()), &backend{}
	fill(t, cfg, "bad", "a", "b")
	b.answer = refuses(errToken)
	start(t, cfg, b)
	require.Eventually(t, func() bool { return segments(t, cfg.Directory) == 0 }, time.Minute, 10*time.Millisecond)
	assert.ElementsMatch(t, []string{"a", "b"}, b.names())
	assert.Len(t, letterNames(t, cfg), 1)
}

// atMost returns an answer that refuses batches of more metrics.
func atMost(most int) func(context.Context, pmetric.Metrics) error {
	return func(_ context.Context, md pmetric.Metrics) error {
		if md.MetricCount() > most {
			return errLarge
		}
		return nil
	}
}

// What is too large is halved down to one item, directly and in the queue.
func TestTooLarge(t *testing.T) {
	tooLarge := atMost(3)
	for _, spilled := range []bool{false, true} {
		cfg, b := quick(t.TempDir()), &backend{answer: always(errNow)}
		if !spilled {
			b.answer = tooLarge
		}
		c := start(t, cfg, b)
		require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(numbered(0, 100)...)))
		b.set(tooLarge)
		eventually(t, func() bool { return len(b.names()) >= 100 })
		assert.Equal(t, numbered(0, 100), b.names())
		assert.NoFileExists(t, letterPath(cfg))
	}
}

// After a time in which even single items were too large, parts grow again, and what is refused among them for another
// reason is found.
func TestPartsGrowAgain(t *testing.T) {
	const n = 3000
	for _, test := range []struct {
		answer   func(context.Context, pmetric.Metrics) error
		bad      int
		requests int // the most until all have arrived
	}{
		{nil, 0, 30},
		{atMost(100), 0, 2 * n / 100},
		{refuses(errBad), 60, 60 * 2 * 14},
	} {
		cfg, b := quick(t.TempDir()), &backend{answer: always(errNow)}
		cfg.Batch.MaxSize = mebibyte
		c := start(t, cfg, b)
		good, bad := numbered(test.bad, n), map[string]bool{}
		for i := range test.bad {
			name := fmt.Sprint("bad", i)
			bad[name] = true
			good = slices.Insert(good, i*40, name)
		}
		require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(good...)))
		var tries atomic.Int64
		b.set(func(ctx context.Context, md pmetric.Metrics) error {
			switch {
			case tries.Add(1) < 2*n: // until the middle of the second pass
				return errLarge
			case test.answer == nil:
				return nil
			}
			return test.answer(ctx, md)
		})
		eventually(t, func() bool { return segments(t, cfg.Directory) == 0 })
		assert.Equal(t, numbered(test.bad, n), slices.Sorted(slices.Values(b.names())))
		assert.Equal(t, bad, letterNames(t, cfg))
		assert.Less(t, int(tries.Load()), 2*n+test.requests)
		require.NoError(t, c.Shutdown(t.Context()))
	}
}

// The next component's limit is learned: not each batch is sent whole first.
func TestLimitIsLearned(t *testing.T) {
	const batches, n = 100, 40
	cfg, b := quick(t.TempDir()), &backend{answer: always(errNow)}
	c := start(t, cfg, b)
	for i := range batches {
		require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(numbered(i*n, (i+1)*n)...)))
	}
	require.NoError(t, c.Shutdown(t.Context()))
	b = &backend{answer: atMost(10)}
	cfg.Batch.MinSize, cfg.Batch.MaxSize = 1, (&pmetric.ProtoMarshaler{}).MetricsSize(metricsNamed(numbered(0, n)...))
	start(t, cfg, b)
	eventually(t, func() bool { return segments(t, cfg.Directory) == 0 })
	assert.Equal(t, numbered(0, batches*n), b.names())
	assert.Less(t, b.tried(), batches*n/10*3/2)
	assert.NoFileExists(t, letterPath(cfg))
}

// Between parts that are accepted, failures do not make the pauses longer.
func TestFailuresBetweenParts(t *testing.T) {
	const n = 1000
	cfg, b := quick(t.TempDir()), &backend{answer: always(errNow)}
	c := start(t, cfg, b)
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed(numbered(0, n)...)))
	small := atMost(10)
	b.set(func(ctx context.Context, md pmetric.Metrics) error {
		if b.tried()%8 == 0 {
			return errNow
		}
		return small(ctx, md)
	})
	eventually(t, func() bool { return segments(t, cfg.Directory) == 0 })
	assert.Equal(t, numbered(0, n), b.names())
}

// Full dead letters stop the queue. When somebody moves them away it goes on, and nothing is lost.
func TestDeadLettersFull(t *testing.T) {
	cfg, b := quick(t.TempDir()), &backend{}
	fill(t, cfg, "bad 1", "a", "bad 2", "b")
	cfg.DeadLetterSize = 1
	b.answer = refuses(errBad)
	start(t, cfg, b)
	eventually(t, func() bool {
		_, err := os.Stat(letterPath(cfg))
		return err == nil
	})
	tries := b.tried()
	eventually(t, func() bool { return b.tried() > tries+1 })
	assert.Len(t, letterNames(t, cfg), 1)
	require.NoError(t, os.Rename(letterPath(cfg), letterPath(cfg)+".moved"))
	require.NoError(t, os.Rename(letterPath(cfg)+".moved", t.TempDir()+"/moved"))
	eventually(t, func() bool { return segments(t, cfg.Directory) == 0 })
	assert.ElementsMatch(t, []string{"a", "b"}, b.names())
	assert.Len(t, letterNames(t, cfg), 1)
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
