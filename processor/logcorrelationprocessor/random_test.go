// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Keys and values that meet in random records, so that sources agree, complete and
// contradict each other far more often than fuzzed text lets them.
var (
	someKeys = []string{
		"trace_id", "span_id", "trace_flags", "traceId", "spanId", "otelTraceID", "otelSpanID", "otelTraceSampled",
		"trace.id", "span.id", "transaction.id", "dd.trace_id", "dd.span_id", "_dd.p.tid", "X-B3-TraceId", "X-B3-SpanId",
		"http.request.header.x-b3-traceid", "http.request.header.x-b3-spanid", "b3", "uber-trace-id", "X-Cloud-Trace-Context",
		"X-Amzn-Trace-Id", "traceparent", "http.request.header.traceparent", "mine", "my.span", "number", "my.number", "other",
	}
	someValues = []any{
		traceHex, otherTrace, spanHex, otherSpan, strings.ToUpper(traceHex), "", "0", "-", zeros16, zeros16 + zeros16, traceHex[:16],
		"00-" + traceHex + "-" + spanHex + "-01", "00-" + otherTrace + "-" + otherSpan + "-00", traceHex + "-" + spanHex + "-1",
		traceHex + ":" + spanHex + ":0:1", traceHex + "/67;o=1", "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=" + spanHex,
		"01", "true", true, int64(67), int64(-1), 1.5, "11803532876627986230", "67667974448284343", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736",
		[]any{traceHex}, []any{"00-" + traceHex + "-" + spanHex + "-01"}, map[string]any{"trace_id": traceHex},
	}
)

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func randomRecord(t *testing.T, r *rand.Rand, record plog.LogRecord) {
	t.Helper()
	fill := func(m pcommon.Map, n int) {
		for range n {
			require.NoError(t, m.PutEmpty(pick(r, someKeys)).FromRaw(pick(r, someValues)))
		}
	}
	if r.IntN(3) == 0 {
		record.SetTraceID(pick(r, []pcommon.TraceID{traceID, {1}}))
	}
	if r.IntN(3) == 0 {
		record.SetSpanID(pick(r, []pcommon.SpanID{spanID, {1}}))
	}
	record.SetFlags(pick(r, []plog.LogRecordFlags{0, 1, 0xabcd00, 0xabcd01}))
	fill(record.Attributes(), r.IntN(5))
	if r.IntN(2) == 0 {
		fill(record.Body().SetEmptyMap(), r.IntN(4))
		fill(record.Body().Map().PutEmptyMap(pick(r, []string{"ctx", "trace", "span", "dd", "parent"})), r.IntN(4))
		return
	}
	var text strings.Builder
	for range r.IntN(6) {
		if value, ok := pick(r, someValues).(string); ok {
			text.WriteString(pick(r, []string{" ", "[", "(", "x", "\t"}) + pick(r, someKeys) + pick(r, []string{"=", ": ", `":"`, "=\""}) + value)
		}
	}
	record.Body().SetStr(text.String() + pick(r, []string{"", "]", "\"", " [a," + traceHex + "," + spanHex + "]"}))
}

// TestRandomRecords is what FuzzLogs says, of random records.
func TestRandomRecords(t *testing.T) {
	for settings := range uint8(8) {
		cfg := defaultConfig()
		cfg.Overwrite, cfg.RemoveSource, cfg.CallerSpans = settings&overwrite != 0, settings&removeSource != 0, settings&callerSpans != 0
		cfg.Fields = []FieldsItem{{TraceID: "mine", SpanID: "my.span", Encoding: "uuid"}, {TraceID: "number", SpanID: "my.number", Encoding: "decimal"}}
		p, sink := start(t, cfg)
		r := rand.New(rand.NewPCG(uint64(settings), 6))
		for range 5000 {
			ld := one(func(record plog.LogRecord) { randomRecord(t, r, record) })
			before := plog.NewLogs()
			ld.CopyTo(before)
			checkPasses(t, cfg, p, sink, before, ld)
			if t.Failed() {
				t.Fatal(settings, written(t, before))
			}
		}
	}
}

