// SPDX-License-Identifier: Apache-2.0

package security

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A scrape target that redirects somewhere else is not followed, by any profile that scrapes: it
// could have the collector read what only the collector can reach.
func TestScrapesFollowNoRedirect(t *testing.T) {
	t.Parallel()
	for profile, configs := range map[string][]string{"dev": {"builtin:dev"}, "agent": collectortest.WithFragments("agent-host")} {
		t.Run(profile, func(t *testing.T) {
			var asked, scraped atomic.Int64
			inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
			defer inside.Close()
			target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				scraped.Add(1)
				http.Redirect(w, r, inside.URL+"/secret", http.StatusFound)
			}))
			defer target.Close()
			collectortest.Start(t, collectortest.Options{Configs: configs, Env: map[string]string{
				"OTELCOL_TC_SCRAPE_TARGETS":  fmt.Sprintf("[%q]", strings.TrimPrefix(target.URL, "http://")),
				"OTELCOL_TC_SCRAPE_INTERVAL": "1s",
			}})
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				return scraped.Load() >= 2, "the target was not scraped twice"
			})
			assert.Zero(t, asked.Load(), "requests to where the target redirects")
		})
	}
}
