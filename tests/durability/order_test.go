// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/deltatocumulativeprocessor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// ending ends a collector.
type ending func(*testing.T, *collectortest.Collector)

func terminated(t *testing.T, c *collectortest.Collector) { require.Zero(t, c.Stop(t).Code) }

func killed(t *testing.T, c *collectortest.Collector) { c.Kill(t) }

// quickRetry leaves the retries to spillover, whose first ones come sooner. Everything else is as shipped.
const quickRetry = `yaml:exporters::%s::retry_on_failure::enabled: false`

// A gateway whose backend is away for a while: each series' points come in order, and what turns deltas
// into sums gets them all. The gateway ends in between, and while it sends what has waited.
func TestMetricsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]ending{"outage": nil, "terminated": terminated, "killed": killed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backend, load := newDeltaBackend(t), &deltaLoad{}
			options := collectortest.Options{
				Configs: []string{"builtin:gateway", fmt.Sprintf(quickRetry, "otlp_http")},
				Env: map[string]string{
					"OTELCOL_TC_BACKEND": "http://" + backend.address,
					"OTELCOL_TC_STATE":   filepath.Join(t.TempDir(), "state"),
				},
			}
			gateway := collectortest.Start(t, options)
			for range 3 {
				load.send(t, gateway, 320)
				if end != nil {
					end(t, gateway)
					gateway = collectortest.Start(t, options)
				}
			}
			backend.start(t)
			if end != nil {
				collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
					return backend.taken() > 0, "nothing came"
				})
				end(t, gateway)
				gateway = collectortest.Start(t, options)
			}
			load.send(t, gateway, 40)
			backend.requireAll(t, load)
		})
	}
}

// deltaBackend takes metrics over HTTP. It checks the order of each series' points, and gives them to
// the stock processor that turns deltas into sums.
type deltaBackend struct {
	address string
	sums    processor.Metrics

	mu       sync.Mutex
	requests int
	points   int                          // without repeated ones
	repeated int                          // points that came before
	late     []string                     // points that came after a later one of their series
	values   map[string]int64             // the sums, by series
	last     map[string]pcommon.Timestamp // the latest time, by series
	times    map[string]bool              // series and times that came
	serving  *http.Server
}

func newDeltaBackend(t *testing.T) *deltaBackend {
	t.Helper()
	address := collectortest.FreeAddress(t)
	b := &deltaBackend{address: address, values: map[string]int64{}, last: map[string]pcommon.Timestamp{}, times: map[string]bool{}}
	next, err := consumer.NewMetrics(b.sum)
	require.NoError(t, err)
	factory := deltatocumulativeprocessor.NewFactory()
	b.sums, err = factory.CreateMetrics(t.Context(), processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), next)
	require.NoError(t, err)
	require.NoError(t, b.sums.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() {
		b.stop(t)
		require.NoError(t, b.sums.Shutdown(context.Background()))
	})
	return b
}

func (b *deltaBackend) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", b.address)
	require.NoError(t, err)
	b.serving = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Later requests of an unordered exporter have time to overtake this one.
		b.mu.Lock()
		b.requests++
		wait := time.Duration(b.requests%3) * 20 * time.Millisecond
		b.mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if err == nil && r.Header.Get("Content-Encoding") == "gzip" {
			var plain io.Reader
			if plain, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
				body, err = io.ReadAll(plain)
			}
		}
		time.Sleep(wait)
		request := pmetricotlp.NewExportRequest()
		if err != nil || !strings.HasSuffix(r.URL.Path, "/v1/metrics") || request.UnmarshalProto(body) != nil {
			w.WriteHeader(http.StatusOK) // the conformance connector's logs
			return
		}
		b.take(r.Context(), request.Metrics())
	})}
	go func() { _ = b.serving.Serve(listener) }()
}

func (b *deltaBackend) stop(t *testing.T) {
	t.Helper()
	if b.serving != nil {
		require.NoError(t, b.serving.Close())
		b.serving = nil
	}
}

