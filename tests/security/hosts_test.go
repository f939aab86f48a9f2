// SPDX-License-Identifier: Apache-2.0

package security

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// A scrape target that redirects somewhere else is not followed, by any profile that scrapes: it
// could have the collector read what only the collector can reach.
func TestScrapesFollowNoRedirect(t *testing.T) {
	t.Parallel()
	for profile, configs := range map[string][]string{"dev": {"builtin:dev"}, "agent": collectortest.WithFragments("agent-host")} {
		t.Run(profile, func(t *testing.T) {
			var asked, scraped atomic.Int64
			inside := collectortest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
			target := collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				scraped.Add(1)
				http.Redirect(w, r, "http://"+inside+"/secret", http.StatusFound)
			}))
			collectortest.Start(t, collectortest.Options{Configs: configs, Env: map[string]string{
				"OTELCOL_TC_SCRAPE_TARGETS":  fmt.Sprintf("[%q]", target),
				"OTELCOL_TC_SCRAPE_INTERVAL": "1s",
			}})
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				return scraped.Load() >= 2, "the target was not scraped twice"
			})
			assert.Zero(t, asked.Load(), "requests to where the target redirects")
		})
	}
}

// A client that sends nothing, or only a part of a request, loses its connection: else it could hold all that the
// process may open.
func TestConnectionsWithoutRequestsAreClosed(t *testing.T) {
	t.Parallel()
	dev := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev"}})
	gateway := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:gateway"}})
	var clients sync.WaitGroup
	for _, address := range []string{dev.Health, dev.Prometheus, dev.Page, gateway.Health, gateway.Readiness} {
		for _, sent := range []string{"", "GET / HTTP/1.1\r\nHost: localhost\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"} {
			connection, err := net.Dial("tcp", address)
			require.NoError(t, err)
			_, err = io.WriteString(connection, sent)
			require.NoError(t, err)
			clients.Go(func() {
				defer connection.Close()
				assert.NoError(t, connection.SetDeadline(time.Now().Add(time.Minute)))
				_, err := io.Copy(io.Discard, connection)
				assert.NoError(t, err, "%s keeps the connection after %q", address, sent)
			})
		}
	}
	clients.Wait()
}
