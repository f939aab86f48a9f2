// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// replacement is how an agent is replaced: its process ends, nothing listens for the gap, and the next one starts.
type replacement struct {
	gap time.Duration
	// retried is how long the programs go on after it.
	retried time.Duration
}

// untilSent is longer than all batches before the gap wait to be sent.
const untilSent = 6 * time.Second

// longer are the settings of docs/sdk.md. Python's timeout is in seconds.
var longer = map[string][]string{
	"Go":     {"OTEL_EXPORTER_OTLP_TIMEOUT=60000", "OTEL_BSP_EXPORT_TIMEOUT=90000", "OTEL_BSP_MAX_QUEUE_SIZE=6000"},
	"Python": {"OTEL_EXPORTER_OTLP_TIMEOUT=60", "OTEL_BSP_EXPORT_TIMEOUT=90000", "OTEL_BSP_MAX_QUEUE_SIZE=6000"},
}

// goHTTP does not try again when a connection is refused, whatever is set.
const goHTTP = "Go, http"

// short is a gap over which programs lose no spans with the settings of docs/sdk.md.
const short = 5 * time.Second

// make sdk prints the table of docs/sdk.md.
func TestMeasureSettingsOverAnAgentRestart(t *testing.T) {
	if os.Getenv("TC_SDK") == "" {
		t.Skip("measures: run make sdk")
	}
	gap, err := time.ParseDuration(os.Getenv("TC_SDK"))
	require.NoError(t, err)
	for range 3 {
		for settings, env := range map[string]map[string][]string{"defaults": nil, "longer": longer} {
			for _, client := range spansOverARestart(t, env, replacement{gap: gap, retried: time.Minute}) {
				require.Less(t, client.lost, client.sent, "nothing of %s arrived", client.name)
				t.Logf("%s, %s, gap of %s: lost %d of %d", client.name, settings, gap, client.lost, client.sent)
				if env != nil && gap <= short && client.name != goHTTP {
					assert.Zero(t, client.lost, client.name)
				}
			}
		}
	}
}

// clientSpans is what became of a program's spans.
type clientSpans struct {
	name       string
	sent, lost int
}

// spansOverARestart replaces an agent while programs of each SDK send spans over each protocol.
func spansOverARestart(t *testing.T, settings map[string][]string, r replacement) (all []clientSpans) {
	t.Helper()
	addresses, err := loopback.FreeAddresses(2)
	require.NoError(t, err)
	gateway := collectortest.Start(t, collectortest.Options{Configs: []string{collectortest.PlainBackend}})
	agent := collectortest.Options{
		Configs: []string{"builtin:agent", "builtin:fragments/agent-host"},
		Env: map[string]string{
			"OTELCOL_TC_GATEWAYS":           fmt.Sprintf("[%q]", gateway.GRPC),
			"OTELCOL_TC_STATE":              filepath.Join(t.TempDir(), "state"),
			"OTELCOL_TC_OTLP_GRPC_ENDPOINT": addresses[0],
			"OTELCOL_TC_OTLP_HTTP_ENDPOINT": addresses[1],
		},
	}
	before := collectortest.Start(t, agent)
	var programs []*steadyProgram
	for _, protocol := range []string{"grpc", "http"} {
		endpoint := map[string]string{"grpc": addresses[0], "http": addresses[1]}[protocol]
		args := []string{"--protocol", protocol, "--endpoint", endpoint}
		programs = append(programs,
			startSteady(t, "Go, "+protocol, exec.Command(collectortest.Program(t, "gospans"), args...), settings["Go"]),
			startSteady(t, "Python, "+protocol, clientCommand(context.Background(), t, "steady_spans.py", args...), settings["Python"]))
	}
	time.Sleep(untilSent)
	require.Zero(t, before.Stop(t).Code)
	time.Sleep(r.gap)
	collectortest.Start(t, agent)
	time.Sleep(r.retried)
	for _, program := range programs {
		program.end(t)
	}
	for _, program := range programs {
		all = append(all, program.await(t, gateway))
	}
	return all
}

// steadyProgram is a program that makes spans until its stdin ends.
type steadyProgram struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
}

func startSteady(t *testing.T, name string, cmd *exec.Cmd, settings []string) *steadyProgram {
	t.Helper()
	cmd.Env = slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1"}, settings)
	p := &steadyProgram{name: name, cmd: cmd}
	var err error
	p.stdin, err = cmd.StdinPipe()
	require.NoError(t, err)
	p.stdout, err = cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return p
}

// end has the program send what is left.
func (p *steadyProgram) end(t *testing.T) {
	t.Helper()
	require.NoError(t, p.stdin.Close())
}

// await waits until the program has ended and its spans have come, or no more come.
func (p *steadyProgram) await(t *testing.T, backend *collectortest.Collector) clientSpans {
	t.Helper()
	var sent struct{ Spans []string }
	require.NoError(t, json.NewDecoder(p.stdout).Decode(&sent), p.name)
	require.NotEmpty(t, sent.Spans, p.name)
	missing := func() (n int) {
		arrived := payload.ArrivedFrom(t, backend)
		for _, id := range sent.Spans {
			if arrived[id] == 0 {
				n++
			}
		}
		return n
	}
	lost := missing()
	for deadline := time.Now().Add(collectortest.ArrivalTimeout); lost > 0 && time.Now().Before(deadline); lost = missing() {
		time.Sleep(time.Second)
	}
	return clientSpans{name: p.name, sent: len(sent.Spans), lost: lost}
}
