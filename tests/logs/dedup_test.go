// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/clients"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const keepBoth = `
processors:
  log_correlation:
    dedup_window: 0s
`

// TuFT's two handlers send every record twice. Its pack has one of each remain, unless a setting
// keeps both.
func TestRecordsSentTwice(t *testing.T) {
	config := filepath.Join(t.TempDir(), "keep.yaml")
	require.NoError(t, os.WriteFile(config, []byte(keepBoth), 0o600))
	f := func(name string, remaining int, configs ...string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			sent := clients.RunClient(t, "tuft.py", clients.OverGRPC(c)...)
			require.Zero(t, c.Stop(t).Code)

			twice := map[clients.SentLog]int{}
			for _, log := range sent.Logs {
				twice[log]++
			}
			got := map[clients.SentLog]int{}
			for record := range collectortest.Records(c.LogRecords(t)) {
				got[clients.SentLog{Body: record.Body().AsString(), TraceID: record.TraceID().String(), SpanID: record.SpanID().String()}]++
			}
			assert.Len(t, got, len(twice))
			for log, n := range twice {
				require.Equal(t, 2, n, "sent by the two handlers: %+v", log)
				assert.Equal(t, remaining, got[log], "%+v", log)
			}
		})
	}
	f("by default", 1, "builtin:dev")
	f("with a window of 0", 2, "builtin:dev", config)
}
