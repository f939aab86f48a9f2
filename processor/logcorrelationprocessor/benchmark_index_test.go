// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
)

// indexKinds are what the records of a benchmark with an index are. All rules are those
// of the built-in packs.
var indexKinds = []struct {
	name   string
	fill   func(plog.LogRecord)
	native bool
}{
	{name: "native", native: true, fill: func(record plog.LogRecord) { record.Body().SetStr(textWithoutIDs) }},
	{name: "witness", native: true, fill: func(record plog.LogRecord) { record.Body().SetStr("Future enqueued: " + someUUID) }},
	{name: "attribute", fill: func(record plog.LogRecord) {
		record.Body().SetStr(textWithoutIDs)
		record.Attributes().PutStr("tuft.request_id", someUUID)
	}},
	{name: "body", fill: func(record plog.LogRecord) { record.Body().SetStr("Future begin: " + someUUID) }},
	{name: "none", fill: func(record plog.LogRecord) { record.Body().SetStr(textWithoutIDs) }},
}

const someUUID = "6c1f9d1e-0b7a-4d2f-9a55-5be9a1f4c001"

// startWithIndex starts a processor whose index knows a span, and returns what passes a
// batch.
func startWithIndex(t testing.TB) func(plog.Logs) {
	cfg := defaultConfig()
	cfg.Index = &indexID
	cfg.Hold = hold
	cfg.DedupWindow = new(time.Duration(0))
	r := newRig(t, cfg, func(c *correlationindexextension.Config) { c.TraceIds = true })
	r.span("tuft.request", someUUID, 1, 11, nil)
	return func(ld plog.Logs) {
		_ = r.p.ConsumeLogs(t.Context(), ld)
		r.batches = r.batches[:0]
	}
}

func BenchmarkIndex(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		for _, kind := range indexKinds {
			b.Run(fmt.Sprintf("%d attributes/%s", attributes, kind.name), func(b *testing.B) {
				ld := batch(records, attributes, kind.fill)
				pass := startWithIndex(b)
				b.ReportAllocs()
				for b.Loop() {
					setNative(ld, kind.native)
					pass(ld)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
			})
		}
	}
}

// BenchmarkHeld holds records until their span comes, and lets them go.
func BenchmarkHeld(b *testing.B) {
	cfg := holdingConfig()
	cfg.MaxHeldRecords = records
	r := newRig(b, cfg, nil)
	request := batch(records, 5, withJob("one"))
	b.ReportAllocs()
	for b.Loop() {
		ld := plog.NewLogs()
		request.CopyTo(ld)
		_ = r.p.ConsumeLogs(b.Context(), ld)
		r.mu.Lock()
		r.batches = r.batches[:0]
		r.mu.Unlock()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
}

// BenchmarkLookup looks up all that is held, as is done 16 times while it is.
func BenchmarkLookup(b *testing.B) {
	cfg := holdingConfig()
	r := newRig(b, cfg, nil)
	packs, err := builtIn()
	require.NoError(b, err)
	x, err := newIndexing(cfg, packs)
	require.NoError(b, err)
	require.NoError(b, x.start(b.Context(), r))
	k := newKeeper(x, cfg, nil, nil, nil)
	ld := batch(cfg.MaxHeldRecords, 5, withJob("one"))
	w := &inquiry{indexing: x, tally: &tally{}}
	w.begin()
	for _, record := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		w.add(ld.ResourceLogs().At(0).Resource(), ld.ResourceLogs().At(0).ScopeLogs().At(0).Scope(), record)
		w.subjects[len(w.subjects)-1].waits = true
	}
	all := takeOut(ld, w.subjects)
	require.Len(b, all, cfg.MaxHeldRecords)
	b.ReportAllocs()
	for b.Loop() {
		k.look(b.Context(), all)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/record")
}

// BenchmarkTextLines reads lines of FastDeploy. Those with a key name the request of a span.
func BenchmarkTextLines(b *testing.B) {
	f := func(name string, fill func(plog.LogRecord)) {
		b.Run(name, func(b *testing.B) {
			cfg := defaultConfig()
			cfg.Index = &indexID
			cfg.Hold = hold
			r := newRig(b, cfg, nil)
			process := map[string]any{"service.name": "FastDeploy", "host.name": "h", "process.pid": 3100}
			r.span("fastdeploy.log", someUUID, 1, 11, process)
			ld := batch(records, 0, func(record plog.LogRecord) {
				record.Attributes().PutInt("process.pid", 3100)
				record.Attributes().PutStr("code.file.path", "serving_completion.py")
				record.Attributes().PutInt("code.line.number", 132)
				fill(record)
			})
			require.NoError(b, ld.ResourceLogs().At(0).Resource().Attributes().FromRaw(map[string]any{"service.name": "FastDeploy", "host.name": "h"}))
			for i, record := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
				record.SetTimestamp(100e9 + 1 + 1000*pcommon.Timestamp(i))
			}
			b.ReportAllocs()
			for b.Loop() {
				setNative(ld, false)
				_ = r.p.ConsumeLogs(b.Context(), ld)
				r.batches = r.batches[:0]
			}
			b.StopTimer()
			record := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
			require.Equal(b, name != "none", !record.TraceID().IsEmpty())
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
		})
	}
	f("attribute", func(record plog.LogRecord) {
		record.Body().SetStr("REQUEST_SCHEDULE_START")
		record.Attributes().PutStr("rid", someUUID)
	})
	f("none", func(record plog.LogRecord) {
		record.Body().SetStr("scheduled 1 request, batch size 4, prefix cache is 92% full, 512 blocks are free")
	})
}
