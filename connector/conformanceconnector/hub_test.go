// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// rig is a connector with all six instances, as in a collector whose pipelines all use it.
type rig struct {
	t       *testing.T
	metrics *consumertest.MetricsSink
	logs    *logsSink
	traces  []connector.Traces
	meters  []connector.Metrics
	loggers []connector.Logs
}

// logsSink refuses logs while it is full.
type logsSink struct {
	consumertest.LogsSink
	full atomic.Bool
}

func (s *logsSink) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if s.full.Load() {
		return errors.New("full")
	}
	return s.LogsSink.ConsumeLogs(ctx, ld)
}

// TestFindingsOutlastAnOutage checks that a backend gets the findings of a long outage once it is
// available again, with those that came meanwhile.
func TestFindingsOutlastAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		md := pmetric.NewMetrics()
		gauge(md, "shop", "shop.orders", "k", "a")
		r.sendMetrics(md)
		r.logs.full.Store(true)
		time.Sleep(61 * time.Second)
		r.sendMetrics(md)
		time.Sleep(3 * report.MaxIdle * time.Minute)
		r.logs.full.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		all := r.records()
		if assert.Len(t, all, 1) {
			assert.EqualValues(t, 2, all[0].Attributes().AsRaw()[findingContext+"count"])
		}
		r.shutdown()
	})
}

// stuck blocks until the context of the call ends.
type stuck struct {
	consumertest.LogsSink
	entered chan struct{}
}

func (s *stuck) ConsumeLogs(ctx context.Context, _ plog.Logs) error {
	select {
	case s.entered <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return ctx.Err()
}

// TestNextComponentBlocks checks that a blocked next component delays neither the judging nor the shutdown.
func TestNextComponentBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := createDefaultConfig().(*Config)
		// No report is due while the connector shuts down: the time of synctest stands still while one waits for a lock.
		cfg.Interval = 3 * cfg.Window
		next := &stuck{entered: make(chan struct{}, 1)}
		c, err := NewFactory().CreateTracesToLogs(t.Context(), connectortest.NewNopSettings(metadata.Type), cfg, next)
		require.NoError(t, err)
		require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
		send := func() {
			tr := newTree(newRand(1))
			tr.span("shop", "wrong name", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 1)
			require.NoError(t, c.ConsumeTraces(t.Context(), tr.td))
		}
		send()
		<-next.entered
		state := c.(*instance).hub.state
		send()
		time.Sleep(2 * cfg.Window)
		synctest.Wait()
		waiting, _ := state.traces.Waiting()
		assert.Zero(t, waiting, "traces are judged meanwhile")
		began := time.Now()
		assert.ErrorIs(t, c.Shutdown(context.Background()), context.DeadlineExceeded)
		assert.LessOrEqual(t, time.Since(began), 2*lastSend)
	})
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, metrics: &consumertest.MetricsSink{}, logs: &logsSink{}}
	f, cfg, ctx := NewFactory(), createDefaultConfig(), t.Context()
	set := connectortest.NewNopSettings(metadata.Type)
	set.Resource.Attributes().PutStr("service.name", "otelcol-tc")
	tm, err := f.CreateTracesToMetrics(ctx, set, cfg, r.metrics)
	require.NoError(t, err)
	tl, err := f.CreateTracesToLogs(ctx, set, cfg, r.logs)
	require.NoError(t, err)
	mm, err := f.CreateMetricsToMetrics(ctx, set, cfg, r.metrics)
	require.NoError(t, err)
	ml, err := f.CreateMetricsToLogs(ctx, set, cfg, r.logs)
	require.NoError(t, err)
	lm, err := f.CreateLogsToMetrics(ctx, set, cfg, r.metrics)
	require.NoError(t, err)
	ll, err := f.CreateLogsToLogs(ctx, set, cfg, r.logs)
	require.NoError(t, err)
	r.traces, r.meters, r.loggers = []connector.Traces{tm, tl}, []connector.Metrics{mm, ml}, []connector.Logs{lm, ll}
	for i := range r.traces {
		require.NoError(t, r.traces[i].Start(ctx, componenttest.NewNopHost()))
		require.NoError(t, r.meters[i].Start(ctx, componenttest.NewNopHost()))
		require.NoError(t, r.loggers[i].Start(ctx, componenttest.NewNopHost()))
	}
	return r
}

