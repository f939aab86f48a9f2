// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/otelcol-tc/otelcol-tc/tests/program"
)

const (
	// startAttempts limits the retries after another process took a free port.
	startAttempts = 3
	// startDeadline is long, because all tests of a machine start at once.
	startDeadline = 2 * time.Minute
	// stopGrace is the time between SIGTERM and SIGKILL.
	stopGrace = 2 * time.Minute
	// portTaken is the operating system's error for a port in use.
	portTaken = "address already in use"
)

// Options are the options of Start. The zero value starts a collector with builtin:dev.
type Options struct {
	// Configs are the values of --config, in order. The default is builtin:dev.
	Configs []string
	// Env are variables of the process. They override those of the harness.
	Env map[string]string
	// Args follow the --config flags.
	Args []string
}

// Collector is a running otelcol-tc. Its addresses have the form host:port and are those of builtin:dev.
// All methods but Stop are safe for concurrent use.
type Collector struct {
	GRPC       string // OTLP receiver over gRPC
	HTTP       string // OTLP receiver over HTTP
	Prometheus string // Prometheus page
	Health     string // health check
	Readiness  string // readiness endpoint
	Page       string // the conformance page
	Telemetry  string // the collector's own metrics
	DataDir    string // directory of traces.json, metrics.json, logs.json, scores.json and findings.json, and of state/

	// StartTook is the time from the start of the process to its first healthy response.
	StartTook time.Duration

	program *program.Program
	healthy time.Time // time of the first healthy response
	exit    *Exit     // set by the first Stop
}

// Exit holds how a collector ended.
type Exit struct {
	// Code is the exit code. It is -1 if a signal killed the process.
	Code int
	// Took is the time from the stop request to the end of the process.
	Took time.Duration
}

// listens is the maximum time from the first healthy response until the collector handles signals. Before
// that, SIGTERM kills it.
const listens = time.Second

// Start runs a collector on free ports with an empty data directory and waits until it is healthy. When
// the test ends, the collector is stopped, and its log is shown if the test failed.
func Start(t testing.TB, opts Options) *Collector {
	t.Helper()
	binary, dataDir := Binary(t), t.TempDir()
	for attempt := 1; ; attempt++ {
		c, healthy := start(t, binary, opts, environment(t, dataDir, opts.Env))
		if healthy {
			return c
		}
		if attempt == startAttempts || !strings.Contains(c.Logs(), portTaken) {
			t.Fatal("the collector ended before it was healthy")
		}
	}
}

// start makes one attempt. It returns false if the process has ended. A process that runs without getting
// healthy fails the test.
func start(t testing.TB, binary string, opts Options, env map[string]string) (c *Collector, healthy bool) {
	t.Helper()
	begin := time.Now()
	cmd := exec.Command(binary, arguments(opts)...)
	cmd.Env = processEnvironment(env)
	p, err := program.Start(cmd)
	if err != nil {
		t.Fatalf("start %s: %v", binary, err)
	}
	c = &Collector{
		GRPC:       env["OTELCOL_TC_OTLP_GRPC_ENDPOINT"],
		HTTP:       env["OTELCOL_TC_OTLP_HTTP_ENDPOINT"],
		Prometheus: env["OTELCOL_TC_PROMETHEUS_ENDPOINT"],
		Health:     env["OTELCOL_TC_HEALTH_ENDPOINT"],
		Readiness:  env["OTELCOL_TC_READINESS_ENDPOINT"],
		Page:       env["OTELCOL_TC_PAGE_ENDPOINT"],
		Telemetry:  net.JoinHostPort(env["OTELCOL_TC_TELEMETRY_HOST"], env["OTELCOL_TC_TELEMETRY_PORT"]),
		DataDir:    env["OTELCOL_TC_DATA"],
		program:    p,
	}
	// Registered before anything can fail, so that the process never outlives the test.
	t.Cleanup(func() {
		c.Stop(t)
		if t.Failed() {
			t.Logf("log of %s %s:\n%s", binary, strings.Join(arguments(opts), " "), c.Logs())
		}
	})
	Eventually(t, startDeadline, func() (bool, string) {
		healthy = c.Healthy()
		return healthy || !p.Running(), "not healthy at " + c.Health
	})
	c.StartTook, c.healthy = time.Since(begin), time.Now()
	return c, healthy
}

// arguments returns the arguments of the command line.
func arguments(opts Options) []string {
	configs := opts.Configs
	if len(configs) == 0 {
		configs = []string{"builtin:dev"}
	}
	var args []string
	for _, config := range configs {
		args = append(args, "--config", config)
	}
	return append(args, opts.Args...)
}

// Stop ends the collector with SIGTERM. If it has not ended after two minutes, Stop kills it and fails the test.
// A second call returns the first result.
func (c *Collector) Stop(t testing.TB) Exit {
	t.Helper()
	if c.exit != nil {
		return *c.exit
	}
	time.Sleep(time.Until(c.healthy.Add(listens)))
	begin := time.Now()
	graceful, err := c.program.Stop(stopGrace)
	if err != nil {
		t.Fatalf("stop the collector: %v", err)
	}
	if !graceful {
		t.Errorf("the collector did not end within %s of SIGTERM and was killed", stopGrace)
	}
	c.exit = &Exit{Code: c.program.ProcessState.ExitCode(), Took: time.Since(begin)}
	return *c.exit
}

// Running reports whether the process still runs.
func (c *Collector) Running() bool { return c.program.Running() }

// Logs returns what the process has written.
func (c *Collector) Logs() string { return c.program.Log() }

// Reload makes the collector read its configuration again with SIGHUP, and waits until all pipelines run.
func (c *Collector) Reload(t testing.TB) {
	t.Helper()
	const ready = "Everything is ready"
	before := strings.Count(c.Logs(), ready)
	c.Signal(t, syscall.SIGHUP)
	Eventually(t, startDeadline, func() (bool, string) {
		return strings.Count(c.Logs(), ready) > before && c.Healthy(), "not ready after SIGHUP"
	})
}

// Signal sends a signal and does not wait for its effect.
func (c *Collector) Signal(t testing.TB, signal os.Signal) {
	t.Helper()
	if err := c.program.Process.Signal(signal); err != nil {
		t.Fatalf("send %s to the collector: %v", signal, err)
	}
}

// Kill ends the collector with SIGKILL.
func (c *Collector) Kill(t testing.TB) {
	t.Helper()
	if err := c.program.Kill(); err != nil {
		t.Fatalf("kill the collector: %v", err)
	}
	c.exit = &Exit{Code: -1}
}
