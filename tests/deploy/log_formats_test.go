// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// sampleRecord is a record that conventions/logformat expects of a sample.
type sampleRecord struct {
	body, service   string
	timed, severity bool
}

// sampleFiles returns the lines of each logger in conventions/logformat, and the records that they make.
func sampleFiles(t *testing.T) (lines map[string][]string, records map[string][]sampleRecord) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(collectortest.Root(t), "conventions/logformat/testdata/loggers/*.log"))
	require.NoError(t, err)
	require.Greater(t, len(files), 12)
	lines, records = map[string][]string{}, map[string][]sampleRecord{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".log")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		lines[name] = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		golden, err := os.ReadFile(strings.TrimSuffix(file, ".log") + ".txt")
		require.NoError(t, err)
		for line := range strings.Lines(string(golden)) {
			if !strings.HasPrefix(line, " ") { // format, time, severity=number
				fields := strings.Fields(line)
				records[name] = append(records[name], sampleRecord{timed: fields[1] != "-", severity: !strings.HasSuffix(line, "=Unspecified\n")})
				continue
			}
			last := &records[name][len(records[name])-1]
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "body":
				last.body, err = strconv.Unquote(value)
			case "resource service.name":
				last.service, err = strconv.Unquote(value)
			}
			require.NoError(t, err)
		}
	}
	return lines, records
}

// What the common loggers write comes through the agent of a node as records with a time, a severity, a
// body and a service, from the files of runtimes as from those of pods. The API server is away.
func TestFormatsOfLoggers(t *testing.T) {
	t.Parallel()
	f := newLogFolders(t)
	lines, want := sampleFiles(t)
	total := 0
	for name, text := range lines {
		collectortest.AppendLines(t, filepath.Join(f.runtime(t, name), name+".log"), text...)
		for _, line := range text {
			collectortest.AppendLines(t, filepath.Join(f.pod(t, strings.ReplaceAll(name, "_", "-")), "0.log"), inContainer(line))
		}
		total += 2 * len(want[name])
	}
	a := f.start(t, nil)
	var all plog.Logs
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		all = a.backend.LogRecords(t)
		got := len(slices.Collect(collectortest.Records(all)))
		return got >= total, fmt.Sprintf("%d of %d records arrived", got, total)
	})

	fromFiles, fromPods := map[string][]sampleRecord{}, map[string][]sampleRecord{}
	for _, resource := range all.ResourceLogs().All() {
		service, _ := resource.Resource().Attributes().AsRaw()["service.name"].(string)
		pod, inPod := resource.Resource().Attributes().AsRaw()["k8s.pod.name"].(string)
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				got := sampleRecord{record.Body().AsString(), service, record.Timestamp() != 0, record.SeverityNumber() != 0}
				if inPod {
					name := strings.ReplaceAll(pod, "-", "_")
					fromPods[name] = append(fromPods[name], got)
				} else {
					name := strings.TrimSuffix(collectortest.LogText(record, collectortest.FileKey), ".log")
					fromFiles[name] = append(fromFiles[name], got)
				}
			}
		}
	}
	for name, records := range want {
		inFiles, inPods := slices.Clone(records), slices.Clone(records)
		for i := range records {
			inPods[i].timed = true // by the container's runtime
			if records[i].service == "" {
				inFiles[i].service, inPods[i].service = name, "main"
			}
		}
		assert.ElementsMatch(t, inFiles, fromFiles[name], name)
		assert.ElementsMatch(t, inPods, fromPods[name], name)
	}
}
