// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

func newServer(t *testing.T, handler http.HandlerFunc) (*Server, string) {
	t.Helper()
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	config := NewDefaultConfig()
	config.ServerConfig.NetAddr.Endpoint = addresses[0]
	return &Server{
		Setting: "page", Config: &config, Telemetry: componenttest.NewNopTelemetrySettings(), Handler: handler,
	}, addresses[0]
}

func TestErrorNamesTheSetting(t *testing.T) {
	s, address := newServer(t, nil)
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	defer listener.Close()
	assert.ErrorContains(t, s.Start(t.Context(), componenttest.NewNopHost()), "page: listen tcp "+address)
}

// Shutdown waits for a request that ends in time, but not for one that never ends.
func TestShutdownWithRequestsInProgress(t *testing.T) {
	begun, never := make(chan struct{}, 1), make(chan struct{})
	s, address := newServer(t, func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		if r.URL.Path == "/never" {
			<-never
		}
	})
	defer close(never)
	require.NoError(t, s.Start(t.Context(), componenttest.NewNopHost()))
	go func() {
		if response, err := http.Get("http://" + address + "/never"); err == nil {
			_ = response.Body.Close()
		}
	}()
	<-begun
	start := time.Now()
	require.NoError(t, s.Shutdown(t.Context()))
	assert.GreaterOrEqual(t, time.Since(start), shutdownTimeout)
}
