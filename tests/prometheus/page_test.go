// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// pageConfigs are the configurations that show all metrics on a page, by profile.
func pageConfigs() map[string][]string {
	return map[string][]string{"gateway": collectortest.WithFragments("gateway-prometheus-page"), "dev": {"builtin:dev"}}
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

func addGauge(all pmetric.MetricSlice, name, key string, timestamp time.Time, values ...string) {
	metric := all.AppendEmpty()
	metric.SetName(name)
	points := metric.SetEmptyGauge().DataPoints()
	for i, value := range values {
		p := points.AppendEmpty()
		p.SetTimestamp(pcommon.NewTimestampFromTime(timestamp))
		p.SetIntValue(int64(i))
		p.Attributes().PutStr(key, value)
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
			collectortest.PostMetrics(t, c, shopMetrics("hostile", func(all pmetric.MetricSlice) {
				for i, value := range []string{"nul\x00", "line\nend", `quote"`, `back\`, "\u2028", "{}#", "# EOF", "\u202e"} {
					addGauge(all, fmt.Sprint("tc_hostile", i), "le", time.Now(), value)
					all.At(all.Len() - 1).SetDescription("Is " + value + " for all.")
					addGauge(all, fmt.Sprint("tc_others", i), "__name__", time.Now(), value)
					addGauge(all, fmt.Sprint("tc_", value), "job", time.Now(), value)
				}
			}))
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
