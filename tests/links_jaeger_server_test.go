package tests

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

const (
	// jaegerVariable names the backend's binary when it is not the one of make jaeger.
	jaegerVariable = "OTELCOL_TC_JAEGER"
	jaegerConfig   = "jaeger/jaeger.yaml"
)

// jaegerServer is a running Jaeger, which keeps traces in memory.
type jaegerServer struct {
	otlp  string // OTLP over gRPC, in
	query string // the query API
}

// jaegerPorts are the variables of jaegerConfig, in the order of their addresses.
var jaegerPorts = []string{"OTLP_GRPC_PORT", "QUERY_HTTP_PORT", "ADMIN_PORT", "OTLP_HTTP_PORT", "QUERY_GRPC_PORT"}

// startJaeger runs Jaeger until the test ends.
func startJaeger(t *testing.T) *jaegerServer {
	t.Helper()
	binary := toolBinary(t, jaegerVariable, "jaeger")
	for attempt := 1; ; attempt++ {
		addresses, err := loopback.FreeAddresses(len(jaegerPorts))
		require.NoError(t, err)
		s := &server{binary: binary, args: []string{"--config", jaegerConfig}}
		for i, variable := range jaegerPorts {
			_, port, err := net.SplitHostPort(addresses[i])
			require.NoError(t, err)
			s.env = append(s.env, variable+"="+port)
		}
		log, ready := s.start(t, func() error {
			_, err := getPage(t.Context(), "http://"+addresses[2]+"/status")
			return err
		})
		if ready {
			return &jaegerServer{otlp: addresses[0], query: "http://" + addresses[1]}
		}
		// Another process may have taken a port.
		if attempt == 3 || !strings.Contains(log, "address already in use") {
			t.Fatalf("Jaeger ended before it was ready:\n%s", log)
		}
	}
}

// toolBinary returns the path of a server that make gets.
func toolBinary(t *testing.T, variable, name string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		path = filepath.Join("..", ".tools", name)
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("no %s: %v: run make %s", name, err, name)
	}
	return path
}

// trace returns a trace as OTLP.
func (j *jaegerServer) trace(t *testing.T, id pcommon.TraceID) ptrace.Traces {
	t.Helper()
	body, err := getPage(t.Context(), j.query+"/api/v3/traces/"+id.String())
	require.NoError(t, err)
	var answer struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal(body, &answer), "%s", body)
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(answer.Result)
	require.NoError(t, err, "%s", body)
	return traces
}

// jaegerSpan is a span as Jaeger's own format has it, as far as it is looked at here.
type jaegerSpan struct {
	TraceID    string
	SpanID     string
	References []struct{ RefType, TraceID, SpanID string }
}

// spans returns a trace in Jaeger's own format, which its pages show.
func (j *jaegerServer) spans(t *testing.T, id pcommon.TraceID) []jaegerSpan {
	t.Helper()
	body, err := getPage(t.Context(), j.query+"/api/traces/"+id.String())
	require.NoError(t, err)
	var answer struct {
		Data []struct{ Spans []jaegerSpan }
	}
	require.NoError(t, json.Unmarshal(body, &answer), "%s", body)
	require.Len(t, answer.Data, 1, "%s", body)
	return answer.Data[0].Spans
}

func getPage(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return body, err
}
