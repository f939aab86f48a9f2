// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/metadatatest"
	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

// gauge adds a gauge with a point for each series, at a time in seconds.
func gauge(all pmetric.MetricSlice, name string, second int64, series ...string) pmetric.NumberDataPointSlice {
	m := all.AppendEmpty()
	m.SetName(name)
	m.SetDescription("What it is.")
	points := m.SetEmptyGauge().DataPoints()
	for _, attribute := range series {
		p := points.AppendEmpty()
		p.SetTimestamp(seconds(second))
		p.SetDoubleValue(float64(second))
		key, value, _ := strings.Cut(attribute, "=")
		p.Attributes().PutStr(key, value)
	}
	return points
}

func seconds(second int64) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(someTime.Add(time.Duration(second) * time.Second))
}

func counter(all pmetric.MetricSlice, name string, second, value int64) {
	m := all.AppendEmpty()
	m.SetName(name)
	sum := m.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	p := sum.DataPoints().AppendEmpty()
	p.SetTimestamp(seconds(second))
	p.SetIntValue(value)
}

const ofShop = `instance="shop-1",job="shop"`

func TestStaleMarkerRemovesItsSeriesOnly(t *testing.T) {
	s := serve(t, nil)
	s.consume(t, metrics(func(all pmetric.MetricSlice) { gauge(all, "level", 1, "pod=a", "pod=b", "pod=c") }))
	assert.Len(t, s.lines(t, "level"), 3)
	s.consume(t, metrics(func(all pmetric.MetricSlice) {
		points := gauge(all, "level", 2, "pod=a", "pod=b", "pod=c", "pod=d")
		points.At(0).SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
	}))
	assert.Equal(t, []string{
		`level{` + ofShop + `,pod="b"} 2`, `level{` + ofShop + `,pod="c"} 2`, `level{` + ofShop + `,pod="d"} 2`,
	}, s.lines(t, "level"))
	// With its last series the family is removed, so that another type can have the name.
	s.consume(t, metrics(func(all pmetric.MetricSlice) {
		for _, p := range gauge(all, "level", 3, "pod=b", "pod=c", "pod=d").All() {
			p.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
		}
	}))
	assert.NotContains(t, s.families(t), "level")
}

func TestLabelsNeverHideSeries(t *testing.T) {
	s := serve(t, nil)
	s.consume(t, metrics(func(all pmetric.MetricSlice) {
		gauge(all, "level", 1, "..x=1", "_=2", "中文=3", "job=4", "le=5", "=6", "a=\xff")
	}))
	assert.Len(t, s.lines(t, "level{"), 7)
	assert.Contains(t, s.lines(t, "key__x"), `level{`+ofShop+`,key__x="1"} 1`)
	assert.Len(t, s.families(t)["level"].GetMetric(), 7, "protobuf")
}

func TestTargetInfo(t *testing.T) {
	s := serve(t, nil)
	version := func(v string) pmetric.Metrics {
		batch := metrics(func(all pmetric.MetricSlice) { gauge(all, "level", 1, "pod=a") })
		batch.ResourceMetrics().At(0).Resource().Attributes().PutStr("service.version", v)
		return batch
	}
	s.consume(t, version("1"))
	s.consume(t, version("1"))
	assert.Equal(t, []string{`target_info{` + ofShop + `,service_version="1"} 1`}, s.lines(t, "target_info"))
	s.consume(t, version("2"))
	assert.Equal(t, []string{`target_info{` + ofShop + `,service_version="2"} 1`}, s.lines(t, "target_info"), "a join needs one")
	// A batch without shown points has no target.
	refused := version("3")
	refused.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).SetEmptySum().DataPoints().AppendEmpty()
	s.consume(t, refused)
	assert.Len(t, s.lines(t, `service_version="2"`), 1)
}

func TestExpiration(t *testing.T) {
	s := serve(t, func(cfg *Config) { cfg.MetricExpiration = time.Second })
	s.consume(t, metrics(func(all pmetric.MetricSlice) { gauge(all, "level", 1, "pod=a") }))
	assert.Len(t, s.lines(t, ""), 2)
	assert.Eventually(t, func() bool { return len(s.lines(t, "")) == 0 }, time.Minute, 50*time.Millisecond)
	s.consume(t, metrics(func(all pmetric.MetricSlice) { counter(all, "level", 1, 3) }))
	assert.Len(t, s.lines(t, "level_total"), 1)
}

