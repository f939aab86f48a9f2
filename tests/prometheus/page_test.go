// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// sendMetrics send metrics to a collector.
var sendMetrics = map[string]func(*testing.T, *collectortest.Collector, pmetric.Metrics){
	"HTTP": collectortest.PostMetrics,
	"gRPC": exportMetrics,
}

func exportMetrics(t *testing.T, c *collectortest.Collector, metrics pmetric.Metrics) {
	t.Helper()
	connection, err := grpc.NewClient(c.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer func() { assert.NoError(t, connection.Close()) }()
	_, err = pmetricotlp.NewGRPCClient(connection).Export(t.Context(), pmetricotlp.NewExportRequestFromMetrics(metrics))
	require.NoError(t, err)
}

// pageConfigs are the configurations that show all metrics on a page, by profile.
func pageConfigs() map[string][]string {
	return map[string][]string{"gateway": collectortest.WithFragments("gateway-prometheus-page"), "dev": {"builtin:dev"}}
}

// onPages runs a test on each profile that has a page, with metrics that come over each protocol.
func onPages(t *testing.T, test func(t *testing.T, c *collectortest.Collector, send func(pmetric.Metrics))) {
	t.Parallel()
	for profile, configs := range pageConfigs() {
		for protocol, send := range sendMetrics {
			t.Run(profile+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				c := collectortest.Start(t, collectortest.Options{Configs: configs})
				test(t, c, func(metrics pmetric.Metrics) { send(t, c, metrics) })
			})
		}
	}
}

// shopMetrics is a batch of one service.
func shopMetrics(service string, add func(pmetric.MetricSlice)) pmetric.Metrics {
	metrics := pmetric.NewMetrics()
	resource := metrics.ResourceMetrics().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", service)
	resource.Resource().Attributes().PutStr("service.instance.id", service+"-1")
	add(resource.ScopeMetrics().AppendEmpty().Metrics())
	return metrics
}

func addGauge(all pmetric.MetricSlice, name, key string, at time.Time, values ...string) pmetric.NumberDataPointSlice {
	metric := all.AppendEmpty()
	metric.SetName(name)
	points := metric.SetEmptyGauge().DataPoints()
	for i, value := range values {
		p := points.AppendEmpty()
		p.SetTimestamp(pcommon.NewTimestampFromTime(at))
		p.SetIntValue(int64(i))
		p.Attributes().PutStr(key, value)
	}
	return points
}

// labelValues returns what the series of a family have for a label.
func labelValues(page map[string]*dto.MetricFamily, name, label string) (values []string) {
	for _, metric := range page[name].GetMetric() {
		for _, pair := range metric.GetLabel() {
			if pair.GetName() == label {
				values = append(values, pair.GetValue())
			}
		}
	}
	slices.Sort(values)
	return values
}

// A stale marker takes its series from the page at once, and the other points of its batch are shown.
func TestPageWithStaleMarker(t *testing.T) {
	onPages(t, func(t *testing.T, c *collectortest.Collector, send func(pmetric.Metrics)) {
		now := time.Now()
		send(shopMetrics("shop", func(all pmetric.MetricSlice) { addGauge(all, "tc_level", "shelf", now, "a", "b") }))
		assert.Equal(t, []string{"a", "b"}, labelValues(c.Scrape(t), "tc_level", "shelf"))
		send(shopMetrics("shop", func(all pmetric.MetricSlice) {
			points := addGauge(all, "tc_level", "shelf", now.Add(time.Millisecond), "a", "b", "c")
			points.At(0).SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
		}))
		assert.Equal(t, []string{"b", "c"}, labelValues(c.Scrape(t), "tc_level", "shelf"))
	})
}

// Labels that Prometheus keeps for itself hide no series, and cost no lines of log at a scrape.
func TestPageWithReservedLabels(t *testing.T) {
	onPages(t, func(t *testing.T, c *collectortest.Collector, send func(pmetric.Metrics)) {
		send(shopMetrics("shop", func(all pmetric.MetricSlice) {
			for i, key := range []string{"__x", "..y", "中文", "_"} {
				addGauge(all, fmt.Sprint("tc_level", i), key, time.Now(), "a", "b")
			}
		}))
		logged := strings.Count(c.Logs(), "\n")
		var page map[string]*dto.MetricFamily
		for range 10 {
			page = c.Scrape(t)
		}
		for i := range 4 {
			assert.Len(t, page[fmt.Sprint("tc_level", i)].GetMetric(), 2)
		}
		assert.Equal(t, []string{"a", "b"}, labelValues(page, "tc_level0", "key__x"))
		assert.Less(t, strings.Count(c.Logs(), "\n"), logged+10, "lines of log at 10 scrapes")
	})
}

