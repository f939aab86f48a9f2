// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// AppendLines appends complete lines to a file.
func AppendLines(t *testing.T, path string, lines ...string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	for _, line := range lines {
		_, err = file.WriteString(line + "\n")
		require.NoError(t, err)
	}
	require.NoError(t, file.Close())
}

// FileKey is the attribute with the file of a text log's record.
const FileKey = "log.file.name"

// tcgenPaths find a FastDeploy instance by the names of tcgen's files.
const tcgenPaths = `[{match: "*fastdeploy_{service.instance.id}_trace.log"}, {match: "*fastdeploy_{service.instance.id}.log"}]`

// StartReading starts a collector that reads the text logs of a directory.
func StartReading(t *testing.T, dir string) *Collector {
	t.Helper()
	globs, err := json.Marshal([]string{filepath.Join(dir, "*.log")})
	require.NoError(t, err)
	return Start(t, Options{Env: map[string]string{"OTELCOL_TC_LOG_FILES": string(globs), "OTELCOL_TC_LOG_PATHS": tcgenPaths}})
}

// FileRecords returns the records of text logs by file, in order.
func FileRecords(logs plog.Logs) map[string][]plog.LogRecord {
	files := map[string][]plog.LogRecord{}
	for record := range Records(logs) {
		if file := judge.Text(record.Attributes(), FileKey); file != "" {
			files[file] = append(files[file], record)
		}
	}
	return files
}

// PushedRecords returns the records received over OTLP.
func PushedRecords(logs plog.Logs) []plog.LogRecord {
	var all []plog.LogRecord
	for record := range Records(logs) {
		if judge.Text(record.Attributes(), FileKey) == "" {
			all = append(all, record)
		}
	}
	return all
}

// WriteTexts appends entries to the files of a directory.
func WriteTexts(t *testing.T, dir string, lines []scenario.Line) {
	t.Helper()
	texts := map[string][]string{}
	for _, line := range lines {
		texts[line.File] = append(texts[line.File], line.Text)
	}
	for file, entries := range texts {
		AppendLines(t, filepath.Join(dir, file), entries...)
	}
}
