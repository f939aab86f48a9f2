// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// logBackend is an OTLP backend that can be away.
type logBackend struct {
	plogotlp.UnimplementedGRPCServer
	address string

	mu      sync.Mutex
	away    bool
	refused int // requests while it was away
	bodies  []string
}

func startLogBackend(t *testing.T) *logBackend {
	t.Helper()
	b := &logBackend{}
	_, b.address = collectortest.ServeGRPC(t, collectortest.AnyAddress, func(server *grpc.Server) { plogotlp.RegisterGRPCServer(server, b) })
	return b
}

func (b *logBackend) Export(_ context.Context, request plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		b.refused++
		return plogotlp.NewExportResponse(), status.Error(codes.Unavailable, "away")
	}
	for record := range collectortest.Records(request.Logs()) {
		b.bodies = append(b.bodies, record.Body().Str())
	}
	return plogotlp.NewExportResponse(), nil
}

func (b *logBackend) goAway(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away, b.refused = away, 0
}

// awaitRefusals waits until so many requests came while the backend is away.
func (b *logBackend) awaitRefusals(t *testing.T, requests int) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.refused >= requests, fmt.Sprintf("%d requests were refused, want %d", b.refused, requests)
	})
}

func (b *logBackend) received() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.bodies...)
}

func (b *logBackend) wait(t *testing.T, records int) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got := len(b.received())
		return got >= records, fmt.Sprintf("%d records arrived, want %d", got, records)
	})
}

// fileToBackend is a node's log pipeline that promises to lose nothing: checkpoints,
// and an exporter whose queue waits for the backend.
func fileToBackend(dir string, b *logBackend) collectortest.Options {
	return collectortest.Options{Configs: []string{"builtin:dev", fmt.Sprintf(`yaml:{
  receivers: {runtime_log: {state_directory: %q, include: [%q]}},
  exporters: {otlp_grpc: {endpoint: %q, tls: {insecure: true}, sending_queue: {wait_for_result: true}, retry_on_failure: {initial_interval: 100ms, max_interval: 200ms, max_elapsed_time: 0s}}},
  service: {extensions: [health_check, conventions, wire_limits, correlation_index], pipelines: {logs: {receivers: [runtime_log], exporters: [otlp_grpc, signal_to_metrics/nccl]}}}}`,
		filepath.Join(dir, "state"), filepath.Join(dir, "*.log*"), b.address)}}
}

// logFile writes numbered entries, some of several lines.
type logFile struct {
	name    string // of its entries
	path    string
	entries []string
}

func (f *logFile) log(t *testing.T, entries int) {
	t.Helper()
	var text strings.Builder
	for range entries {
		body := fmt.Sprintf("%s %d", f.name, len(f.entries))
		if len(f.entries)%7 == 3 {
			body += "\nTraceback (most recent call last):\n  File \"x.py\"\nValueError: no"
		}
		f.entries = append(f.entries, body)
		fmt.Fprintf(&text, "%s I tid=7 store.cc:12 %s\n", time.Now().Format("2006-01-02T15:04:05.000000000Z07:00"), body)
	}
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(text.String())
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// check checks that each entry arrived, in order, and returns how many came again.
func (f *logFile) check(t *testing.T, bodies []string) (repeated int) {
	t.Helper()
	next := 0
	for _, body := range bodies {
		switch {
		case !strings.HasPrefix(body, f.name+" "):
		case next < len(f.entries) && body == f.entries[next]:
			next++
		default:
			repeated++
		}
	}
	assert.Equal(t, len(f.entries), next, "entries of %s that arrived in order", f.name)
	return repeated
}

// Nothing is lost or doubled by an outage, SIGTERM or SIGKILL in it, or a rotation; a
// SIGKILL in the middle of deliveries repeats at most one of each file.
func TestLogFilesOverKills(t *testing.T) {
	t.Parallel()
	const atOnce = 100 // lines of one delivery
	dir := t.TempDir()
	backend := startLogBackend(t)
	options := fileToBackend(dir, backend)
	one, two := &logFile{name: "one", path: filepath.Join(dir, "one.log")}, &logFile{name: "two", path: filepath.Join(dir, "two.log")}
	written := func() int { return len(one.entries) + len(two.entries) }

	// In the middle of the first poll.
	one.log(t, 20_000)
	two.log(t, 20_000)
	c := collectortest.Start(t, options)
	backend.wait(t, 500)
	c.Kill(t)
	killed := len(backend.received())
	assert.Less(t, killed, written(), "the kill came too late to show something")
	c = collectortest.Start(t, options)
	backend.wait(t, written())
	awaitStored(t, dir, one.path, two.path)
	bodies := backend.received()
	inTheMiddle := one.check(t, bodies) + two.check(t, bodies)
	t.Logf("killed after %d of %d; %d entries came again", killed, written(), inTheMiddle)
	assert.LessOrEqual(t, inTheMiddle, 2*atOnce)

	// In an outage.
	backend.goAway(true)
	one.log(t, 3000)
	two.log(t, 3000)
	backend.awaitRefusals(t, 4)
	c.Kill(t)
	require.NoError(t, os.Rename(one.path, one.path+".1"))
	old := *one
	old.path += ".1"
	one = &logFile{name: "next", path: filepath.Join(dir, "next.log")}
	one.log(t, 3000)
	backend.goAway(true)
	c = collectortest.Start(t, options)
	backend.awaitRefusals(t, 4)
	require.Zero(t, c.Stop(t).Code)
	c = collectortest.Start(t, options)
	backend.goAway(false)
	backend.wait(t, written()+len(old.entries))

	// At rest. What comes again comes before what is written later to the same file.
	awaitStored(t, dir, old.path, one.path, two.path)
	c.Kill(t)
	c = collectortest.Start(t, options)
	for _, file := range []*logFile{&old, one, two} {
		file.log(t, 1)
	}
	backend.wait(t, written()+len(old.entries)+inTheMiddle)
	require.Zero(t, c.Stop(t).Code)

	bodies = backend.received()
	repeated := old.check(t, bodies) + one.check(t, bodies) + two.check(t, bodies)
	assert.Equal(t, inTheMiddle, repeated, "entries that came again, of which all in the middle of deliveries")
	assert.Len(t, bodies, len(old.entries)+written()+repeated)
}

// awaitStored waits until the collector has stored that files were delivered to their end, and holds nothing of them.
func awaitStored(t *testing.T, dir string, files ...string) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		stored := positions(t, dir)
		for _, file := range files {
			if !strings.Contains(stored, endOf(t, file)) {
				return false, file + " is not delivered to its end: " + stored
			}
		}
		return !strings.Contains(stored, `"Streams"`), "something is held: " + stored
	})
}

// positions returns the stored positions of all files, as JSON with other bytes around it.
func positions(t *testing.T, dir string) string {
	t.Helper()
	stored, err := filepath.Glob(filepath.Join(dir, "state", "files.*[0-9]")) // not those that are being written
	require.NoError(t, err)
	var all strings.Builder
	for _, path := range stored {
		text, err := os.ReadFile(path)
		if err == nil { // one that was being written may be renamed
			all.Write(text)
		}
	}
	return all.String()
}

// endOf returns the position at the end of a file, as it is stored.
func endOf(t *testing.T, file string) string {
	t.Helper()
	info, err := os.Stat(file)
	require.NoError(t, err)
	return fmt.Sprintf(`"Offset":%d,`, info.Size())
}