func (r *rig) shutdown() {
	for i := range r.traces {
		require.NoError(r.t, r.traces[i].Shutdown(context.Background()))
		require.NoError(r.t, r.meters[i].Shutdown(context.Background()))
		require.NoError(r.t, r.loggers[i].Shutdown(context.Background()))
	}
}

// sendTraces sends data that must not be changed, as sendMetrics and sendLogs do.
func (r *rig) sendTraces(td ptrace.Traces) {
	td.MarkReadOnly()
	for _, c := range r.traces {
		require.NoError(r.t, c.ConsumeTraces(r.t.Context(), td))
	}
}

func (r *rig) sendMetrics(md pmetric.Metrics) {
	md.MarkReadOnly()
	for _, c := range r.meters {
		require.NoError(r.t, c.ConsumeMetrics(r.t.Context(), md))
	}
}

func (r *rig) sendLogs(ld plog.Logs) {
	ld.MarkReadOnly()
	for _, c := range r.loggers {
		require.NoError(r.t, c.ConsumeLogs(r.t.Context(), ld))
	}
}

// records returns the log records since the last call.
func (r *rig) records() (all []plog.LogRecord) {
	for _, ld := range r.logs.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					all = append(all, record)
				}
			}
		}
	}
	r.logs.Reset()
	return all
}

// values returns the points of the last metrics, by name and labels.
func (r *rig) values() map[string]float64 {
	values := map[string]float64{}
	all := r.metrics.AllMetrics()
	require.NotEmpty(r.t, all)
	md := all[len(all)-1]
	for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		var points pmetric.NumberDataPointSlice
		if m.Type() == pmetric.MetricTypeSum {
			points = m.Sum().DataPoints()
		} else {
			points = m.Gauge().DataPoints()
		}
		for _, p := range points.All() {
			name := m.Name()
			for _, key := range []string{"service", "system", "signal", "rule", "limit", "client", "server", "from", "to"} {
				if label := attributes.Text(p.Attributes(), key); label != "" {
					name += " " + label
				}
			}
			value := p.DoubleValue()
			if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
				value = float64(p.IntValue())
			}
			values[name] = value
		}
	}
	return values
}

