// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// Each file of testdata/records becomes the records of its .txt, which UPDATE_GOLDEN=1 writes: service, time, severity
// and body of each, and its attributes.
func TestRecords(t *testing.T) {
	files, err := filepath.Glob("testdata/records/*.log")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			testfiles.Golden(t, strings.TrimSuffix(file, ".log")+".txt", recordsOf(t, text))
		})
	}
}

// recordsOf returns the records of a file /logs/file.log that is read at once.
func recordsOf(t *testing.T, text []byte) string {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Include, cfg.Location, cfg.IncludeFileName = []string{"/logs/*.log"}, "UTC", false
	next := new(consumertest.LogsSink)
	r, err := newReceiver(receivertest.NewNopSettings(metadata.Type), cfg, next)
	require.NoError(t, err)
	require.NoError(t, r.prepare(componenttest.NewNopHost()))
	one := r.newFile(1)
	one.Renamed("/logs/file.log")
	at := tail.Checkpoint{Modified: time.Date(2026, 11, 21, 10, 1, 0, 0, time.UTC)}
	require.NoError(t, one.Read(context.Background(), text, at))
	require.NoError(t, one.Ended(context.Background()))
	var all strings.Builder
	for _, logs := range next.AllLogs() {
		for _, resource := range logs.ResourceLogs().All() {
			service, _ := resource.Resource().Attributes().AsRaw()[serviceKey].(string)
			for _, record := range resource.ScopeLogs().At(0).LogRecords().All() {
				written := "-"
				if record.Timestamp() != 0 {
					written = record.Timestamp().AsTime().Format(time.RFC3339Nano)
				}
				fmt.Fprintf(&all, "%s %s %s %q\n", service, written, record.SeverityNumber(), record.Body().Str())
				attributes := record.Attributes().AsRaw()
				for _, key := range slices.Sorted(maps.Keys(attributes)) {
					fmt.Fprintf(&all, "  %s: %v\n", key, attributes[key])
				}
			}
		}
	}
	return all.String()
}
