// SPDX-License-Identifier: Apache-2.0

package ray

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/series"
)

// firstPage returns what a page says of its target, whose first scrape it is. All series of the next page are new
// then, so they count in full.
func firstPage(page []byte) []byte {
	first := []byte("# TYPE ray_cluster_active_nodes gauge\nray_cluster_active_nodes 0\n")
	for line := range bytes.Lines(page) {
		if bytes.HasPrefix(line, []byte("target_info{")) {
			first = append(append(first, "# TYPE target_info gauge\n"...), line...)
		}
	}
	return first
}

// frozenPage serves Ray's page as it was at one time: the live page changes with each scrape.
type frozenPage struct {
	target string

	mu      sync.Mutex
	page    []byte
	scrapes int // of this page
}

func serveFrozen(t *testing.T) *frozenPage {
	t.Helper()
	f := &frozenPage{}
	f.target = collectortest.Serve(t, f)
	return f
}

func (f *frozenPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scrapes++
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(f.page)
}

func (f *frozenPage) set(page []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.page, f.scrapes = page, 0
}

func (f *frozenPage) awaitScrapes(t *testing.T, want int) {
	t.Helper()
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.scrapes >= want, fmt.Sprintf("%d of %d scrapes", f.scrapes, want)
	})
}

// fetchPage reads Ray's page once the metrics of Serve's requests are on it. Ray's processes report every 10 s.
func fetchPage(t *testing.T, address string) []byte {
	t.Helper()
	var page []byte
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		response, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return false, err.Error()
		}
		defer response.Body.Close()
		page, err = io.ReadAll(response.Body)
		for _, name := range []string{"ray_serve_deployment_request_counter_total{", "ray_node_cpu_utilization{", "ray_tasks{"} {
			if !strings.Contains(string(page), "\n"+name) {
				return false, "no " + name
			}
		}
		return err == nil, "the page is incomplete"
	})
	return page
}

// checkPage sends a page and compares what comes out: each name is kept, each series has its labels without the
// ids, and its value is the sum, or the aggregate, of those that were merged.
func checkPage(t *testing.T, c *collectortest.Collector, frozen *frozenPage, page []byte) {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	sent, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	require.NoError(t, err)
	delete(sent, "target_info") // attributes of the resource
	packs, err := conventions.Load([]any{"ray"})
	require.NoError(t, err)
	frozen.set(firstPage(page))
	frozen.awaitScrapes(t, 3)
	frozen.set(page)
	frozen.awaitScrapes(t, 3)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		missing := missingNames(sent, c.Scrape(t))
		return len(missing) == 0, fmt.Sprintf("not on the page: %q", missing)
	})
	compared := series.Compared{Pack: packs[0], Sent: series.Sent(maps.Values(sent)), Received: series.Received(c.Metrics(t), frozen.target)}
	compared.CheckSeries(t)
}

func missingNames(sent, got map[string]*dto.MetricFamily) (missing []string) {
	for name := range sent {
		if got[name] == nil {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}