// TestFindingsAreSent checks that a batch counts once though all instances of a signal get it, that a
// repeated finding is one record per interval, and that nothing is left at shutdown.
func TestFindingsAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		time.Sleep(time.Second)
		tr := newTree(newRand(1))
		for range 3 {
			tr.span("shop", "<script>alert()</script>", internal, none, 0, 1)
		}
		r.sendTraces(tr.td)
		md := pmetric.NewMetrics()
		gauge(md, "shop", "tc_right", "k", "a", "b")
		gauge(md, "shop", "shop.orders", "tc.Wrong-Key", "a")
		r.sendMetrics(md)
		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", "shop")
		records := rl.ScopeLogs().AppendEmpty().LogRecords()
		records.AppendEmpty()
		records.AppendEmpty().SetTraceID(pcommon.TraceID{1})
		records.AppendEmpty().Attributes().PutStr("trace_id", "0102030405060708090a0b0c0d0e0f10")
		records.AppendEmpty().SetSpanID(pcommon.SpanID{1})
		r.sendLogs(ld)

		time.Sleep(time.Minute)
		synctest.Wait()
		rules := map[string]plog.LogRecord{}
		for _, record := range r.records() {
			assert.Equal(t, findingEvent, record.EventName())
			rules[attributes.Text(record.Attributes(), findingID)] = record
		}
		assert.Len(t, rules, 6)
		span := rules["span_text"]
		attrs := span.Attributes().AsRaw()
		assert.Equal(t, "information", attrs[findingLevel])
		assert.Equal(t, true, attrs[findingContext+"unowned"])
		assert.Equal(t, "span", attrs[findingSignal])
		assert.Equal(t, "<script>alert()</script>", attrs[findingName])
		assert.Equal(t, "shop", attrs[findingService])
		assert.EqualValues(t, 3, attrs[findingContext+"count"])
		assert.Contains(t, attrs[findingContext+"suggestion"], "Shop/")
		assert.Contains(t, attrs[findingContext+"yaml"], "spans:\n  rules:\n")
		assert.Equal(t, tr.trace, span.TraceID())
		assert.Equal(t, plog.SeverityNumberInfo, span.SeverityNumber())
		assert.Contains(t, span.Body().Str(), "no pack owns it")
		assert.Contains(t, span.Body().Str(), `span "<script>alert()</script>" -> "Shop/`)
		assert.Equal(t, "metrics:\n  rename:\n    \"shop.orders\": tc_shop_orders\n", attributes.Text(rules["metric_general"].Attributes(), findingContext+"yaml"))
		assert.Equal(t, "0102030405060708090a0b0c0d0e0f10", rules["log_ids_in_attributes"].TraceID().String())
		assert.Contains(t, rules, "attribute_form")
		assert.Contains(t, rules, "log_without_trace")
		assert.Contains(t, rules, "log_span_without_trace")

		values := r.values()
		assert.EqualValues(t, 3, values["tc_conformance_items shop traces"])
		assert.EqualValues(t, 0, values["tc_conformance_conformant_items shop traces"])
		assert.EqualValues(t, 2, values["tc_conformance_items shop metrics"])
		assert.Equal(t, 0.5, values["tc_conformance_score shop metrics"])
		assert.Equal(t, 0.25, values["tc_conformance_score shop logs"])
		assert.EqualValues(t, 3, values["tc_conformance_root_spans shop"])
		assert.EqualValues(t, 3, values["tc_conformance_findings shop none traces span_text"])

		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Empty(t, r.records(), "nothing new")
		assert.NotContains(t, r.values(), "tc_conformance_score shop metrics")
		r.sendMetrics(md)
		r.shutdown()
		assert.Len(t, r.records(), 2, "at the end")
		assert.EqualValues(t, 4, r.values()["tc_conformance_items shop metrics"])
		assert.Empty(t, hubs)
	})
}

// TestPageLivesWithConnector checks that the page runs from the first start to the last shutdown of an
// instance, at the address that the log names.
func TestPageLivesWithConnector(t *testing.T) {
	cfg := defaultConfig().(*Config)
	cfg.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = "127.0.0.1:0"
	core, logs := observer.New(zap.InfoLevel)
	set, ctx := connectortest.NewNopSettings(metadata.Type), t.Context()
	set.Logger = zap.New(core)
	one, err := NewFactory().CreateTracesToLogs(ctx, set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	other, err := NewFactory().CreateLogsToLogs(ctx, set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, one.Start(ctx, componenttest.NewNopHost()))
	require.NoError(t, other.Start(ctx, componenttest.NewNopHost()))
	const begins = "The conformance page is at "
	said := logs.Filter(func(e observer.LoggedEntry) bool { return strings.HasPrefix(e.Message, begins) }).All()
	require.NotEmpty(t, said)
	address := strings.TrimPrefix(said[0].Message, begins)
	get := func() error {
		answer, err := http.Get(address)
		if err == nil {
			assert.Equal(t, http.StatusOK, answer.StatusCode)
			err = answer.Body.Close()
		}
		return err
	}
	assert.NoError(t, get())

	// Another connector with the same address fails, and its error names the setting.
	second := defaultConfig().(*Config)
	second.Page.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = strings.Trim(strings.TrimPrefix(address, "http:"), "/")
	taken, err := NewFactory().CreateTracesToLogs(ctx, set, second, consumertest.NewNop())
	require.NoError(t, err)
	assert.ErrorContains(t, taken.Start(ctx, componenttest.NewNopHost()), "page: ")
	assert.NoError(t, taken.Shutdown(ctx))

	assert.NoError(t, one.Shutdown(context.Background()))
	assert.NoError(t, get())
	assert.NoError(t, other.Shutdown(context.Background()))
	assert.Error(t, get())
}