// An SDK changes its scale when its values spread. Deltas go on adding up.
func TestPageWithScaleChange(t *testing.T) {
	onPages(t, func(t *testing.T, c *collectortest.Collector, send func(pmetric.Metrics)) {
		start := time.Now().Add(-time.Minute)
		for i, point := range []struct {
			scale, offset int32
			counts        []uint64
		}{{3, 1, []uint64{1, 0, 1}}, {0, -3, []uint64{1, 0, 0, 2}}, {3, 5, []uint64{4}}} {
			send(shopMetrics("shop", func(all pmetric.MetricSlice) {
				metric := all.AppendEmpty()
				metric.SetName("tc_wait_seconds")
				h := metric.SetEmptyExponentialHistogram()
				h.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
				p := h.DataPoints().AppendEmpty()
				p.SetStartTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Duration(i) * time.Second)))
				p.SetTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Duration(i+1) * time.Second)))
				p.SetScale(point.scale)
				p.Positive().SetOffset(point.offset)
				p.Positive().BucketCounts().FromRaw(point.counts)
				for _, count := range point.counts {
					p.SetCount(p.Count() + count)
				}
			}))
		}
		page := scrapeProtobuf(t, c)
		require.Contains(t, page, "tc_wait_seconds")
		h := page["tc_wait_seconds"].GetMetric()[0].GetHistogram()
		assert.EqualValues(t, 9, h.GetSampleCount())
		assert.EqualValues(t, 0, h.GetSchema())
		// Buckets -3 and 0 of OpenTelemetry are -2 and 1 of Prometheus.
		assert.EqualValues(t, -2, h.GetPositiveSpan()[0].GetOffset())
		assert.Equal(t, 9.0, collectortest.Sum(c.Scrape(t)["tc_wait_seconds"], nil))
	})
}

// Two services with two types under one name: the first one is shown, and the rest of both.
func TestPageWithTypeConflict(t *testing.T) {
	onPages(t, func(t *testing.T, c *collectortest.Collector, send func(pmetric.Metrics)) {
		now := time.Now()
		send(shopMetrics("shop", func(all pmetric.MetricSlice) { addGauge(all, "tc_level", "shelf", now, "a") }))
		for range 2 {
			send(shopMetrics("bank", func(all pmetric.MetricSlice) {
				metric := all.AppendEmpty()
				metric.SetName("tc_level")
				metric.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
				metric.Histogram().DataPoints().AppendEmpty().SetTimestamp(pcommon.NewTimestampFromTime(now))
				addGauge(all, "tc_vault", "floor", now, "1")
			}))
		}
		for range 5 {
			page := c.Scrape(t)
			assert.Equal(t, dto.MetricType_GAUGE, page["tc_level"].GetType())
			assert.Len(t, page["tc_level"].GetMetric(), 1)
			assert.Len(t, page["tc_vault"].GetMetric(), 1)
		}
		assert.Equal(t, 1, strings.Count(c.Logs(), "does not show some points"))
		refused := c.SelfMetrics(t)["otelcol_prometheus_page_refused_points"]
		assert.Equal(t, 2.0, collectortest.Sum(refused, map[string]string{"reason": "conflict"}))
	})
}

// scrapeProtobuf reads the page as Prometheus does for native histograms.
func scrapeProtobuf(t *testing.T, c *collectortest.Collector) map[string]*dto.MetricFamily {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+c.Prometheus+"/metrics", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Accept", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	decoder := expfmt.NewDecoder(response.Body, expfmt.ResponseFormat(response.Header))
	page := map[string]*dto.MetricFamily{}
	for {
		family := &dto.MetricFamily{}
		err := decoder.Decode(family)
		if errors.Is(err, io.EOF) {
			return page
		}
		require.NoError(t, err)
		page[family.GetName()] = family
	}
}

