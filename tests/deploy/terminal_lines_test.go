// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

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
