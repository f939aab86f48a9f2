// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// CheckLogs compares log records, with their ids, with those that a client sent.
func CheckLogs(t *testing.T, sent []SentLog, logs plog.Logs) {
	t.Helper()
	var got []SentLog
	for record := range collectortest.Records(logs) {
		got = append(got, SentLog{
			Body:    record.Body().AsString(),
			TraceID: record.TraceID().String(),
			SpanID:  record.SpanID().String(),
		})
	}
	assert.ElementsMatch(t, sent, got)
}

// clientDeadline ends a client that hangs. On a busy machine the imports of a framework alone take minutes.
const clientDeadline = 10 * time.Minute

// Sent is what a client of tests/clients says it sent: see its recorder.py.
type Sent struct {
	Spans   []sentSpan `json:"spans"`
	Metrics [][]byte   `json:"metrics"` // OTLP requests, in order
	Logs    []SentLog  `json:"logs"`
	// Entries are what it wrote to text logs, in order.
	Entries       []SentEntry `json:"entries"`
	FailedBatches int         `json:"failed_batches"`
}

type sentSpan struct {
	TraceID       string `json:"trace_id"`
	SpanID        string `json:"span_id"`
	ParentSpanID  string `json:"parent_span_id"`
	Name          string `json:"name"`
	Kind          string `json:"kind"`
	StartUnixNano uint64 `json:"start_unix_nano"`
	EndUnixNano   uint64 `json:"end_unix_nano"`
	Status        string `json:"status"`
	Service       string `json:"service"`
}

// SentLog is a log record that a client sent over OTLP.
type SentLog struct {
	Body    string `json:"body"`
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}

// SentEntry is an entry of a text log, with the ids of the span it was written in.
type SentEntry struct {
	File     string `json:"file"`
	Body     string `json:"body"`
	Severity string `json:"severity"`
	TraceID  string `json:"trace_id"`
	SpanID   string `json:"span_id"`
}

// Python is an interpreter with the packages of clients, and the make target that provides it.
type Python struct{ File, Target string }

// venv has the packages of most clients.
var venv = Python{".venv/bin/python", "venv"}

// RunClient runs a program of tests/clients to its end and returns what it sent.
func RunClient(t *testing.T, program string, args ...string) Sent {
	t.Helper()
	return venv.Run(t, program, args...)
}

// Run runs a program of tests/clients to its end and returns what it sent.
func (p Python) Run(t *testing.T, program string, args ...string) Sent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientDeadline)
	defer cancel()
	cmd := p.command(ctx, t, program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	require.NoError(t, err, "%s: %s", program, &stderr)

	lines := bytes.Split(bytes.TrimSpace(stdout), []byte("\n"))
	var s Sent
	require.NoError(t, json.Unmarshal(lines[len(lines)-1], &s), "the last line of %s: %s", program, stdout)
	require.Zero(t, s.FailedBatches, "batches that %s could not deliver: %s", program, &stderr)
	require.NotEmpty(t, s.Spans, "spans of %s: %s", program, &stderr)
	require.True(t, slices.ContainsFunc(s.Logs, func(l SentLog) bool { return l.TraceID != "" }),
		"no log record of %s has a trace id: %s", program, &stderr)
	return s
}

// startEndpoint serves a system's Prometheus page until the test ends, and
// returns its host:port and the names of its families.
func startEndpoint(t *testing.T, system string) (target string, families []string) {
	t.Helper()
	cmd := clientCommand(t.Context(), t, "prometheus_endpoint.py", "--system", system)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// The endpoint serves as long as its stdin is open: it cannot outlive this process.
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	// The end of the test's context has killed it before this.
	t.Cleanup(func() { _ = cmd.Wait() })
	var page struct {
		Port     json.Number `json:"port"`
		Families []string    `json:"families"`
	}
	if err := json.NewDecoder(stdout).Decode(&page); err != nil {
		_ = cmd.Wait() // completes stderr
		t.Fatalf("no port from the endpoint of %s: %v: %s", system, err, &stderr)
	}
	return "127.0.0.1:" + page.Port.String(), page.Families
}

// Counting is a running counting.py.
type Counting struct {
	Target string // the host:port of its page
	t      *testing.T
	stdin  io.WriteCloser
	lines  *bufio.Scanner
	stop   func()
}

// StartCounting starts counting.py, which runs until Stop or the end of the test.
func StartCounting(t *testing.T, args ...string) *Counting {
	t.Helper()
	cmd := clientCommand(t.Context(), t, "counting.py", args...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &Counting{t: t, stdin: stdin, lines: bufio.NewScanner(stdout)}
	c.stop = sync.OnceFunc(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	t.Cleanup(c.stop)
	require.True(t, c.lines.Scan(), "counting.py has not started")
	c.Target = "127.0.0.1:" + c.lines.Text()
	return c
}

// Do does what a line says, and returns when it is done.
func (c *Counting) Do(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.stdin, line+"\n")
	require.NoError(c.t, err)
	require.True(c.t, c.lines.Scan(), "counting.py has ended at %q", line)
}

// Stop ends the program.
func (c *Counting) Stop() { c.stop() }

func clientCommand(ctx context.Context, t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	return venv.command(ctx, t, program, args...)
}

func (p Python) command(ctx context.Context, t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	script := filepath.Join("..", "clients", program)
	_, err := os.Stat(script) // so that go test does not take an old result for a changed script
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, collectortest.Needs(t, p.Target, p.File), append([]string{script}, args...)...)
	// The machine's own OpenTelemetry settings must not reach the SDK.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1"}
	// A grandchild may hold the pipes open after the program was killed.
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// OverGRPC and overHTTP are the arguments that point a client of the SDK at a collector.
func OverGRPC(c *collectortest.Collector) []string {
	return []string{"--protocol", "grpc", "--endpoint", c.GRPC}
}

// GrpcOnly is for a client that knows no other protocol.
func GrpcOnly(c *collectortest.Collector) []string {
	return []string{"--endpoint", c.GRPC}
}
