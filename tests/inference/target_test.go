// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// target is a system with a page of its own.
type target struct {
	system    scenario.Generator
	address   string // host:port of the page
	page      atomic.Pointer[[]byte]
	begun     atomic.Int64 // scrapes
	answered  atomic.Int64 // the last of them that got its answer
	done      atomic.Int64 // the last of them whose answer went through the collector
	dashboard []string     // names that public dashboards of the system use
}

// serveTargets serves the pages of those of the systems that are scraped, until the test ends.
func serveTargets(t *testing.T, systems []string) []*target {
	t.Helper()
	var targets []*target
	for _, name := range systems {
		system, err := scenario.New(name, tcgen.Seed, time.Now())
		require.NoError(t, err)
		if system.Gatherer() == nil {
			continue
		}
		s := &target{system: system, dashboard: dashboardNames(t, name)}
		s.render(t)
		s.address = collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			scrape := s.begun.Add(1)
			s.done.Store(s.answered.Load()) // a scrape begins when the one before it is done
			w.Header().Set("Content-Type", string(textFormat))
			_, _ = w.Write(*s.page.Load()) // who asked may have gone
			if r.Context().Err() == nil {  // else nobody waits for the answer any more
				s.answered.Store(scrape)
			}
		}))
		targets = append(targets, s)
	}
	if len(targets) == 0 {
		t.Skip("no system has a page")
	}
	return targets
}

// textFormat is that of all pages: in OpenMetrics no counter can be without _total.
var textFormat = expfmt.NewFormat(expfmt.TypeTextPlain)

// render writes the page anew. A scrape that had to wait for that would take too long on a busy machine.
func (s *target) render(t *testing.T) {
	t.Helper()
	var text bytes.Buffer
	encoder := expfmt.NewEncoder(&text, textFormat)
	for _, f := range s.families(t) {
		require.NoError(t, encoder.Encode(f))
	}
	page := text.Bytes()
	s.page.Store(&page)
}

// families returns what the page has.
func (s *target) families(t *testing.T) []*dto.MetricFamily {
	t.Helper()
	families, err := s.system.Gatherer().Gather()
	require.NoError(t, err)
	return families
}

// environment makes a collector scrape targets. The interval is also the time in which a page has to come.
func environment(t *testing.T, targets []*target, interval time.Duration) map[string]string {
	t.Helper()
	var addresses []string
	for _, s := range targets {
		addresses = append(addresses, s.address)
	}
	list, err := json.Marshal(addresses)
	require.NoError(t, err)
	return map[string]string{
		"OTELCOL_TC_SCRAPE_TARGETS":  string(list),
		"OTELCOL_TC_SCRAPE_INTERVAL": interval.String(),
	}
}

// awaitScrapes waits until what each target has now went through the collector.
func awaitScrapes(t *testing.T, targets []*target) {
	t.Helper()
	before := map[*target]int64{}
	for _, s := range targets {
		before[s] = s.begun.Load()
	}
	collectortest.Eventually(t, 8*collectortest.ArrivalTimeout, func() (bool, string) {
		i := slices.IndexFunc(targets, func(s *target) bool { return s.done.Load() <= before[s] })
		if i < 0 {
			return true, ""
		}
		return false, fmt.Sprintf("%s was not scraped", targets[i].system.Name())
	})
}

// next runs one more scenario.
func (s *target) next(t *testing.T) {
	t.Helper()
	s.system.Next(time.Now())
	s.render(t)
}