// The page has a bound. Series that are shown go on, and new ones are refused and counted.
func TestPageIsBounded(t *testing.T) {
	t.Parallel()
	for profile, configs := range pageConfigs() {
		configs = append(configs, "yaml:exporters: {prometheus_page: {max_page_mib: 1}}")
		for protocol, send := range sendMetrics {
			t.Run(profile+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				c := collectortest.Start(t, collectortest.Options{Configs: configs})
				now := time.Now()
				send(t, c, shopMetrics("shop", func(all pmetric.MetricSlice) { addGauge(all, "tc_level", "shelf", now, "a") }))
				for i := range 10 {
					send(t, c, shopMetrics("crowd", func(all pmetric.MetricSlice) {
						var values []string
						for j := range 1000 {
							values = append(values, fmt.Sprint(strings.Repeat("x", 200), j))
						}
						addGauge(all, fmt.Sprint("tc_crowd", i), "guest", now, values...)
					}))
				}
				send(t, c, shopMetrics("shop", func(all pmetric.MetricSlice) {
					addGauge(all, "tc_level", "shelf", now.Add(time.Second), "a").At(0).SetIntValue(7)
				}))
				response, err := http.Get("http://" + c.Prometheus + "/metrics")
				require.NoError(t, err)
				defer response.Body.Close()
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				assert.Less(t, len(body), collectortest.MiB)
				assert.Greater(t, len(body), collectortest.MiB/4)
				assert.Equal(t, 7.0, collectortest.Sum(c.Scrape(t)["tc_level"], nil))
				refused := c.SelfMetrics(t)["otelcol_prometheus_page_refused_points"]
				assert.Greater(t, collectortest.Sum(refused, map[string]string{"reason": "limit"}), 5000.0)
			})
		}
	}
}

// A Prometheus server reads the page whatever was sent before.
func TestPageInPrometheus(t *testing.T) {
	t.Parallel()
	for profile, configs := range pageConfigs() {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			p := servers.StartPrometheus(t, map[string]*collectortest.Collector{"page": c})
			for _, send := range sendMetrics {
				send(t, c, shopMetrics("hostile", func(all pmetric.MetricSlice) {
					for i, value := range []string{"nul\x00", "line\nend", `quote"`, `back\`, "\u2028", "{}#", "# EOF", "\u202e"} {
						addGauge(all, fmt.Sprint("tc_hostile", i), "le", time.Now(), value)
						all.At(all.Len() - 1).SetDescription("Is " + value + " for all.")
						addGauge(all, fmt.Sprint("tc_others", i), "__name__", time.Now(), value)
						addGauge(all, fmt.Sprint("tc_", value), "job", time.Now(), value)
					}
				}))
			}
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				found := servers.Query[model.Vector](t, p, `{job="hostile", __name__=~"tc_hostile.*|tc_others.*"}`, time.Now())
				return len(found) == 16, fmt.Sprintf("%d series: %v", len(found), found)
			})
			for _, sample := range servers.Query[model.Matrix](t, p, `up{pipeline="page"}`+servers.LookBack, time.Now())[0].Values {
				assert.EqualValues(t, 1, sample.Value, "at %s", sample.Timestamp)
			}
		})
	}
}

// Clients that ask and do not read take no place from a client at another address.
func TestPageWithSlowReaders(t *testing.T) {
	t.Parallel()
	for profile, configs := range pageConfigs() {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			var values []string
			for i := range 1500 {
				values = append(values, fmt.Sprint(strings.Repeat("x", 300), i))
			}
			for i := range 25 {
				collectortest.PostMetrics(t, c, shopMetrics("crowd", func(all pmetric.MetricSlice) {
					addGauge(all, fmt.Sprint("tc_crowd", i), "guest", time.Now(), values...)
				}))
			}
			for range 20 {
				connection, err := net.Dial("tcp", c.Prometheus)
				require.NoError(t, err)
				defer connection.Close()
				_, err = io.WriteString(connection, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
				require.NoError(t, err)
			}
			elsewhere := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 77)}}
			other := &http.Client{Transport: &http.Transport{DialContext: elsewhere.DialContext}}
			defer other.CloseIdleConnections()
			for range 3 {
				response, err := other.Get("http://" + c.Prometheus + "/metrics")
				require.NoError(t, err)
				n, err := io.Copy(io.Discard, response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				assert.Equal(t, http.StatusOK, response.StatusCode)
				assert.Greater(t, n, int64(10*collectortest.MiB))
			}
		})
	}
}
