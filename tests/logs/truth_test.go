// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

const (
	conflictKey = "tc.correlation.conflict"
	// minCorrelated is the least share of the records that state their span that has to
	// come out with its ids.
	minCorrelated = 0.99
)

// What the four systems log comes out in the spans that it was truly written in, and in
// no other.
func TestLogsComeOutInTheirSpans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collectortest.StartReading(t, dir)
	start := time.Now()
	var systems []*tcgen.Imitated
	var lines []scenario.Line
	for _, name := range scenario.Names() {
		s := tcgen.Imitate(t, name, start, start, 10*time.Second)
		systems = append(systems, s)
		for _, batch := range s.Batches {
			lines = append(lines, batch.Lines...)
		}
		s.Send(t, c)
	}
	collectortest.WriteTexts(t, dir, lines)
	awaitFileRecords(t, c, len(lines))
	require.Zero(t, c.Stop(t).Code)

	logs := c.LogRecords(t)
	var tally correlated
	eachFileRecord(t, lines, logs, func(line scenario.Line, record plog.LogRecord) {
		assert.NotZero(t, record.SeverityNumber(), line.Text)
		tally.check(t, line.Span, line.States, record)
	})
	for _, s := range systems {
		checkPushed(t, &tally, s, collectortest.PushedRecords(logs))
	}
	checkNamesSpans(t, c)

	assert.GreaterOrEqual(t, float64(tally.kept), minCorrelated*float64(tally.stating), "%d of %d", tally.kept, tally.stating)
	t.Logf("%d of %d records that state their span came out in it; of all %d written in a span, %.1f %% did",
		tally.kept, tally.stating, tally.inSpan, 100*float64(tally.inTheirs)/float64(tally.inSpan))
}

// eachFileRecord calls do with each entry of the files and its record. No record may be left.
func eachFileRecord(t *testing.T, lines []scenario.Line, logs plog.Logs, do func(scenario.Line, plog.LogRecord)) {
	t.Helper()
	files := collectortest.FileRecords(logs)
	for _, line := range lines {
		// Records that were held come out behind others. What is missing of the text is in other
		// fields. Some formats end at the second, and some leave year and zone to the reader.
		at := slices.IndexFunc(files[line.File], func(record plog.LogRecord) bool {
			body, apart := record.Body().AsString(), record.Timestamp().AsTime().Sub(line.Time).Abs()
			return judge.MadeOf(body, line) && apart <= time.Second && nearest(files[line.File], line, body, apart)
		})
		require.GreaterOrEqual(t, at, 0, "record of %s: %s", line.File, line.Text)
		do(line, files[line.File][at])
		files[line.File] = slices.Delete(files[line.File], at, at+1)
	}
	for file, left := range files {
		assert.Empty(t, bodies(left), "records of %s that nobody wrote", file)
	}
}

// nearest reports whether no other record of this body is nearer to an entry.
func nearest(records []plog.LogRecord, line scenario.Line, body string, apart time.Duration) bool {
	return !slices.ContainsFunc(records, func(other plog.LogRecord) bool {
		return other.Body().AsString() == body && other.Timestamp().AsTime().Sub(line.Time).Abs() < apart
	})
}

// checkPushed compares a system's records, of which some were sent twice and come out once, with
// those that came out: their native ids are the truth.
func checkPushed(t *testing.T, tally *correlated, s *tcgen.Imitated, received []plog.LogRecord) {
	t.Helper()
	type key struct {
		time int64
		body string
	}
	byKey := map[key][]plog.LogRecord{}
	for _, record := range received {
		k := key{int64(record.Timestamp()), record.Body().AsString()}
		byKey[k] = append(byKey[k], record)
	}
	for _, batch := range s.Batches {
		for sent := range collectortest.Records(batch.Events()) {
			k := key{int64(sent.Timestamp()), sent.Body().AsString()}
			require.NotEmpty(t, byKey[k], "%s: no record of %v", s.Name, k)
			states := scenario.StatesNative
			if sent.TraceID().IsEmpty() {
				states = scenario.StatesNothing
			}
			tally.check(t, judge.SpanOf(sent), states, byKey[k][0])
			byKey[k] = byKey[k][1:]
		}
	}
}

// correlated counts records by what became of them.
type correlated struct {
	inSpan   int // written in a span
	inTheirs int // of these, those that came out in it
	stating  int // stating their span
	kept     int // of these, those that came out in it
}

// check counts a record and fails the test where its ids are not the truth's.
func (c *correlated) check(t *testing.T, truth scenario.SpanRef, states scenario.States, record plog.LogRecord) {
	t.Helper()
	got, body := judge.SpanOf(record), record.Body().AsString()
	if !got.TraceID.IsEmpty() {
		assert.Equal(t, truth.TraceID, got.TraceID, "trace of %q", body)
	}
	if !got.SpanID.IsEmpty() {
		assert.Equal(t, truth, got, "span of %q", body)
	}
	_, marked := record.Attributes().Get(conflictKey)
	assert.Equal(t, states == scenario.StatesConflict, marked, "conflict marked in %q", body)
	switch states {
	case scenario.StatesConflict:
		assert.Equal(t, scenario.SpanRef{}, got, "ids of %q, which states %s", body, states)
	case scenario.StatesTrace:
		assert.Equal(t, truth.TraceID, got.TraceID, "trace of %q, which states it", body)
	case scenario.StatesIDs, scenario.StatesNative:
		c.stating++
		if got == truth {
			c.kept++
		}
	}
	if truth == (scenario.SpanRef{}) {
		return
	}
	c.inSpan++
	if got == truth {
		c.inTheirs++
	}
}
