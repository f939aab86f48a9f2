// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// SteppedPage is a page of metrics that collectors scrape, and that changes when the test says so.
type SteppedPage struct {
	Address string
	step    atomic.Int64
	scrapes atomic.Int64
}

// StartSteppedPage serves the text of each step until the test ends.
func StartSteppedPage(t *testing.T, text func(step int) string) *SteppedPage {
	t.Helper()
	p := &SteppedPage{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		scrape := p.scrapes.Add(1)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = w.Write([]byte(text(int(p.step.Load())) + fmt.Sprintf("# TYPE scrape gauge\nscrape %d\n", scrape)))
	}))
	t.Cleanup(server.Close)
	p.Address = strings.TrimPrefix(server.URL, "http://")
	return p
}

// Env returns the variables of a collector that scrapes the page.
func (p *SteppedPage) Env() map[string]string {
	return map[string]string{
		"OTELCOL_TC_SCRAPE_TARGETS":  fmt.Sprintf("[%q]", p.Address),
		"OTELCOL_TC_SCRAPE_INTERVAL": "200ms",
	}
}

// Show begins a step, and returns the pages of collectors that have scraped it.
func (p *SteppedPage) Show(t *testing.T, step int, collectors ...*collectortest.Collector) (pages []map[string]*dto.MetricFamily) {
	t.Helper()
	p.step.Store(int64(step))
	begun := float64(p.scrapes.Load())
	for _, c := range collectors {
		var families map[string]*dto.MetricFamily
		last := begun
		// A collector's page changes series by series: all of a scrape are on it when something of its next one is.
		for range 2 {
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				families = c.Scrape(t)
				metrics := families["scrape"].GetMetric()
				return len(metrics) > 0 && metrics[0].GetGauge().GetValue() > last, fmt.Sprintf("no scrape after %v is on the page", last)
			})
			last = families["scrape"].GetMetric()[0].GetGauge().GetValue()
		}
		pages = append(pages, families)
	}
	return pages
}
