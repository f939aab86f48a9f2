// SPDX-License-Identifier: Apache-2.0

package useragent

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc/metadata"
)

func TestHTTP(t *testing.T) {
	var got string
	handler := Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = Of(r.Context()) }))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/metrics", nil)
	request.Header.Set("User-Agent", "OTel-OTLP-Exporter-Python/1.45.2")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	assert.Equal(t, "OTel-OTLP-Exporter-Python/1.45.2", got)
}

func TestGRPC(t *testing.T) {
	headers := metadata.Pairs("user-agent", "OTel-OTLP-Exporter-Python/1.45.2", "authorization", "Bearer secret")
	assert.Equal(t, "OTel-OTLP-Exporter-Python/1.45.2", Of(metadata.NewIncomingContext(t.Context(), headers)))
	assert.Empty(t, Of(t.Context()))
}