func (b *deltaBackend) take(ctx context.Context, md pmetric.Metrics) {
	b.mu.Lock()
	defer b.mu.Unlock()
	eachCounted(md, func(series string, p pmetric.NumberDataPoint) {
		key := fmt.Sprint(series, p.Timestamp())
		switch {
		case b.times[key]:
			b.repeated++
			return
		case p.Timestamp() <= b.last[series] || p.StartTimestamp() < b.last[series]:
			b.late = append(b.late, fmt.Sprintf("%s %s after %s", series, p.Timestamp().AsTime(), b.last[series].AsTime()))
		default:
			b.last[series] = p.Timestamp()
		}
		b.times[key] = true
		b.points++
	})
	_ = b.sums.ConsumeMetrics(ctx, md)
}

// sum keeps the last sum of each series.
func (b *deltaBackend) sum(_ context.Context, md pmetric.Metrics) error {
	eachCounted(md, func(series string, p pmetric.NumberDataPoint) { b.values[series] = p.IntValue() })
	return nil
}

// eachCounted calls do for the points of the metric that deltaLoad sends.
func eachCounted(md pmetric.Metrics, do func(series string, p pmetric.NumberDataPoint)) {
	for resource, m := range collectortest.MetricsByResource(md) {
		if m.Name() != countedName {
			continue
		}
		for _, p := range m.Sum().DataPoints().All() {
			do(fmt.Sprint(collectortest.ServiceName(resource), p.Attributes().AsRaw()), p)
		}
	}
}

func (b *deltaBackend) total() (total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, value := range b.values {
		total += value
	}
	return total
}

// taken returns the number of points that came.
func (b *deltaBackend) taken() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.points
}

// requireAll waits until the sums are what was sent, and requires the order.
func (b *deltaBackend) requireAll(t *testing.T, load *deltaLoad) {
	t.Helper()
	sent := load.sent.Load()
	collectortest.Eventually(t, 2*time.Minute, func() (bool, string) {
		total := b.total()
		return total >= sent, fmt.Sprintf("%d of %d counted", total, sent)
	})
	assert.Equal(t, sent, b.total())
	b.mu.Lock()
	defer b.mu.Unlock()
	t.Logf("%d requests, %d points of %d series, %d repeated, %d late", b.requests, b.points, len(b.last), b.repeated, len(b.late))
	assert.Empty(t, b.late)
	assert.Greater(t, b.requests, 5)
}

// deltaLoad sends deltas by several connections. Each has its own attribute sets, and some are always new:
// far more than the limit allows, so these are merged into one series.
type deltaLoad struct{ sent, requests atomic.Int64 }

const (
	countedName  = "tc_order_counted_total"
	pointsOfEach = 100
)

func (l *deltaLoad) send(t *testing.T, c *collectortest.Collector, requests int) {
	t.Helper()
	const connections = 8
	target := l.requests.Load() + int64(requests)
	filler := strings.Repeat("x", 100)
	var all sync.WaitGroup
	for connection := range connections {
		all.Go(func() {
			before := time.Now()
			for {
				n := l.requests.Add(1)
				if n > target {
					l.requests.Add(-1)
					return
				}
				md := pmetric.NewMetrics()
				rm := md.ResourceMetrics().AppendEmpty()
				rm.Resource().Attributes().PutStr("service.name", "order")
				m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
				m.SetName(countedName)
				m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
				m.Sum().SetIsMonotonic(true)
				now := time.Now()
				for i := range pointsOfEach {
					p := m.Sum().DataPoints().AppendEmpty()
					p.Attributes().PutInt("connection", int64(connection))
					p.Attributes().PutInt("n", int64(i))
					if i%5 == 0 { // a fifth of the sets is always new
						p.Attributes().PutInt("request", n)
					}
					p.Attributes().PutStr("filler", filler)
					p.SetStartTimestamp(pcommon.NewTimestampFromTime(before))
					p.SetTimestamp(pcommon.NewTimestampFromTime(now))
					p.SetIntValue(1)
				}
				before = now
				body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
				if !assert.NoError(t, err) || !assert.Equal(t, http.StatusOK, collectortest.Post(t, c, "/v1/metrics", body, "")) {
					return
				}
				l.sent.Add(pointsOfEach)
			}
		})
	}
	all.Wait()
}
