// SPDX-License-Identifier: Apache-2.0

package security

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A page whose name was made to lead here (DNS rebinding) reads nothing: the pages and readiness
// answer only those who call them by a name of their own, or by one that is allowed.
func TestHostsOfServers(t *testing.T) {
	t.Parallel()
	for profile, test := range map[string]struct {
		configs []string
		servers func(*collectortest.Collector) map[string]string
	}{
		"agent": {collectortest.WithFragments("agent-host"), func(c *collectortest.Collector) map[string]string {
			return map[string]string{"readiness": c.Readiness + "/"}
		}},
		"gateway": {[]string{"builtin:gateway"}, func(c *collectortest.Collector) map[string]string {
			return map[string]string{
				"readiness": c.Readiness + "/", "metrics": c.Prometheus + "/metrics", "page": c.Page + "/", "report": c.Page + "/api/v1/report",
			}
		}},
		"dev": {[]string{"builtin:dev"}, func(c *collectortest.Collector) map[string]string {
			return map[string]string{"metrics": c.Prometheus + "/metrics", "page": c.Page + "/", "report": c.Page + "/api/v1/report"}
		}},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{
				Configs: test.configs, Env: map[string]string{"OTELCOL_TC_ALLOWED_HOSTS": `["collector.example"]`},
			})
			for server, url := range test.servers(c) {
				address, _, _ := strings.Cut(url, "/")
				host, port, err := net.SplitHostPort(address)
				require.NoError(t, err)
				for _, name := range []string{"", host + ":" + port, "localhost:" + port, "[::1]:" + port, "collector.example:" + port, "COLLECTOR.example."} {
					status, _ := getAs(t, url, name)
					want := []int{http.StatusOK}
					if server == "readiness" {
						want = append(want, http.StatusServiceUnavailable) // there is no gateway
					}
					assert.Contains(t, want, status, "%s as %q", server, name)
				}
				for _, name := range []string{
					"evil.example", "evil.example:" + port, "127.0.0.1.evil.example", "localhost.evil.example:" + port,
					"a.collector.example", "192.0.2.1:" + port, "[", "*",
				} {
					status, body := getAs(t, url, name)
					assert.GreaterOrEqual(t, status, 400, "%s as %q", server, name)
					assert.NotContains(t, body, "ready", "%s as %q", server, name)
					if name == "evil.example" {
						assert.Equal(t, http.StatusMisdirectedRequest, status)
						assert.Contains(t, body, "allowed_hosts")
					}
				}
			}
		})
	}
}

// getAs asks with a Host header.
func getAs(t *testing.T, url, host string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+url, http.NoBody)
	require.NoError(t, err)
	request.Host = host
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}
