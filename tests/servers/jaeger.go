// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"encoding/json"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const jaegerConfig = "../jaeger/jaeger.yaml"

// Jaeger is a running Jaeger, which keeps traces in memory.
type Jaeger struct {
	Otlp  string // OTLP over gRPC, in
	Query string // the query API
}

// jaegerPorts are the variables of jaegerConfig, in the order of their addresses.
var jaegerPorts = []string{"OTLP_GRPC_PORT", "QUERY_HTTP_PORT", "ADMIN_PORT", "OTLP_HTTP_PORT", "QUERY_GRPC_PORT"}

// StartJaeger runs Jaeger until the test ends.
func StartJaeger(t *testing.T) (j *Jaeger) {
	t.Helper()
	binary := collectortest.Needs(t, "jaeger", ".tools/jaeger")
	OnFreePorts(t, len(jaegerPorts), func(addresses []string) (log string, ready bool) {
		j = &Jaeger{Otlp: addresses[0], Query: "http://" + addresses[1]}
		s := &Server{Binary: binary, Args: []string{"--config", jaegerConfig}}
		for i, variable := range jaegerPorts {
			_, port, err := net.SplitHostPort(addresses[i])
			require.NoError(t, err)
			s.Env = append(s.Env, variable+"="+port)
		}
		return s.Start(t, func() error {
			_, err := collectortest.GetPage(t.Context(), "http://"+addresses[2]+"/status")
			return err
		})
	})
	return j
}

// Trace returns a trace as OTLP.
func (j *Jaeger) Trace(t *testing.T, id pcommon.TraceID) ptrace.Traces {
	t.Helper()
	body, err := collectortest.GetPage(t.Context(), j.Query+"/api/v3/traces/"+id.String())
	require.NoError(t, err)
	var answer struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal(body, &answer), "%s", body)
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(answer.Result)
	require.NoError(t, err, "%s", body)
	return traces
}

// JaegerSpan is a span as Jaeger's own format has it, as far as it is looked at here.
type JaegerSpan struct {
	TraceID    string
	SpanID     string
	References []struct{ RefType, TraceID, SpanID string }
}

// Spans returns a trace in Jaeger's own format, which its pages show.
func (j *Jaeger) Spans(t *testing.T, id pcommon.TraceID) []JaegerSpan {
	t.Helper()
	body, err := collectortest.GetPage(t.Context(), j.Query+"/api/traces/"+id.String())
	require.NoError(t, err)
	var answer struct {
		Data []struct{ Spans []JaegerSpan }
	}
	require.NoError(t, json.Unmarshal(body, &answer), "%s", body)
	require.Len(t, answer.Data, 1, "%s", body)
	return answer.Data[0].Spans
}