// observed is an exporter with its log and metrics.
func observed(t *testing.T, change func(*Config)) (*served, *observer.ObservedLogs, func(map[string]int64)) {
	t.Helper()
	cfg := defaultConfig().(*Config)
	cfg.ServerConfig.ServerConfig.NetAddr.Endpoint = freeAddress(t)
	if change != nil {
		change(cfg)
	}
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { assert.NoError(t, telemetry.Shutdown(context.Background())) })
	set := exportertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	core, logs := observer.New(zap.InfoLevel)
	set.Logger = zap.New(core)
	e, err := NewFactory().CreateMetrics(t.Context(), set, cfg)
	require.NoError(t, err)
	return start(t, e, cfg.ServerConfig.ServerConfig.NetAddr.Endpoint), logs, func(want map[string]int64) {
		t.Helper()
		var points []metricdata.DataPoint[int64]
		for why, n := range want {
			points = append(points, metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(
				attribute.String(exporterKey, set.ID.String()), attribute.String(reasonKey, why))})
		}
		metadatatest.AssertEqualPrometheusPageRefusedPoints(t, telemetry, points, metricdatatest.IgnoreTimestamp())
	}
}

func TestConflicts(t *testing.T) {
	s, logs, refused := observed(t, nil)
	for range 3 {
		s.consume(t, metrics(func(all pmetric.MetricSlice) {
			gauge(all, "level", 1, "pod=a")
			gauge(all, "level", 1, "pod=b").At(0).SetIntValue(7)
			all.At(1).SetDescription("Another description.")
			h := all.AppendEmpty()
			h.SetName("level")
			h.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			h.Histogram().DataPoints().AppendEmpty()
			latency := all.AppendEmpty()
			latency.SetName("latency")
			latency.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			latency.Histogram().DataPoints().AppendEmpty()
			gauge(all, "latency.count", 1, "pod=a")
			gauge(all, "size_bucket", 1, "pod=a")
			size := all.AppendEmpty()
			size.SetName("size")
			size.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			size.Histogram().DataPoints().AppendEmpty()
			gauge(all, "中文", 1, "pod=a")
			gauge(all, "last", 1, "pod=a")
		}))
	}
	assert.Len(t, s.lines(t, "level{"), 2)
	_, body := s.get(t, textFormat)
	assert.Equal(t, 1, strings.Count(string(body), "# HELP level What it is."))
	assert.NotContains(t, string(body), "Another")
	assert.Len(t, s.lines(t, "latency_count"), 1)
	assert.Len(t, s.lines(t, "size_bucket"), 1)
	assert.Len(t, s.lines(t, "last"), 1)
	refused(map[string]int64{"conflict": 9, "name": 3})
	assert.Equal(t, 2, logs.Len(), "one line a minute and reason, and none for a scrape")
}

func TestUnknownTemporality(t *testing.T) {
	s, _, refused := observed(t, nil)
	s.consume(t, metrics(func(all pmetric.MetricSlice) {
		counter(all, "unknown", 1, 1)
		all.At(0).Sum().SetAggregationTemporality(pmetric.AggregationTemporalityUnspecified)
		counter(all, "falling", 1, 1)
		all.At(1).Sum().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
		all.At(1).Sum().SetIsMonotonic(false)
		all.AppendEmpty().SetName("nothing")
	}))
	assert.Empty(t, s.families(t))
	refused(map[string]int64{"temporality": 2})
}

// At the limits, new series are refused, existing ones are updated, and the page does not grow.
func TestLimits(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"memory": func(cfg *Config) { cfg.MaxMemoryMib = 1 },
		"page":   func(cfg *Config) { cfg.MaxPageMib = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, change)
			fill := func(second int64) {
				s.consume(t, metrics(func(all pmetric.MetricSlice) {
					for i := range 50 {
						points := gauge(all, fmt.Sprint("level", i), second)
						for j := range 200 {
							p := points.AppendEmpty()
							p.SetTimestamp(seconds(second))
							p.SetIntValue(second)
							p.Attributes().PutStr("pod", strings.Repeat("\"", 50)+fmt.Sprint(j))
						}
					}
				}))
			}
			fill(1)
			before := s.lines(t, "level")
			_, body := s.get(t, textFormat)
			assert.Less(t, len(body), 1<<20)
			assert.Greater(t, len(before), 500)
			assert.Less(t, len(before), 9000)
			fill(2)
			after := s.lines(t, "level")
			require.Len(t, after, len(before))
			for i := range after {
				assert.True(t, strings.HasSuffix(after[i], " 2"), after[i])
			}
		})
	}
}

func TestSizes(t *testing.T) {
	s, _, refused := observed(t, nil)
	s.consume(t, metrics(func(all pmetric.MetricSlice) {
		gauge(all, strings.Repeat("n", 1025), 1, "pod=a")
		gauge(all, "long_key", 1, strings.Repeat("k", 1025)+"=v")
		gauge(all, "long_value", 1, "pod="+strings.Repeat("v", 1<<20))
		h := all.AppendEmpty()
		h.SetName("many_buckets")
		h.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		p := h.Histogram().DataPoints().AppendEmpty()
		bounds := make([]float64, 100_000)
		for i := range bounds {
			bounds[i] = float64(i)
		}
		p.ExplicitBounds().FromRaw(bounds)
		p.BucketCounts().FromRaw(make([]uint64, len(bounds)+1))
		gauge(all, "fine", 1, "pod=a")
	}))
	assert.Len(t, s.lines(t, ""), 2, "fine and target_info")
	refused(map[string]int64{"name": 1, "size": 3})
}

