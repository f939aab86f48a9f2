// SPDX-License-Identifier: Apache-2.0

package send

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"golang.org/x/sync/errgroup"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// page is what a scraped system exposes. It is safe for concurrent use.
type page struct {
	gatherer prometheus.Gatherer

	mu       sync.Mutex     // guards what follows
	families map[string]int // as served last, with their series, which never go
}

// newPage returns the page of a system, or nil for one that is not scraped.
func newPage(g scenario.Generator) *page {
	scraped, ok := g.(scenario.Scraped)
	if !ok {
		return nil
	}
	return &page{gatherer: scraped.Gatherer()}
}

// writeText writes the page and notes what it had.
func (p *page) writeText(w io.Writer) error {
	families, err := p.gatherer.Gather()
	if err != nil {
		return err
	}
	encoder := expfmt.NewEncoder(w, textFormat)
	served := map[string]int{}
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return err
		}
		served[f.GetName()] = len(f.GetMetric())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.families = served
	return nil
}

// served returns the families as served last, with the number of series of each.
func (p *page) served() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.families
}

// servePrometheus serves the pages of the runs until stop is called: as one page at one address, or each at an
// address of its own. Addresses are separated by commas.
func servePrometheus(addresses string, runs []*run) (stop func(), err error) {
	var pages []*page
	for _, r := range runs {
		if r.page != nil {
			pages = append(pages, r.page)
		}
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("--prometheus-listen %s: none of the chosen systems is scraped: add another to --systems, such as tensorcast", addresses)
	}
	all, shares := strings.Split(addresses, ","), [][]*page{pages}
	if len(all) > 1 {
		shares = slices.Collect(slices.Chunk(pages, 1))
	}
	if len(all) != len(shares) {
		return nil, fmt.Errorf("--prometheus-listen: must be one address, or one for each of the %d scraped systems (got %q)", len(pages), addresses)
	}
	var servers errgroup.Group
	var started []*http.Server
	stop = func() {
		for _, server := range started {
			_ = server.Close()
		}
		_ = servers.Wait() // all end with ErrServerClosed
	}
	for i, address := range all {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			stop()
			return nil, fmt.Errorf("--prometheus-listen: %w", err)
		}
		server := &http.Server{Handler: handler(shares[i]), ReadHeaderTimeout: 5 * time.Second}
		started = append(started, server)
		servers.Go(func() error { return server.Serve(listener) })
	}
	return stop, nil
}

// handler serves pages as one.
func handler(pages []*page) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer
		for _, p := range pages {
			if err := p.writeText(&text); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		w.Header().Set("Content-Type", string(textFormat))
		_, _ = text.WriteTo(w)
	})
	return mux
}

// textFormat is the one format served, whatever a scraper accepts: in OpenMetrics
// a counter without _total could not be expressed.
var textFormat = expfmt.NewFormat(expfmt.TypeTextPlain)
