// SPDX-License-Identifier: Apache-2.0

package components

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jaegertracing/jaeger-idl/model/v1"
	"github.com/jaegertracing/jaeger-idl/proto-gen/api_v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

const minimal = `yaml:
extensions: {health_check: {endpoint: "${env:OTELCOL_TC_HEALTH_ENDPOINT}"}}
processors: {memory_limiter: {check_interval: 1s, limit_mib: 256}}
exporters: {file: {path: "${env:OTELCOL_TC_DATA}/traces.json", flush_interval: 100ms}}
service: {extensions: [health_check], telemetry: {metrics: {level: none}}}
`

// One span in the format of Zipkin and one in that of Jaeger come out once.
func TestZipkinAndJaeger(t *testing.T) {
	addresses, err := loopback.FreeAddresses(2)
	require.NoError(t, err)
	c := collectortest.Start(t, collectortest.Options{Configs: []string{minimal, `yaml:
receivers: {zipkin: {endpoint: "` + addresses[0] + `"}, jaeger: {protocols: {grpc: {endpoint: "` + addresses[1] + `"}}}}
service: {pipelines: {traces: {receivers: [zipkin, jaeger], processors: [memory_limiter], exporters: [file]}}}
`}})

	const span = `[{"traceId": "000000000000000000000000000000a1", "id": "00000000000000b1", "name": "by-zipkin", "kind": "SERVER",
"timestamp": 1700000000000000, "duration": 5000, "localEndpoint": {"serviceName": "shop"}, "tags": {"http.path": "/cart"}}]`
	response, err := http.Post("http://"+addresses[0]+"/api/v2/spans", "application/json", strings.NewReader(span))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusAccepted, response.StatusCode)

	connection := collectortest.Dial(t, addresses[1])
	_, err = api_v2.NewCollectorServiceClient(connection).PostSpans(t.Context(), &api_v2.PostSpansRequest{Batch: model.Batch{
		Process: model.NewProcess("store", nil),
		Spans: []*model.Span{{
			TraceID: model.NewTraceID(0, 0xa2), SpanID: model.NewSpanID(0xb2), OperationName: "by-jaeger",
			StartTime: time.Unix(1700000000, 0), Duration: 5 * time.Millisecond,
			Tags: []model.KeyValue{model.String("http.path", "/cart")},
		}},
	}})
	require.NoError(t, err)

	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return c.Traces(t).SpanCount() >= 2, "spans are missing"
	})
	assert.Equal(t, 0, c.Stop(t).Code)
	got := map[string]string{}
	traces := c.Traces(t)
	assert.Equal(t, 2, traces.SpanCount())
	for resource, s := range collectortest.SpansByResource(traces) {
		service, _ := resource.Attributes().Get("service.name")
		path, _ := s.Attributes().Get("http.path")
		got[s.Name()] = strings.Join([]string{service.Str(), s.TraceID().String(), s.SpanID().String(), path.Str()}, " ")
	}
	assert.Equal(t, map[string]string{
		"by-zipkin": "shop 000000000000000000000000000000a1 00000000000000b1 /cart",
		"by-jaeger": "store 000000000000000000000000000000a2 00000000000000b2 /cart",
	}, got)
}

// headers_setter sends a header of the incoming request on to the backend.
func TestHeadersSetter(t *testing.T) {
	tenants := make(chan string, 10)
	backend := collectortest.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { tenants <- r.Header.Get("X-Scope-OrgID") }))
	address := collectortest.FreeAddress(t)
	collectortest.Start(t, collectortest.Options{Configs: []string{minimal, `yaml:
extensions: {headers_setter: {headers: [{key: X-Scope-OrgID, from_context: X-Tenant, default_value: nobody}]}}
receivers: {otlp: {protocols: {http: {endpoint: "` + address + `", include_metadata: true}}}}
exporters: {otlp_http: {endpoint: "http://` + backend + `", auth: {authenticator: headers_setter}}}
service: {extensions: [health_check, headers_setter], pipelines: {traces: {receivers: [otlp], processors: [memory_limiter], exporters: [otlp_http]}}}
`}})
	for _, tenant := range []string{"blue", "red", ""} {
		body := collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName("a") })
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/traces", strings.NewReader(string(body)))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/x-protobuf")
		if tenant != "" {
			request.Header.Set("X-Tenant", tenant)
		} else {
			tenant = "nobody"
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
		select {
		case got := <-tenants:
			assert.Equal(t, tenant, got)
		case <-time.After(collectortest.ArrivalTimeout):
			t.Fatal("nothing came to the backend")
		}
	}
}

// journald runs journalctl. Without it the error says so. With it the receiver reads the records of a directory of
// journals, which is empty here.
func TestJournald(t *testing.T) {
	config := `yaml:
receivers: {journald: {directory: "` + t.TempDir() + `"}}
service: {pipelines: {logs: {receivers: [journald], processors: [memory_limiter], exporters: [file]}}}
`
	t.Run("without journalctl", func(t *testing.T) {
		address := collectortest.FreeAddress(t)
		cmd := exec.CommandContext(t.Context(), collectortest.Binary(t), "--config", minimal, "--config", config)
		cmd.Env = []string{"PATH=" + t.TempDir(), "OTELCOL_TC_DATA=" + t.TempDir(), "OTELCOL_TC_HEALTH_ENDPOINT=" + address}
		output, err := cmd.CombinedOutput()
		assert.Error(t, err)
		assert.Contains(t, string(output), `"journalctl": executable file not found in $PATH`)
	})
	t.Run("with journalctl", func(t *testing.T) {
		if _, err := exec.LookPath("journalctl"); err != nil {
			t.Skip(err)
		}
		c := collectortest.Start(t, collectortest.Options{Configs: []string{minimal, config}})
		assert.Equal(t, 0, c.Stop(t).Code)
	})
}
