// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-tc/otelcol-tc/extension/readinessextension/internal/metadatatest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// The test runs the extension as the collector does: over HTTP, with its own metrics.
func TestAnswersAndMetrics(t *testing.T) {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	cfg := defaultConfig().(*Config)
	cfg.HTTP.ServerConfig.NetAddr.Endpoint = addresses[0]
	telemetry := componenttest.NewTelemetry()
	ext, err := NewFactory().Create(t.Context(), metadatatest.NewSettings(telemetry), cfg)
	require.NoError(t, err)
	require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
	// A client that sends nothing must not delay the shutdown.
	silent, err := net.Dial("tcp", addresses[0])
	require.NoError(t, err)
	defer silent.Close()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path string) (int, string, http.Header) {
		response, err := client.Get("http://" + addresses[0] + path)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body), response.Header
	}
	status, body, header := get("/")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, "application/json", header.Get("Content-Type"))
	var answer Answer
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	require.Len(t, answer.Conditions, 1)
	assert.Equal(t, pipelinesNotRunning, answer.Conditions[0].Condition)
	assert.True(t, answer.Conditions[0].Fails)
	requireMetrics(t, telemetry, 0, pipelinesNotRunning)

	require.NoError(t, ext.(*readiness).Ready())
	status, body, _ = get("/")
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"ready": true, "conditions": []}`, body)
	requireMetrics(t, telemetry, 1)
	status, _, _ = get("/metrics")
	assert.Equal(t, http.StatusNotFound, status)

	begun := time.Now()
	require.NoError(t, ext.Shutdown(context.WithoutCancel(t.Context())))
	assert.Less(t, time.Since(begun), 4*time.Second)
	require.NoError(t, telemetry.Shutdown(context.WithoutCancel(t.Context())))
}

// requireMetrics checks that exactly these conditions have one component each.
func requireMetrics(t *testing.T, telemetry *componenttest.Telemetry, ready int64, conditions ...string) {
	t.Helper()
	var points []metricdata.DataPoint[int64]
	for _, condition := range allConditions {
		point := metricdata.DataPoint[int64]{Attributes: attribute.NewSet(attribute.String("condition", condition))}
		for _, has := range conditions {
			if has == condition {
				point.Value = 1
			}
		}
		points = append(points, point)
	}
	ignore := metricdatatest.IgnoreTimestamp()
	metadatatest.AssertEqualReadinessConditions(t, telemetry, points, ignore)
	metadatatest.AssertEqualReadinessReady(t, telemetry, []metricdata.DataPoint[int64]{{Value: ready}}, ignore)
}

func TestFetch(t *testing.T) {
	f := func(handler http.HandlerFunc, want string) {
		t.Helper()
		server := httptest.NewServer(handler)
		defer server.Close()
		families, err := fetch(t.Context(), strings.TrimPrefix(server.URL, "http://"))
		if want != "" {
			assert.ErrorContains(t, err, want)
			return
		}
		require.NoError(t, err)
		assert.Contains(t, families, "a")
	}
	f(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a 1\n") }, "")
	f(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "/metrics: 401 Unauthorized")
	f(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>\n") }, "text format parsing error")
}
