// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap/zapcore"

	"github.com/otelcol-tc/otelcol-tc/extension/storageguardextension/internal/metadatatest"
)

func requireCounted(t *testing.T, telemetry *componenttest.Telemetry, checked, damaged, skipped int64) {
	t.Helper()
	value := func(n int64) []metricdata.DataPoint[int64] { return []metricdata.DataPoint[int64]{{Value: n}} }
	ignore := metricdatatest.IgnoreTimestamp()
	metadatatest.AssertEqualStorageGuardCheckedFiles(t, telemetry, value(checked), ignore)
	metadatatest.AssertEqualStorageGuardDamagedFiles(t, telemetry, value(damaged), ignore)
	metadatatest.AssertEqualStorageGuardSkippedFiles(t, telemetry, value(skipped), ignore)
	_, err := telemetry.GetMetric("otelcol_storage_guard_check_time")
	assert.NoError(t, err)
}

func names(t *testing.T, directory string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestOnlyFilesOfFileStorageAreTouched(t *testing.T) {
	directory := t.TempDir()
	store(t, directory, "whole", 10, 100)
	require.NoError(t, os.Mkdir(filepath.Join(directory, "exporter_folder_"), 0o700))
	for name, content := range map[string]string{
		"exporter_empty_": "",
		"notes.txt":       "no database",
		"exporter_otlp__.damaged-20261122T050000.000Z": "set aside before",
		"exporter_otlp__.20261122T050000.000Z.backup":  "set aside by file_storage",
		"tempdb123":             "of a compaction",
		"receiver_file_log_":    "no database, where file_storage will look for one",
		strings.Repeat("a", 64): "as well, under a long name",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600))
	}
	before := names(t, directory)
	telemetry, logs := runGuard(t, directory)
	requireCounted(t, telemetry, 3, 2, 0)
	after := names(t, directory)
	assert.Len(t, after, len(before))
	var gone []string
	for _, name := range before {
		if _, err := os.Stat(filepath.Join(directory, name)); err != nil {
			gone = append(gone, name)
		}
	}
	assert.Equal(t, []string{strings.Repeat("a", 64), "receiver_file_log_"}, gone)

	entries := logs.FilterLevelExact(zapcore.ErrorLevel).All()
	require.Len(t, entries, 2)
	fields := entries[1].ContextMap()
	assert.Equal(t, filepath.Join(directory, "receiver_file_log_"), fields["file"])
	assert.Regexp(t, `receiver_file_log_\.damaged-\d{8}T\d{6}\.\d{3}Z$`, fields["now"])
	assert.Equal(t, "invalid database", fields["damage"])
}

func TestNothingToCheck(t *testing.T) {
	telemetry, logs := runGuard(t, filepath.Join(t.TempDir(), "none"))
	requireCounted(t, telemetry, 0, 0, 0)
	assert.Zero(t, logs.Len())
}

func TestFileAsDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	telemetry, logs := runGuard(t, path)
	requireCounted(t, telemetry, 0, 0, 1)
	assert.Equal(t, 1, logs.FilterMessageSnippet("Cannot read the directory").Len())
}

// A file that another process uses is not touched.
func TestLockedFilesAreLeftAlone(t *testing.T) {
	directory := t.TempDir()
	c, err := client(t, directory, "used")
	require.NoError(t, err)
	telemetry, logs := runGuard(t, directory)
	requireCounted(t, telemetry, 0, 0, 1)
	require.Equal(t, 1, logs.Len())
	assert.Contains(t, logs.All()[0].ContextMap()["error"], "another process has it open")
	require.NoError(t, c.Set(t.Context(), "key", []byte("value")))
	require.NoError(t, c.Close(t.Context()))
	assert.Equal(t, []string{fileOf("used")}, names(t, directory))
}

// Old damaged files are deleted, so that they do not fill the disk. Files of other names do not count.
func TestOldestAreDeleted(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "exporter_otlp_")
	other := filepath.Join(directory, "exporter_otlp_.damaged-ly")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	var kept []string
	begin := time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)
	for i := range 5 {
		require.NoError(t, os.WriteFile(path, fmt.Append(nil, i), 0o600))
		aside, err := setAside(path, begin.Add(time.Duration(i)*time.Hour), 2)
		require.NoError(t, err)
		kept = append(kept, filepath.Base(aside))
	}
	assert.Equal(t, []string{kept[3], kept[4], filepath.Base(other)}, names(t, directory))

	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := setAside(path, begin.Add(4*time.Hour), 2)
	assert.ErrorContains(t, err, kept[4]+" already exists")
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) {
	assert.EqualError(t, (&Config{Keep: 3}).Validate(), `directory: must be that of a file_storage extension (got "")`)
	assert.EqualError(t, (&Config{Directory: "d"}).Validate(), "keep: must be at least 1 (got 0)")
}
