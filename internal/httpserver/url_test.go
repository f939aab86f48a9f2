// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confignet"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"
)

func TestURL(t *testing.T) {
	machine, err := os.Hostname()
	require.NoError(t, err)
	f := func(endpoint string, tls bool, want string) {
		t.Helper()
		config := NewDefaultConfig()
		config.ServerConfig.NetAddr.Endpoint = endpoint
		if tls {
			config.ServerConfig.TLS = configoptional.Some(configtls.NewDefaultServerConfig())
		}
		assert.Equal(t, want, urlOf(&config.ServerConfig, &net.TCPAddr{IP: net.IPv6loopback, Port: 4711}))
	}
	f("127.0.0.1:4711", false, "http://127.0.0.1:4711/")
	f("localhost:0", false, "http://localhost:4711/")
	f("[::1]:0", true, "https://[::1]:4711/")
	f("gateway.internal:4711", true, "https://gateway.internal:4711/")
	f("0.0.0.0:4711", false, "http://"+machine+":4711/")
	f("[::]:4711", false, "http://"+machine+":4711/")
	f(":4711", false, "http://"+machine+":4711/")
}

// The URL is where the server answers, also if the system chose its port.
func TestURLOfServer(t *testing.T) {
	for _, endpoint := range []string{"127.0.0.1:0", "0.0.0.0:0"} {
		s, _ := newServer(t, func(http.ResponseWriter, *http.Request) {})
		s.Config.ServerConfig.NetAddr.Endpoint = endpoint
		assert.Empty(t, s.URL())
		require.NoError(t, s.Start(t.Context(), componenttest.NewNopHost()))
		parsed, err := url.Parse(s.URL())
		require.NoError(t, err)
		assert.NotEqual(t, "0", parsed.Port())
		response, err := http.Get("http://" + net.JoinHostPort("127.0.0.1", parsed.Port()))
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusOK, response.StatusCode)
		require.NoError(t, s.Shutdown(t.Context()))
	}
	s, _ := newServer(t, nil)
	socket := filepath.Join(t.TempDir(), "page")
	s.Config.ServerConfig.NetAddr = confignet.AddrConfig{Endpoint: socket, Transport: confignet.TransportTypeUnix}
	require.NoError(t, s.Start(t.Context(), componenttest.NewNopHost()))
	assert.Equal(t, "unix://"+socket, s.URL())
	require.NoError(t, s.Shutdown(t.Context()))
}
