package conformanceconnector

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

// ask returns the answer to a request.
func ask(t *testing.T, handler http.Handler, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(method, path, strings.NewReader("{}")))
	return answer
}

func TestAPI(t *testing.T) {
	s := newTestState(t, nil)
	md := pmetric.NewMetrics()
	const hostile = "<script>alert(1)</script>\u202e"
	gauge(md, hostile, "shop.orders", "k", "v")
	s.metrics(md)
	want := s.now()
	h := newHandler(s.Report)

	answer := ask(t, h, http.MethodGet, "/api/v1/report")
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.Equal(t, "application/json", answer.Header().Get("Content-Type"))
	body := answer.Body.Bytes()
	assert.NotContains(t, string(body), "<", "what reads it as HTML sees no tag")
	var report map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &report))
	var got Report
	require.NoError(t, json.Unmarshal(body, &got))
	assert.Equal(t, hostile, got.Services[0].Name)

	// Each list of the report has a path of its own.
	for field := range reflect.TypeFor[Report]().Fields() {
		if field.Type.Kind() != reflect.Slice {
			continue
		}
		name := field.Tag.Get("json")
		assert.JSONEq(t, string(report[name]), ask(t, h, http.MethodGet, apiPath+name).Body.String(), name)
	}
	assert.Len(t, got.Findings, len(want.Findings))
}

// There is no way to write.
func TestPageOnlyReads(t *testing.T) {
	h := newHandler(newTestState(t, nil).Report)
	paths := []string{"/", "/index.html", "/page.js", "/nowhere", apiPath + "nothing"}
	for path := range parts {
		paths = append(paths, apiPath+path)
	}
	for _, path := range paths {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
			assert.Equal(t, http.StatusMethodNotAllowed, ask(t, h, method, path).Code, "%s %s", method, path)
		}
	}
	for _, path := range []string{"/nowhere", apiPath + "nothing", "/../page.go", "/.."} {
		assert.NotEqual(t, http.StatusOK, ask(t, h, http.MethodGet, path).Code, path)
	}
}

// Nothing but what the page brings itself is run, and nobody may frame it.
func TestPageIsSecured(t *testing.T) {
	answer := ask(t, newHandler(newTestState(t, nil).Report), http.MethodGet, "/")
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.Equal(t, "text/html; charset=utf-8", answer.Header().Get("Content-Type"))
	assert.Equal(t, "nosniff", answer.Header().Get("X-Content-Type-Options"))
	policy := answer.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", "script-src 'self';"} {
		assert.Contains(t, policy, want)
	}
	assert.NotContains(t, policy, "unsafe")
}

// A client that never ends its request does not keep the collector from ending.
func TestPageEndsWithOpenRequests(t *testing.T) {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	cfg := defaultConfig().(*Config)
	cfg.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = addresses[0]
	c, err := NewFactory().CreateTracesToLogs(t.Context(), connectortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	for _, request := range []string{
		"GET /api/v1/services HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
		"GET /api/v1/services HTTP/1.1\r\nHost: x\r\n",
		"GET /api/v1/services HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		connection, err := net.Dial("tcp", addresses[0])
		require.NoError(t, err)
		defer connection.Close()
		_, err = connection.Write([]byte(request))
		require.NoError(t, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Shutdown(context.Background()) }()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		require.Fail(t, "the page does not end")
	}
}

// The page is there from the first start to the last shutdown of what leads to it.
func TestPageLivesWithConnector(t *testing.T) {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	cfg := defaultConfig().(*Config)
	cfg.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = addresses[0]
	set, ctx := connectortest.NewNopSettings(metadata.Type), t.Context()
	one, err := NewFactory().CreateTracesToLogs(ctx, set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	other, err := NewFactory().CreateLogsToLogs(ctx, set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	get := func() error {
		answer, err := http.Get("http://" + addresses[0] + "/api/v1/services")
		if err == nil {
			assert.Equal(t, http.StatusOK, answer.StatusCode)
			err = answer.Body.Close()
		}
		return err
	}
	assert.Error(t, get())
	require.NoError(t, one.Start(ctx, componenttest.NewNopHost()))
	require.NoError(t, other.Start(ctx, componenttest.NewNopHost()))
	assert.NoError(t, get())

	// Another one cannot have the same address, and says whose setting it is.
	second := defaultConfig().(*Config)
	second.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = addresses[0]
	taken, err := NewFactory().CreateTracesToLogs(ctx, set, second, consumertest.NewNop())
	require.NoError(t, err)
	assert.ErrorContains(t, taken.Start(ctx, componenttest.NewNopHost()), "page: ")
	assert.NoError(t, taken.Shutdown(ctx))

	assert.NoError(t, one.Shutdown(context.Background()))
	assert.NoError(t, get())
	assert.NoError(t, other.Shutdown(context.Background()))
	assert.Error(t, get())
}
