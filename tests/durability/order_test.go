// SPDX-License-Identifier: Apache-2.0

package durability

import (
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
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
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
			backend, load := &deltaBackend{address: collectortest.FreeAddress(t), times: map[string]bool{}}, &deltaLoad{}
			options := collectortest.Options{
				Configs: []string{"builtin:gateway", fmt.Sprintf(quickRetry, "otlp_http")},
				Env: map[string]string{
					"OTELCOL_TC_BACKEND":     "http://" + backend.address,
					"OTELCOL_TC_COMPRESSION": "none",
					"OTELCOL_TC_STATE":       filepath.Join(t.TempDir(), "state"),
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
					return backend.come() > 0, "nothing came"
				})
				end(t, gateway)
				gateway = collectortest.Start(t, options)
			}
			load.send(t, gateway, 40)
			backend.requireAll(t, load)
		})
	}
}

// deltaBackend takes metrics over HTTP, and keeps them in the order in which it has answered.
type deltaBackend struct {
	address string

	mu      sync.Mutex
	asked   int
	taken   []pmetric.Metrics
	times   map[string]bool // series and times that came
	counted int64           // without those that came again
}

func (b *deltaBackend) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", b.address)
	require.NoError(t, err)
	server := &http.Server{Handler: b}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
}

func (b *deltaBackend) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	// Later requests of an unordered exporter have time to overtake this one.
	b.mu.Lock()
	b.asked++
	wait := time.Duration(b.asked%3) * 20 * time.Millisecond
	b.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	time.Sleep(wait)
	request := pmetricotlp.NewExportRequest()
	if err != nil || !strings.HasSuffix(r.URL.Path, "/v1/metrics") || request.UnmarshalProto(body) != nil {
		return // the conformance connector's logs
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = append(b.taken, request.Metrics())
	eachCounted(b.taken[len(b.taken)-1:], func(series string, p pmetric.NumberDataPoint) {
		if key := fmt.Sprint(series, p.Timestamp()); !b.times[key] {
			b.times[key] = true
			b.counted += p.IntValue()
		}
	})
}

// eachCounted calls do for the points of the metric that deltaLoad sends.
func eachCounted(all []pmetric.Metrics, do func(series string, p pmetric.NumberDataPoint)) {
	for _, md := range all {
		for resource, m := range collectortest.MetricsByResource(md) {
			if m.Name() != countedName {
				continue
			}
			for _, p := range m.Sum().DataPoints().All() {
				do(fmt.Sprint(collectortest.ServiceName(resource), p.Attributes().AsRaw()), p)
			}
		}
	}
}

// come returns the sum of the deltas that came, each counted once.
func (b *deltaBackend) come() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counted
}

// requireAll waits until all that was sent has come. It requires the order of each series' points, and that the stock
// processor turns them into sums of all.
func (b *deltaBackend) requireAll(t *testing.T, load *deltaLoad) {
	t.Helper()
	sent := load.sent.Load()
	collectortest.Eventually(t, 2*time.Minute, func() (bool, string) {
		return b.come() >= sent, fmt.Sprintf("%d of %d counted", b.come(), sent)
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Greater(t, len(b.taken), 5)
	last, times := map[string]pcommon.Timestamp{}, map[string]bool{}
	eachCounted(b.taken, func(series string, p pmetric.NumberDataPoint) {
		key := fmt.Sprint(series, p.Timestamp())
		if !times[key] && (p.Timestamp() <= last[series] || p.StartTimestamp() < last[series]) {
			t.Errorf("%s: %s after %s", series, p.Timestamp().AsTime(), last[series].AsTime())
		}
		times[key] = true
		last[series] = max(last[series], p.Timestamp())
	})

	factory, sums := deltatocumulativeprocessor.NewFactory(), &consumertest.MetricsSink{}
	stock, err := factory.CreateMetrics(t.Context(), processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), sums)
	require.NoError(t, err)
	require.NoError(t, stock.Start(t.Context(), componenttest.NewNopHost()))
	for _, md := range b.taken {
		_ = stock.ConsumeMetrics(t.Context(), md) // what it does not take is missing in the sums
	}
	require.NoError(t, stock.Shutdown(t.Context()))
	values, total := map[string]int64{}, int64(0)
	eachCounted(sums.AllMetrics(), func(series string, p pmetric.NumberDataPoint) {
		total += p.IntValue() - values[series]
		values[series] = p.IntValue()
	})
	assert.Equal(t, sent, total)
	t.Logf("%d requests, %d points of %d series", len(b.taken), len(times), len(values))
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
