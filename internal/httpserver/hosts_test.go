// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

func status(t *testing.T, config *Config, local net.Addr, host string) int {
	t.Helper()
	handler := checkHosts("page::allowed_hosts", config, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	request := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, local), http.MethodGet, "/", http.NoBody)
	request.Host = host
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		assert.Contains(t, recorder.Body.String(), "page::allowed_hosts")
	}
	return recorder.Code
}

func TestHosts(t *testing.T) {
	config := NewDefaultConfig()
	config.ServerConfig.NetAddr.Endpoint = "Gateway.internal:9464"
	config.AllowedHosts = []string{"metrics.Example.", "2001:DB8::9", "[2001:db8::a]", "192.0.2.9"}
	machine, err := os.Hostname()
	require.NoError(t, err)
	local := &net.TCPAddr{IP: net.ParseIP("10.1.2.3"), Port: 9464}
	hosts, err := os.ReadFile("testdata/hosts.txt")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status(t, &config, local, ""), "HTTP/1.0")
	for line := range strings.Lines(strings.ReplaceAll(string(hosts), "MACHINE", machine)) {
		row, _, _ := strings.Cut(line, "#")
		fields := strings.Fields(row)
		if len(fields) == 0 {
			continue
		}
		answers, host := fields[0], fields[1]
		want := map[string]int{"yes": http.StatusOK, "no": http.StatusMisdirectedRequest}[answers]
		assert.Equal(t, want, status(t, &config, local, host), "%q", host)
	}
}

func TestHostsOfOtherConnections(t *testing.T) {
	config := NewDefaultConfig()
	zoned := &net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0"}
	assert.Equal(t, http.StatusOK, status(t, &config, zoned, "[fe80::1%25eth0]:80"), "a zone is the client's")
	assert.Equal(t, http.StatusOK, status(t, &config, zoned, "[fe80::1]:80"))
	assert.Equal(t, http.StatusOK, status(t, &config, &net.UnixAddr{Name: "socket"}, "evil.example"), "no browser reaches it")
	assert.Equal(t, http.StatusMisdirectedRequest, status(t, &config, nil, "evil.example"))
	config.AllowedHosts = []string{"*"}
	assert.Equal(t, http.StatusOK, status(t, &config, zoned, "evil.example"))
}

// Both parts of the configuration are read and validated, although one is squashed.
func TestConfig(t *testing.T) {
	for host, want := range map[string]string{
		"metrics.example": "", "*": "", "10.0.0.1": "", "[::1]": "",
		"metrics.example:80": "allowed_hosts", "*.example": "allowed_hosts", "": "allowed_hosts", "http://a": "allowed_hosts",
	} {
		config := NewDefaultConfig()
		require.NoError(t, confmap.NewFromStringMap(map[string]any{
			"endpoint": "localhost:1", "read_header_timeout": "3s", "allowed_hosts": []string{host},
		}).Unmarshal(&config))
		assert.Equal(t, "localhost:1", config.ServerConfig.NetAddr.Endpoint)
		err := confmap.Validate(&config)
		if want == "" {
			assert.NoError(t, err, host)
		} else {
			assert.ErrorContains(t, err, want, host)
		}
	}
}
