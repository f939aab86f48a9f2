package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const dedup = `
processors:
  log_correlation:
    dedup_window: 5s
`

// TuFT's two handlers send every record twice: with a window one of each remains,
// without it both.
func TestRecordsSentTwice(t *testing.T) {
	config := filepath.Join(t.TempDir(), "dedup.yaml")
	require.NoError(t, os.WriteFile(config, []byte(dedup), 0o600))
	f := func(name string, remaining int, configs ...string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			sent := runClient(t, "tuft.py", overGRPC(c)...)
			require.Zero(t, c.Stop(t).Code)

			twice := map[sentLog]int{}
			for _, log := range sent.Logs {
				twice[log]++
			}
			got := map[sentLog]int{}
			for record := range records(c.LogRecords(t)) {
				got[sentLog{record.Body().AsString(), record.TraceID().String(), record.SpanID().String()}]++
			}
			assert.Len(t, got, len(twice))
			for log, n := range twice {
				require.Equal(t, 2, n, "sent by the two handlers: %+v", log)
				assert.Equal(t, remaining, got[log], "%+v", log)
			}
		})
	}
	f("without a window", 2, "builtin:dev")
	f("with a window", 1, "builtin:dev", config)
}
