// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// Much more than can be held, in bytes: memory stays bounded, and all comes out once.
func TestMemoryOfWhatIsHeld(t *testing.T) {
	t.Parallel()
	const (
		size, batches, atOnce = 4 << 10, 200, 100
		bound                 = 4 // MiB, for logs as for spans, of which 80 MiB come each
		// enough is between what it takes so, 100 MiB, and what without a bound, 300.
		enough = 180 << 20
	)
	options := linking{
		spans: payload.RulesOfJobs(longHold) + fmt.Sprintf(", max_held_spans: 1000000, max_held_mib: %d", bound),
		logs:  payload.RulesOfJobs(longHold) + fmt.Sprintf(", hold: %s, max_held_records: 1000000, max_held_mib: %d", longHold, bound),
	}.options()
	options.Env = collectortest.LittleGarbage
	c := collectortest.Start(t, options)
	before := c.PeakRSS(t)
	large := strings.Repeat("x", size)
	var spans []scenario.SpanRef
	for i := range batches {
		keys := payload.Numbered(fmt.Sprint("batch", i), atOnce)
		logs, traces := payload.JobLogs(keys...), takes(keys...)
		for record := range collectortest.Records(logs) {
			record.Attributes().PutStr("large", large)
		}
		for span := range collectortest.SpansOf(traces) {
			span.Attributes().PutStr("large", large)
			spans = append(spans, collectortest.SpanRef(span))
		}
		collectortest.PostLogs(t, c, logs)
		collectortest.PostTraces(t, c, traces)
	}
	c.PeakRSSWithin(t, before+enough)
	// A batch that comes while as much again is on its way out is not held, but goes on at
	// once: how many do depends on how fast the machine writes.
	assert.Greater(t, collectortest.SelfCount(t, c, "log_correlation_held", nil), float64(batches*atOnce/2))
	assert.Greater(t, collectortest.SelfCount(t, c, "span_link_held", nil), float64(batches*atOnce/2))

	require.Zero(t, c.Stop(t).Code)
	requireOnce(t, c.Traces(t), spans...)
	bodies := map[string]bool{}
	logs := c.LogRecords(t)
	for record := range collectortest.Records(logs) {
		bodies[record.Body().Str()] = true
	}
	assert.Len(t, bodies, batches*atOnce)
	assert.Equal(t, batches*atOnce, logs.LogRecordCount())
}
