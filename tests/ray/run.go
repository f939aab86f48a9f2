// SPDX-License-Identifier: Apache-2.0

package ray

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// deadline limits a whole run, which takes one minute, and three on a machine with much other work.
const deadline = 5 * time.Minute

// cluster is a running workload.py.
type cluster struct {
	Metrics  string `json:"metrics"`  // host:port of its metrics page
	Requests int    `json:"requests"` // to its Serve application
	stop     func()
}

// newDir returns a directory for a session. Ray's sockets are below it, and their paths must be short.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ray") //nolint:usetesting // its directories have long names
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// attempts limits how often Ray is started. It gives its own processes 30 s, which is too little when all tests of
// a machine start at once.
const attempts = 3

// start runs workload.py until it has done its work. It stops with the test at the latest.
func start(t *testing.T, dir, otlp string) *cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	for attempt := 1; ; attempt++ {
		c, err := try(ctx, t, dir, otlp)
		switch {
		case err == nil:
			return c
		case attempt == attempts || ctx.Err() != nil:
			t.Fatal(err)
		}
	}
}

// try makes one attempt.
func try(ctx context.Context, t *testing.T, dir, otlp string) (*cluster, error) {
	t.Helper()
	python := collectortest.Needs(t, "ray", ".venv-ray/bin/python")
	here, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "spans"), 0o700))
	cmd := exec.CommandContext(ctx, python, "workload.py", "--dir", dir)
	// The machine's own settings of Ray and OpenTelemetry must not reach it.
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TZ=UTC", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=" + here,
		// Loopback only, and nothing about this run leaves the machine.
		"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0", "RAY_USAGE_STATS_ENABLED=0", "RAY_AUTH_MODE=disabled",
		// A machine with much other work. Ray runs workers at niceness 15.
		"RAY_worker_niceness=0", "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S=60", "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S=60",
		"RAY_SERVE_TRACING_EXPORTER_IMPORT_PATH=tracing_hook:no_processors", "RAY_SERVE_TRACING_SAMPLING_RATIO=1",
		"RAY_TEST_OTLP=http://" + otlp + "/v1/traces", "RAY_TEST_SPANS=" + filepath.Join(dir, "spans"),
	}
	// On SIGTERM the driver stops Ray's processes.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	c, lines := &cluster{}, bufio.NewReader(stdout)
	result := readResult(lines, c)
	drained := make(chan struct{})
	go func() { // the driver prints on, and must not wait for a reader
		defer close(drained)
		_, _ = io.Copy(io.Discard, lines)
	}()
	c.stop = sync.OnceFunc(func() {
		_ = stdin.Close()
		<-drained
		_ = cmd.Wait()
	})
	t.Cleanup(c.stop)
	if result != nil {
		c.stop() // completes stderr
		return nil, fmt.Errorf("no result from Ray: %w: %s", result, &stderr)
	}
	return c, nil
}

// readResult reads the first line of JSON. The driver prints what workers print before it.
func readResult(lines *bufio.Reader, c *cluster) error {
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		if bytes.HasPrefix(line, []byte("{")) {
			return json.Unmarshal(line, c)
		}
	}
}
