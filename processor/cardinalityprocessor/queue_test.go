// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/deltatocumulativeprocessor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"
)

// flaky is a backend with outages. What it takes goes to the stock processor that turns deltas into
// sums.
type flaky struct {
	arrivals
	sums consumer.Metrics

	mu     sync.Mutex
	random *rand.Rand
	outage int // requests until it ends
}

var errAway = errors.New("away")

func (f *flaky) push(ctx context.Context, md pmetric.Metrics) error {
	f.mu.Lock()
	if f.outage == 0 && f.random.IntN(4) == 0 {
		f.outage = 1 + f.random.IntN(8)
	}
	away, wait := f.outage > 0, time.Duration(f.random.IntN(500))*time.Microsecond
	if away {
		f.outage--
	}
	f.mu.Unlock()
	if time.Sleep(wait); away {
		return errAway
	}
	f.add(md)
	return f.sums.ConsumeMetrics(ctx, md)
}

type storages map[component.ID]component.Component

func (s storages) GetExtensions() map[component.ID]component.Component { return s }

// TestOrderThroughTheQueue is an oracle for the path from several senders of one series to a consumer
// that turns deltas into sums: with the stock queue on disk between them, which is full at times, and a
// backend with outages. Whatever happens, each series' points come in order and add up to what was sent.
// The queue does not batch here: the stock batcher takes a batch under its lock and hands it to the
// worker after that, so that a batch that is due and one that is full can change places.
func TestOrderThroughTheQueue(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { orderThroughTheQueue(t, rand.New(rand.NewPCG(seed, 20))) })
	}
}

func orderThroughTheQueue(t *testing.T, random *rand.Rand) {
	sums := map[string]float64{}
	last, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		for _, p := range receive(md) {
			if value, ok := p.is["value"]; ok {
				sums[p.series] = value
			} else {
				sums[p.series] = p.is["count"]
			}
		}
		return nil
	})
	require.NoError(t, err)
	factory := deltatocumulativeprocessor.NewFactory()
	toSums, err := factory.CreateMetrics(t.Context(), processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), last)
	require.NoError(t, err)
	require.NoError(t, toSums.Start(t.Context(), componenttest.NewNopHost()))
	backend := &flaky{arrivals: arrivals{points: map[string][]received{}}, sums: toSums, random: rand.New(rand.NewPCG(random.Uint64(), 1))}

	files := filestorage.NewFactory()
	onDisk := files.CreateDefaultConfig().(*filestorage.Config)
	onDisk.Directory = t.TempDir()
	disk, err := files.Create(t.Context(), extensiontest.NewNopSettings(files.Type()), onDisk)
	require.NoError(t, err)
	require.Implements(t, (*storage.Extension)(nil), disk)
	id, queue := component.MustNewID("file_storage"), exporterhelper.NewDefaultQueueConfig()
	queue.StorageID, queue.NumConsumers = &id, 1
	queue.Sizer, queue.QueueSize = exporterhelper.RequestSizerTypeRequests, 2+random.Int64N(50)
	retry := configretry.NewDefaultBackOffConfig()
	retry.InitialInterval, retry.MaxInterval = time.Millisecond, 2*time.Millisecond
	exporter, err := exporterhelper.NewMetrics(t.Context(), exportertest.NewNopSettings(component.MustNewType("otlp")), &struct{}{},
		backend.push, exporterhelper.WithQueue(configoptional.Some(queue)), exporterhelper.WithRetry(retry))
	require.NoError(t, err)
	require.NoError(t, exporter.Start(t.Context(), storages{id: disk}))

	r := newRig(t, func(cfg *Config) { cfg.Limit = 1 + random.IntN(10) })
	p := r.taking(exporter.ConsumeMetrics)
	senders, requests := 2+random.IntN(7), 10+random.IntN(40)
	sent := 0.0
	var all sync.WaitGroup
	for sender := range senders {
		own := rand.New(rand.NewPCG(random.Uint64(), 0))
		histograms := own.IntN(3) == 0
		values := make([]int, requests)
		for i := range values {
			values[i] = own.IntN(10)
			sent += float64(values[i])
		}
		all.Go(func() {
			before := r.now()
			for i, value := range values {
				now := r.now() + float64(i+1)/1e6 // later than before in any case
				at := pt{fmt.Sprintf("route=%d id=%d", own.IntN(4), sender), before, now, value}
				if own.IntN(4) == 0 { // an attribute set that the limit may refuse
					at.attrs += fmt.Sprintf(" new=%d", i)
				}
				before = now
				for {
					md := r.deltas(at)
					if histograms {
						md = r.histograms(pmetric.AggregationTemporalityDelta, hist{at, []float64{1}, slices.Repeat([]float64{0.5}, value)})
						md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetName("h")
					}
					if p.ConsumeMetrics(context.Background(), md) == nil {
						break
					}
					time.Sleep(time.Millisecond) // the queue is full
				}
			}
		})
	}
	all.Wait()
	total := func() (total float64) {
		backend.arrivals.mu.Lock()
		defer backend.arrivals.mu.Unlock()
		for _, points := range backend.points {
			for _, p := range points {
				total += p.is["value"] + p.is["count"]
			}
		}
		return total
	}
	assert.Eventually(t, func() bool { return total() >= sent }, time.Minute, time.Millisecond)
	require.NoError(t, exporter.Shutdown(context.Background()))
	require.NoError(t, disk.Shutdown(context.Background()))
	require.NoError(t, toSums.Shutdown(context.Background()))
	assert.InDelta(t, sent, total(), 0)
	for series, points := range backend.points {
		for i := 1; i < len(points); i++ {
			require.GreaterOrEqual(t, points[i].start, points[i-1].time, series)
			require.Greater(t, points[i].time, points[i-1].time, series)
		}
	}
	summed := 0.0
	for _, value := range sums {
		summed += value
	}
	assert.InDelta(t, sent, summed, 0, "of the consumer that turns deltas into sums")
}
