// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
)

var indexID = component.MustNewID("correlation_index")

// rules are those of the tests: spans of a job, logs that belong to them, and logs that
// stand for the spans they were written in.
var rules = []any{
	map[string]any{
		"name": "job", "key": map[string]any{"span_attribute": "job"}, "scope": []any{"tenant"},
		"from": map[string]any{"logs": []any{map[string]any{"body": "queued <{key}>"}}, "service": "tu*"},
		"to":   map[string]any{"span_name": "run"},
		"logs": []any{
			map[string]any{"attribute": "job"},
			map[string]any{"body": "running {key}"},
		},
	},
	map[string]any{
		"name": "request", "key": map[string]any{"span_attribute": "rid"},
		"from": map[string]any{"kind": "server"},
		"logs": []any{map[string]any{"attribute": "rid", "ids": "trace"}},
	},
}

var builtIn = sync.OnceValues(func() ([]*conventions.Pack, error) { return conventions.Load(nil) })

func indexConfig() *Config {
	cfg := defaultConfig()
	cfg.Index = &indexID
	cfg.Rules = rules
	return cfg
}

// rig is a processor with an index, and what comes after it. It is safe for concurrent
// use.
type rig struct {
	t         testing.TB
	p         processor.Logs
	index     *breakable
	telemetry *componenttest.Telemetry
	rules     []*correlation.Rule
	further   map[component.ID]component.Component // extensions, besides the index

	mu      sync.Mutex
	answer  func(plog.Logs) error // nil: accepts
	batches []plog.Logs
}

// newRig returns a rig. The settings of its index can be changed, and its host can have further extensions.
func newRig(t testing.TB, cfg *Config, change func(*correlationindexextension.Config), further map[component.ID]component.Component) *rig {
	t.Helper()
	factory := correlationindexextension.NewFactory()
	settings := factory.CreateDefaultConfig().(*correlationindexextension.Config)
	settings.MaxMemoryMib = 1
	if change != nil {
		change(settings)
	}
	extension, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), settings)
	require.NoError(t, err)
	require.NoError(t, extension.Start(t.Context(), componenttest.NewNopHost()))

	r := &rig{t: t, telemetry: componenttest.NewTelemetry(), further: further}
	r.index = &breakable{Component: extension, Index: extension.(correlation.Index)}
	own, err := conventions.LinkRules("rules", cfg.Rules)
	require.NoError(t, err)
	packs, err := builtIn()
	require.NoError(t, err)
	r.rules = correlation.Rules(own, packs, cfg.Scope)

	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = r.telemetry.NewTelemetrySettings()
	next, err := consumer.NewLogs(r.consume)
	require.NoError(t, err)
	r.p, err = NewFactory().CreateLogs(t.Context(), set, cfg, next)
	require.NoError(t, err)
	require.NoError(t, r.p.Start(t.Context(), r))
	t.Cleanup(func() {
		_ = r.p.Shutdown(context.Background())
		assert.NoError(t, extension.Shutdown(context.Background()))
		assert.NoError(t, r.telemetry.Shutdown(context.Background()))
	})
	return r
}

// GetExtensions implements component.Host.
func (r *rig) GetExtensions() map[component.ID]component.Component {
	all := map[component.ID]component.Component{indexID: r.index}
	maps.Copy(all, r.further)
	return all
}

// breakable is an index that can be away.
type breakable struct {
	component.Component
	correlation.Index
	mu   sync.Mutex // guards away and, from the start on, Index
	away bool
}

var errAway = errors.New("away")

func (b *breakable) goAway(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
}

func (b *breakable) replace(change func(correlation.Index) correlation.Index) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Index = change(b.Index)
}

func (b *breakable) Do(ctx context.Context, visits []correlation.Request, found func(int, correlation.Result)) error {
	b.mu.Lock()
	index, away := b.Index, b.away
	b.mu.Unlock()
	if away {
		return errAway
	}
	return index.Do(ctx, visits, found)
}

func (r *rig) consume(_ context.Context, ld plog.Logs) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answer != nil {
		if err := r.answer(ld); err != nil {
			return err
		}
	}
	r.batches = append(r.batches, ld)
	return nil
}

func (r *rig) answers(answer func(plog.Logs) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// got are the batches that came out.
func (r *rig) got() []plog.Logs {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.batches)
}

