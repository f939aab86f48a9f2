// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// page is a Prometheus page of testdata and where it is served.
type page struct {
	name   string // of the file, without its extension
	text   string
	target string // host:port
	down   atomic.Bool
	failed atomic.Int32 // scrapes since it is down
}

// servePages serves each page of a folder as an exporter of its own. OpenMetrics has no comments, so the source of
// jmx_exporter.prom is here: jmx_exporter 1.6.0, its integration tests (DeveloperTest, local.txt) for the JVM, and
// examples/kafka-kraft-3_0_0.yml for Kafka. Names of MBeans have capitals.
func servePages(t *testing.T, folder string) (pages []*page) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.prom"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		p := &page{name: strings.TrimSuffix(filepath.Base(file), ".prom"), text: string(text)}
		p.target = collectortest.Serve(t, p)
		pages = append(pages, p)
	}
	return pages
}

// ServeHTTP answers with the page as its exporter does. Values do not change, so they are easy to compare.
func (p *page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if p.down.Load() {
		p.failed.Add(1)
		http.Error(w, "the exporter is down", http.StatusServiceUnavailable)
		return
	}
	contentType := "text/plain; version=0.0.4; charset=utf-8"
	if p.openMetrics() {
		contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	now := time.Now()
	_, _ = strings.NewReplacer(
		"@NOW", fmt.Sprint(now.UnixMilli()),
		"@CREATED", fmt.Sprint(now.Add(-time.Hour).Truncate(time.Hour).Unix()),
	).WriteString(w, p.text)
}

func (p *page) openMetrics() bool { return strings.HasSuffix(p.text, "# EOF\n") }

// families returns the names of the page's families. In OpenMetrics, a counter's samples have _total besides.
func (p *page) families() (names []string) {
	for line := range strings.Lines(p.text) {
		rest, ok := strings.CutPrefix(line, "# TYPE ")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if p.openMetrics() && kind == "counter" {
			name += "_total"
		}
		names = append(names, name)
	}
	return names
}

// final reports whether the receiver has ended all series of the page, so that no further points come.
func (p *page) final() bool { return p.failed.Load() > 1 }