// TestConcurrentBatches: batches at the same time come out as they would alone.
func TestConcurrentBatches(t *testing.T) {
	cfg := defaultConfig()
	cfg.RemoveSource = true
	p, _ := start(t, cfg)
	random := func(seed uint64) plog.Logs {
		r := rand.New(rand.NewPCG(seed, 7))
		return batch(20, func(record plog.LogRecord) { randomRecord(t, r, record) })
	}
	const batches = 200
	done := make(chan plog.Logs, batches)
	for worker := range uint64(8) {
		go func() {
			for seed := worker; seed < batches; seed += 8 {
				ld := random(seed)
				assert.NoError(t, p.ConsumeLogs(t.Context(), ld))
				done <- ld
			}
		}()
	}
	together := map[string]int{}
	for range batches {
		together[written(t, <-done)]++
	}
	alone, _ := start(t, cfg)
	for seed := range uint64(batches) {
		ld := random(seed)
		assert.NoError(t, alone.ConsumeLogs(t.Context(), ld))
		together[written(t, ld)]--
	}
	for _, n := range together {
		assert.Zero(t, n)
	}
}

// content is every text and number of a record, in lower case, written out
// with nothing of the processor's code.
func content(record plog.LogRecord) string {
	var b strings.Builder
	var write func(pcommon.Value)
	write = func(v pcommon.Value) {
		switch v.Type() {
		case pcommon.ValueTypeMap:
			for key, value := range v.Map().All() {
				b.WriteString(key + "=")
				write(value)
			}
		case pcommon.ValueTypeSlice:
			for _, value := range v.Slice().All() {
				write(value)
			}
		case pcommon.ValueTypeInt:
			fmt.Fprint(&b, v.Int())
		case pcommon.ValueTypeStr:
			b.WriteString(v.Str())
		}
		b.WriteString("\n")
	}
	for key, value := range record.Attributes().All() {
		b.WriteString(key + "=")
		write(value)
	}
	write(record.Body())
	return strings.ToLower(b.String())
}

// traceIsIn says whether a trace id is written in a content in one of the forms in
// which it may be: with its leading zeros or without, decimal, in two halves, AWS's or
// a UUID's. The halves of Datadog's may be anywhere.
func traceIsIn(content string, id pcommon.TraceID) bool {
	digits := hex.EncodeToString(id[:])
	lower, upper := decimalOf(digits[16:]), digits[:16]
	inHalves := strings.Contains(content, lower) && (upper == zeros16 || strings.Contains(content, upper))
	return strings.Contains(content, strings.TrimLeft(digits, "0")) || inHalves ||
		strings.Contains(content, "1-"+digits[:8]+"-"+digits[8:]) ||
		strings.Contains(content, strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-"))
}

func spanIsIn(content string, id pcommon.SpanID) bool {
	digits := hex.EncodeToString(id[:])
	return strings.Contains(content, strings.TrimLeft(digits, "0")) || strings.Contains(content, decimalOf(digits))
}

const zeros16 = "0000000000000000"

func decimalOf(digits string) string {
	n, _ := new(big.Int).SetString(digits, 16)
	return n.String()
}

// TestConcurrentDuplicates: of records that many senders send at the same time, one
// each goes out, with its ids.
func TestConcurrentDuplicates(t *testing.T) {
	cfg := defaultConfig()
	cfg.DedupWindow = new(10 * time.Second)
	p, sink := start(t, cfg)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				ld := batch(20, func(r plog.LogRecord) { r.Body().SetStr(textWithIDs) })
				for j, r := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
					r.SetTimestamp(pcommon.Timestamp(1 + 20*i + j))
				}
				assert.NoError(t, p.ConsumeLogs(t.Context(), ld))
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 50*20, sink.LogRecordCount())
	for _, ld := range sink.AllLogs() {
		for _, r := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
			assert.Equal(t, traceID, r.TraceID())
			assert.Equal(t, spanID, r.SpanID())
		}
	}
}