// records are those that came out, in their order.
func (r *rig) records() []plog.LogRecord {
	var all []plog.LogRecord
	for _, ld := range r.got() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				all = slices.AppendSeq(all, func(yield func(plog.LogRecord) bool) {
					for _, record := range sl.LogRecords().All() {
						yield(record)
					}
				})
			}
		}
	}
	return all
}

// span does what span_link does for a span with a key.
func (r *rig) span(rule, value string, trace, span int, resource map[string]any) {
	r.t.Helper()
	at := slices.IndexFunc(r.rules, func(x *correlation.Rule) bool { return x.Name == rule })
	require.GreaterOrEqual(r.t, at, 0)
	of := pcommon.NewMap()
	require.NoError(r.t, of.FromRaw(resource))
	w := correlation.Writer{HashKey: r.index.HashKey()}
	r.rules[at].BeginKey(&w, pcommon.NewMap(), of)
	require.True(r.t, w.AddText(value, &r.rules[at].Key.Normalise))
	r.join(w.Key(), r.rules[at].Limit(), correlation.Member{TraceID: traceOf(trace), SpanID: spanOfNumber(span), TraceState: r.processOf(rule, of)})
}

// processOf returns what span_link keeps of the process of a rule's spans.
func (r *rig) processOf(rule string, resource pcommon.Map) string {
	at := slices.IndexFunc(r.rules, func(x *correlation.Rule) bool { return x.Name == rule })
	if !r.rules[at].SameProcess {
		return ""
	}
	w := correlation.Writer{HashKey: r.index.HashKey()}
	return string(r.rules[at].ProcessOf(&w, pcommon.NewMap(), resource))
}

// split does what span_link does where requests are split.
func (r *rig) split(rule string) {
	r.t.Helper()
	at := slices.IndexFunc(r.rules, func(x *correlation.Rule) bool { return x.Name == rule })
	w := correlation.Writer{HashKey: r.index.HashKey()}
	r.rules[at].BeginSplit(&w, pcommon.NewMap(), pcommon.NewMap())
	request := correlation.SplitTraces.Request(w.Key(), r.index.Window())
	require.NoError(r.t, r.index.Index.Do(r.t.Context(), []correlation.Request{request}, func(int, correlation.Result) {}))
}

// spanStart and spanEnd are when all spans of the tests start and end.
const spanStart, spanEnd = pcommon.Timestamp(100 * time.Second), pcommon.Timestamp(110 * time.Second)

// trace does what span_link does for each trace.
func (r *rig) trace(id pcommon.TraceID, span int) {
	r.t.Helper()
	w := correlation.Writer{HashKey: r.index.HashKey()}
	r.join(w.KeyOfTrace(id), 64, correlation.Member{TraceID: id, SpanID: spanOfNumber(span)})
}

func (r *rig) join(key correlation.Key, limit int, m correlation.Member) {
	r.t.Helper()
	m.Start, m.End, m.Stages, m.Flags = spanStart, spanEnd, 2, 1
	require.NoError(r.t, r.index.Index.Do(r.t.Context(), []correlation.Request{{
		Key: key, Op: correlation.Join, Limit: limit, Member: m,
	}}, func(int, correlation.Result) {}))
}

// traceOf and spanOfNumber are other ids for each number.
func traceOf(n int) (id pcommon.TraceID) {
	id[0] = 0xaa
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

func spanOfNumber(n int) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

// send passes one record, and returns it if it came out at once.
func (r *rig) send(fill func(plog.LogRecord)) (plog.LogRecord, bool) {
	r.t.Helper()
	before := len(r.records())
	require.NoError(r.t, r.p.ConsumeLogs(r.t.Context(), one(fill)))
	all := r.records()
	if len(all) == before {
		return plog.LogRecord{}, false
	}
	require.Len(r.t, all, before+1)
	return all[before], true
}

// counted is what was counted, by metric and label.
func (r *rig) counted() map[string]int64 {
	counted := map[string]int64{}
	for _, name := range []string{
		"enriched", "valid", "unresolved", "conflicts", "ambiguous", "held", "holding", "index_failures", "lost",
		"duplicates", "rejected", "released", "resolved", "witnesses",
	} {
		for _, point := range owntelemetry.Points(r.telemetry, "otelcol_log_correlation_"+name) {
			label := name
			for _, attribute := range point.Attributes.ToSlice() {
				label += " " + attribute.Value.AsString()
			}
			if point.Value != 0 {
				counted[label] = point.Value
			}
		}
	}
	return counted
}

func withJob(job string) func(plog.LogRecord) {
	return func(record plog.LogRecord) { record.Attributes().PutStr("job", job) }
}