func TestServer(t *testing.T) {
	s := serve(t, nil)
	status := func(method, url, host string) int {
		request, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
		require.NoError(t, err)
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	assert.Equal(t, http.StatusOK, status(http.MethodGet, s.url, ""))
	assert.Equal(t, http.StatusMethodNotAllowed, status(http.MethodPost, s.url, ""))
	assert.Equal(t, http.StatusNotFound, status(http.MethodGet, strings.TrimSuffix(s.url, "metrics"), ""))
	assert.Equal(t, http.StatusMisdirectedRequest, status(http.MethodGet, s.url, "evil.example"))
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, defaultConfig) }

// A batch from a clock that is ahead does not keep later points off the page.
func TestPointsOfTheFuture(t *testing.T) {
	day := pcommon.Timestamp(24 * time.Hour)
	for name, ahead := range map[string]func(now pcommon.Timestamp) (start, at pcommon.Timestamp){
		"start is right":  func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now - 1000, now + day },
		"start is ahead":  func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now + day - 1000, now + day },
		"start is at":     func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now + day, now + day },
		"start not known": func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return 0, now + day },
		"largest time":    func(now pcommon.Timestamp) (start, at pcommon.Timestamp) { return now - 1000, math.MaxUint64 },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, nil)
			send := func(value int64, start, timestamp pcommon.Timestamp) {
				t.Helper()
				s.consume(t, metrics(func(all pmetric.MetricSlice) {
					fromFile(t, "timed.json", "VALUE", fmt.Sprint(value), "START", fmt.Sprint(uint64(start)), "TIME", fmt.Sprint(uint64(timestamp))).CopyTo(all)
				}))
				time.Sleep(time.Millisecond) // after the time of arrival
			}
			now := func() pcommon.Timestamp { return pcommon.NewTimestampFromTime(time.Now()) }
			last := now()
			time.Sleep(time.Millisecond)
			honest := func(value int64) {
				t.Helper()
				at := now()
				send(value, last, at)
				last = at
			}
			assertShown := func(latest, total int) {
				t.Helper()
				var got []string
				for _, line := range s.lines(t, "timed") {
					name, _, _ := strings.Cut(line, "{")
					if _, value, ok := strings.Cut(line, "} "); ok && !strings.HasSuffix(name, "_bucket") && !strings.HasSuffix(name, "_sum") {
						got = append(got, name+" "+value)
					}
				}
				assert.ElementsMatch(t, []string{
					fmt.Sprint("timed_gauge ", latest), fmt.Sprint("timed_cumulative_total ", latest), fmt.Sprint("timed_histogram_count ", latest),
					fmt.Sprint("timed_exponential_count ", latest), fmt.Sprint("timed_summary_count ", latest),
					fmt.Sprint("timed_delta_total ", total), fmt.Sprint("timed_delta_histogram_count ", total), fmt.Sprint("timed_delta_exponential_count ", total),
				}, got)
			}
			honest(1)
			assertShown(1, 1)
			start, at := ahead(now())
			send(9, start, at)
			assertShown(9, 10)
			last = now() // the sender's next point covers the time after it
			time.Sleep(time.Millisecond)
			total := 1 + 9
			for value := 2; value < 7; value++ {
				honest(int64(value))
				total += value
				assertShown(value, total)
			}
		})
	}
}

// A counter that was scraped under a name without _total has that name in every format. A name that a pack
// has given, or an SDK, gets its suffixes.
func TestNamesOfScrapedMetrics(t *testing.T) {
	s := serve(t, nil)
	s.consume(t, metrics(func(all pmetric.MetricSlice) {
		for _, name := range []string{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "pg__odd", "vllm:prompt_tokens_total", "tc_renamed"} {
			counter(all, name, 1, 3)
			all.At(all.Len()-1).Metadata().PutStr(naming.ScrapedTypeKey, "counter")
		}
		all.At(all.Len()-1).Metadata().PutStr(naming.OriginalNameKey, "renamed")
		counter(all, "sent", 2, 3)
	}))
	for _, name := range []string{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "pg__odd", "vllm:prompt_tokens_total", "tc_renamed_total", "sent_total"} {
		assert.Contains(t, s.families(t), name)
		for _, accept := range []string{textFormat, openMetrics} {
			_, body := s.get(t, accept)
			assert.Contains(t, string(body), "\n"+name+"{"+ofShop+"} 3", accept)
		}
	}
}
