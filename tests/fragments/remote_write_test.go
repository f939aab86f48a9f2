// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// hangs is a status with which nothing is answered until the client goes away.
const hangs = 0

// writeBackend answers remote writes with a status, and keeps what it has accepted.
type writeBackend struct {
	mu      sync.Mutex
	status  int
	asked   int
	content strings.Builder
}

func (b *writeBackend) respond(status int) (asked int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status = status
	return b.asked
}

func (b *writeBackend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	text, _ := snappy.Decode(nil, body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.status == hangs {
		b.mu.Unlock()
		<-r.Context().Done()
		b.mu.Lock()
		return
	}
	if b.status == http.StatusOK && err == nil {
		b.content.Write(text)
	}
	w.WriteHeader(b.status)
}

// has reports whether all services of some names have arrived.
func (b *writeBackend) has(names []string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range names {
		if !strings.Contains(b.content.String(), name) {
			return false
		}
	}
	return true
}

// The exporter of remote write says of no refusal why. While everything is refused, what comes is accepted and waits,
// and nothing is set aside.
func TestRemoteWriteRefuses(t *testing.T) {
	b := &writeBackend{}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	state := t.TempDir()
	c := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:gateway", "builtin:fragments/gateway-remote-write"},
		Env:     map[string]string{"OTELCOL_TC_REMOTE_WRITE": server.URL, "OTELCOL_TC_STATE": state, "OTELCOL_TC_PATIENCE": "500ms"},
	})
	for _, status := range []int{hangs, http.StatusUnauthorized, http.StatusNotFound, http.StatusBadRequest, http.StatusInternalServerError} {
		asked, times := b.respond(status), 4
		if status == hangs {
			times = 2 // each one lasts as long as a timeout
		}
		names := payload.Numbered(fmt.Sprintf("status-%d-", status), 10)
		for _, name := range names {
			collectortest.PostMetrics(t, c, payload.Gauge(name, "tc_jobs"))
		}
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			return b.respond(status) >= asked+times, fmt.Sprint("asked again with ", status)
		})
		b.respond(http.StatusOK)
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return b.has(names), fmt.Sprint("arrived after ", status) })
	}
	_, err := os.Stat(filepath.Join(state, "spillover", "spillover", "metrics", "dead_letter.jsonl"))
	assert.True(t, os.IsNotExist(err))
}
