// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc/metadata"
)

func TestUserAgentOverHTTP(t *testing.T) {
	var got string
	handler := KeepUserAgent(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = UserAgent(r.Context()) }))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/metrics", nil)
	request.Header.Set("User-Agent", "OTel-OTLP-Exporter-Python/1.45.2")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	assert.Equal(t, "OTel-OTLP-Exporter-Python/1.45.2", got)
}

func TestUserAgentOverGRPC(t *testing.T) {
	headers := metadata.Pairs("user-agent", "OTel-OTLP-Exporter-Python/1.45.2", "authorization", "Bearer secret")
	assert.Equal(t, "OTel-OTLP-Exporter-Python/1.45.2", UserAgent(metadata.NewIncomingContext(t.Context(), headers)))
	assert.Empty(t, UserAgent(t.Context()))
}
