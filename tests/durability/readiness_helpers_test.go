// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// spanBackend takes spans over OTLP/HTTP, or answers what a test tells it to.
type spanBackend struct {
	*httptest.Server
	status atomic.Int64

	mu    sync.Mutex
	names map[string]bool // of the spans that it took; guarded by mu
}

func startSpanBackend(t *testing.T, status int) *spanBackend {
	t.Helper()
	b := &spanBackend{names: map[string]bool{}}
	b.status.Store(int64(status))
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *spanBackend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := ptraceotlp.NewExportRequest()
	if status := int(b.status.Load()); status != http.StatusOK || err != nil || request.UnmarshalProto(body) != nil {
		w.WriteHeader(status)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, resource := range request.Traces().ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				b.names[span.Name()] = true
			}
		}
	}
}

// took tells which spans have arrived.
func (b *spanBackend) took(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.names[name]
}

// forwarding is a collector that sends spans to a backend. What changes comes in a second file.
const forwarding = `
receivers:
  otlp: {protocols: {http: {endpoint: "${env:OTELCOL_TC_OTLP_HTTP_ENDPOINT}"}}}
exporters:
  otlp_http:
    endpoint: ${env:TC_BACKEND}
    compression: none
    retry_on_failure: {initial_interval: 100ms, max_interval: 200ms, max_elapsed_time: 0s}
    sending_queue: {queue_size: 20, num_consumers: 1}
extensions:
  health_check: {endpoint: "${env:OTELCOL_TC_HEALTH_ENDPOINT}"}
  readiness: {http: {endpoint: "${env:TC_READINESS}"}, interval: 200ms, grace: 1s}
service:
  extensions: [health_check, readiness]
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp_http]}
  telemetry:
    metrics:
      readers: [{pull: {exporter: {prometheus: {host: "${env:OTELCOL_TC_TELEMETRY_HOST}", port: "${env:OTELCOL_TC_TELEMETRY_PORT}"}}}}]
`

// asked is a collector whose readiness can be asked for.
type asked struct {
	*collectortest.Collector
	address string
}

func startForwarding(t *testing.T, backend string, env map[string]string, change string) asked {
	t.Helper()
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	all := map[string]string{"TC_BACKEND": backend, "TC_READINESS": addresses[0]}
	for name, value := range env {
		all[name] = value
	}
	file := filepath.Join(t.TempDir(), "forwarding.yaml")
	require.NoError(t, os.WriteFile(file, []byte(forwarding), 0o600))
	configs := []string{file}
	if change != "" {
		configs = append(configs, "yaml:"+change)
	}
	return asked{
		Collector: collectortest.Start(t, collectortest.Options{Configs: configs, Env: all}),
		address:   addresses[0],
	}
}

// waitReady asks until the answer is 200 with exactly these conditions.
func (a asked) waitReady(t *testing.T, conditions ...string) {
	t.Helper()
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		status, got := a.ask(t)
		return status == http.StatusOK && strings.Join(got, " ") == strings.Join(conditions, " "),
			fmt.Sprintf("readiness answers %d with %v, want 200 with %v", status, got, conditions)
	})
}

func (a asked) ask(t *testing.T) (status int, conditions []string) {
	t.Helper()
	response, err := http.Get("http://" + a.address)
	require.NoError(t, err)
	defer response.Body.Close()
	var answer struct {
		Conditions []struct{ Condition, Component string }
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	for _, c := range answer.Conditions {
		conditions = append(conditions, c.Condition+":"+c.Component)
	}
	return response.StatusCode, conditions
}
