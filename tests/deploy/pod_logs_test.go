// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// rotate renames the log of a container and compresses the one that was renamed before, as the kubelet does.
func rotate(t *testing.T, dir string, timestamp time.Time) {
	t.Helper()
	rotated, err := filepath.Glob(filepath.Join(dir, "0.log.*"))
	require.NoError(t, err)
	for _, path := range rotated {
		if strings.HasSuffix(path, ".gz") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err = w.Write(text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile(path+".tmp", packed.Bytes(), 0o600))
		require.NoError(t, os.Rename(path+".tmp", path+".gz"))
		require.NoError(t, os.Remove(path))
	}
	path := filepath.Join(dir, "0.log")
	require.NoError(t, os.Rename(path, path+timestamp.Format(".20060102-150405")))
}

// Lines that a container writes while the agent is away come once, through any rotations, and so do those while it
// runs. A further start repeats nothing.
func TestRotationsWhileTheAgentIsAway(t *testing.T) {
	t.Parallel()
	f := newLogFolders(t)
	dir := f.pod(t, "store-0")
	env := map[string]string{"OTELCOL_TC_STATE": filepath.Join(t.TempDir(), "state")}
	at := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	written := 0
	write := func(lines int) {
		var all []string
		for range lines {
			all = append(all, fmt.Sprintf("%s stdout F line %d", at.Add(time.Duration(written)*time.Microsecond).Format(time.RFC3339Nano), written))
			written++
		}
		collectortest.AppendLines(t, filepath.Join(dir, "0.log"), all...)
	}
	write(1000)
	first := f.start(t, env)
	collectortest.AwaitRecords(t, first.backend, written)
	rotate(t, dir, at)
	write(500)
	rotate(t, dir, at.Add(time.Minute)) // compresses what the agent has read
	write(700)
	collectortest.AwaitRecords(t, first.backend, written)
	before := written
	assert.Zero(t, first.Stop(t).Code)

	write(2000)
	for i := range 4 {
		rotate(t, dir, at.Add(time.Duration(2+i)*time.Minute))
		write(3000)
	}
	second := f.start(t, env)
	collectortest.AwaitRecords(t, second.backend, written-before)
	time.Sleep(3 * time.Second) // for archives that should not be read again
	all := second.backend.LogRecords(t)
	got := map[string]int{}
	for record := range collectortest.Records(all) {
		got[record.Body().AsString()]++
	}
	assert.Len(t, got, written-before)
	for i := before; i < written; i++ {
		require.Equal(t, 1, got[fmt.Sprint("line ", i)], i)
	}
	assert.Zero(t, second.Stop(t).Code)

	third := f.start(t, env)
	write(1)
	collectortest.AwaitRecords(t, third.backend, 1)
	time.Sleep(3 * time.Second)
	assert.Len(t, slices.Collect(collectortest.Records(third.backend.LogRecords(t))), 1)
}

// terminalRecord is what the record of a line says.
type terminalRecord struct {
	Body, Service, Severity string
	IDs                     bool
}

const (
	terminalTrace = "0af7651916cd43dd8448eb211c80319c"
	terminalSpan  = "b7ad6b7169203331"
)

// What the runtimes of the packs write to a terminal, and to a pipe, comes through the agent with its header in
// fields, in both modes, from the files of containerd and of Docker. The API server is away.
func TestTerminalLinesOfPods(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("testdata", "terminal_lines.yaml"))
	require.NoError(t, err)
	var terminalLines map[string]struct {
		Text string
		Want terminalRecord
	}
	require.NoError(t, yaml.Unmarshal([]byte(strings.NewReplacer("{trace}", terminalTrace, "{span}", terminalSpan).Replace(string(content))), &terminalLines))
	for _, mode := range []string{"enforce", "audit"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f := newLogFolders(t)
			for pod, line := range terminalLines {
				dir := f.pod(t, pod)
				for i, end := range []string{"\n", "\r\n"} { // a terminal writes both
					text, err := json.Marshal(line.Text + end)
					require.NoError(t, err)
					collectortest.AppendLines(t, filepath.Join(dir, fmt.Sprint(2*i, ".log")), inContainer(strings.TrimSuffix(line.Text+end, "\n")))
					collectortest.AppendLines(t, filepath.Join(dir, fmt.Sprint(2*i+1, ".log")),
						fmt.Sprintf(`{"log":%s,"stream":"stdout","time":"2026-11-22T10:00:00.5Z"}`, text))
				}
			}
			a := f.start(t, map[string]string{"OTELCOL_TC_MODE": mode})
			all := collectortest.AwaitRecords(t, a.backend, 4*len(terminalLines))
			got := map[string][]terminalRecord{}
			for resource, record := range collectortest.RecordsByResource(all) {
				attributes := resource.Attributes().AsRaw()
				service, _ := attributes["service.name"].(string)
				pod := fmt.Sprint(attributes["k8s.pod.name"])
				ids := record.TraceID().String() == terminalTrace && record.SpanID().String() == terminalSpan
				got[pod] = append(got[pod], terminalRecord{record.Body().AsString(), service, record.SeverityNumber().String(), ids})
			}
			for pod, line := range terminalLines {
				assert.Equal(t, slices.Repeat([]terminalRecord{line.Want}, 4), got[pod], pod)
			}
		})
	}
}
