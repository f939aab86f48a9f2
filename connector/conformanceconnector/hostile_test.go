// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// TestLongComponents checks that component names are shortened like other names.
func TestLongComponents(t *testing.T) {
	s := newTestState(t, nil)
	for i := range 20 {
		tr := newTree(newRand(uint64(i)))
		tr.span("shop", "C"+strconv.Itoa(i)+strings.Repeat("x", 1<<20)+"/Do", internal, none, 0, 1)
		s.judgeTraces(context.Background(), tr.td)
	}
	s.judgeAll()
	require.NotEmpty(t, s.now().Components)
	for _, c := range s.now().Components {
		assert.LessOrEqual(t, len(c.Name), conformance.MaxText)
	}
}

// TestInvalidUTF8 checks that all output is valid UTF-8. protobuf refuses a batch with an invalid text.
func TestInvalidUTF8(t *testing.T) {
	const bad = "shop\xff"
	s := newTestState(t, nil)
	md, ld, tr := pmetric.NewMetrics(), plog.NewLogs(), newTree(newRand(1))
	gauge(md, bad, bad, bad, "a", "b")
	s.judgeMetrics(context.Background(), md)
	addRecords(ld, bad, bad, 1, func(r plog.LogRecord) { r.Attributes().PutStr(bad, bad) })
	s.judgeLogs(context.Background(), ld)
	span := tr.span(bad, bad+"/Do", internal, newSpanID(tr.rng), 0, 1)
	span.Attributes().PutStr(linkRuleKey, bad)
	span.Links().AppendEmpty().Attributes().PutStr(linkRuleKey, bad)
	s.judgeTraces(context.Background(), tr.td)
	s.judgeAll()
	r := s.now()
	require.GreaterOrEqual(t, len(r.Findings), 3)
	for _, record := range records(r, pcommon.NewResource()).ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		assert.True(t, utf8.ValidString(record.Body().Str()))
		for key, value := range record.Attributes().All() {
			assert.True(t, utf8.ValidString(value.AsString()), key)
		}
	}
	text, err := pmetricotlp.NewExportRequestFromMetrics(scores(r, pcommon.NewResource())).MarshalJSON()
	require.NoError(t, err)
	assert.True(t, utf8.Valid(text))
	assert.Contains(t, string(text), "shop\ufffd")
	assert.Equal(t, "shop\ufffd", r.Services[0].Name)
}

// TestExtremeTimes checks extreme timestamps. Impossible ones show nothing about clocks.
func TestExtremeTimes(t *testing.T) {
	f := func(clientEnd, serverStart, serverEnd pcommon.Timestamp) []conformance.Skew {
		s, tr := newTestState(t, nil), newTree(newRand(1))
		tr.span("a", "Comp/A", ptrace.SpanKindClient, none, 0, 1).SetEndTimestamp(clientEnd)
		c := tr.td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		v := tr.span("b", "Comp/B", ptrace.SpanKindServer, c.SpanID(), 0, 1)
		v.SetStartTimestamp(serverStart)
		v.SetEndTimestamp(serverEnd)
		s.judgeTraces(context.Background(), tr.td)
		s.judgeAll()
		return s.now().Skews
	}
	skews := f(math.MaxUint64, math.MaxUint64, math.MaxUint64)
	require.Len(t, skews, 1)
	assert.GreaterOrEqual(t, skews[0].Uncertain, time.Duration(0))
	assert.Empty(t, f(math.MaxUint64, 0, math.MaxUint64))
	assert.Empty(t, f(math.MaxUint64, math.MaxUint64, 0))
	assert.Empty(t, f(0, math.MaxUint64, math.MaxUint64))
}

// TestSpansWithoutID checks that spans without an id are not taken for duplicates.
func TestSpansWithoutID(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	for range 3 {
		tr.span("a", "Comp/A", internal, none, 0, 1).SetSpanID(none)
	}
	s.judgeTraces(context.Background(), tr.td)
	s.judgeAll()
	assert.EqualValues(t, 3, serviceOf(t, s.now(), "a").Spans)
}

// FuzzTraces checks arbitrary spans. Each span must be counted once.
func FuzzTraces(f *testing.F) {
	tr := newTree(newRand(1))
	a := tr.span("tuft", "training_controller.run_forward", internal, none, 0, 100)
	b := tr.span("tuft", "training_backend.forward", internal, a.SpanID(), 0, 200)
	a.SetParentSpanID(b.SpanID()) // each is the parent of the other
	a.Links().AppendEmpty().Attributes().PutStr(linkRuleKey, "x")
	seed, _ := (&ptrace.ProtoMarshaler{}).MarshalTraces(tr.td)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			return
		}
		s := newTestState(t, func(c *Config) { c.MaxTraces, c.MaxSpans, c.MaxFindings = 8, 16, 8 })
		s.judgeTraces(context.Background(), td)
		s.judgeAll()
		r := s.report(time.Now(), true)
		var checked int64
		for _, svc := range r.Services {
			n, right := scoreOf(&svc, "traces")
			assert.LessOrEqual(t, right, n)
			checked += n
		}
		assert.EqualValues(t, td.SpanCount(), checked)
		s.assertNoneWait(t)
		scores(r, pcommon.NewResource())
		records(r, pcommon.NewResource())
	})
}

// newPolicyState returns a state with a configuration of the conventions extension and packs.
func newPolicyState(t testing.TB, change func(*policy.Config), packs ...string) *testState {
	t.Helper()
	cfg, conf := createDefaultConfig().(*Config), policy.NewDefaultConfig()
	change(conf)
	require.NoError(t, conf.Validate())
	var all []*conventions.Pack
	for i, text := range packs {
		pack, err := conventions.Parse(fmt.Sprintf("pack%d.yaml", i), []byte(text))
		require.NoError(t, err)
		all = append(all, pack)
	}
	return &testState{newState(cfg, policy.Of(*conf, all), surroundings{}), cfg}
}

// TestPassingNamesDisplaceNothing checks that many names that no pack owns leave room for the findings of packs.
func TestPassingNamesDisplaceNothing(t *testing.T) {
	s := newPolicyState(t, func(*policy.Config) {}, "system: shop\nowns: {resource: {service.name: [shop]}}\n")
	md := pmetric.NewMetrics()
	for i := range s.config.MaxFindings + 7 {
		gauge(md, "bystander", "wrong."+strconv.Itoa(i), "k", "v")
	}
	gauge(md, "shop", "wrong.name", "k", "v")
	s.judgeMetrics(context.Background(), md)
	r := s.now()
	assert.Len(t, r.Findings, s.config.MaxFindings+2)
	assert.Equal(t, "shop", r.Findings[0].Service)
	assert.EqualValues(t, 7, r.Limits[report.LimitFindings].Total)
	for _, f := range r.Findings[1:] {
		assert.Equal(t, conformance.LevelInformation, f.Level)
		assert.True(t, f.Unowned, "also of the rest")
	}
	for _, c := range r.Counts {
		assert.Equal(t, c.Service != "shop", c.Unowned)
	}
}

// TestAdoptionOfHostileServices checks that no name of a service is anything but a key in the configuration
// that adopts it.
func TestAdoptionOfHostileServices(t *testing.T) {
	s := newPolicyState(t, func(*policy.Config) {})
	md := pmetric.NewMetrics()
	names := []string{"a: b", "true", "${env:HOME}", "a\nb: {mode: audit}", "\"", "größe"}
	// A star would adopt others.
	none := []string{"*", "a*", "", "other", "a::b", string(make([]byte, 300)), "\xff"}
	for _, name := range append(names, none...) {
		gauge(md, name, "wrong.name", "k", "v")
	}
	s.judgeMetrics(context.Background(), md)
	adopt := map[string]string{}
	for _, svc := range s.now().Services {
		adopt[svc.Name] = svc.Adopt
		assert.Equal(t, svc.Adopt == "", svc.AdoptValues == "" && svc.AdoptVariable == "")
		if svc.Adopt != "" {
			// The chart's values and the variable say the same.
			whole := decodeYAML(t, svc.Adopt)["extensions"]
			assert.Equal(t, whole, any(decodeYAML(t, svc.AdoptValues)), svc.Name)
			variable, _ := strings.CutPrefix(svc.AdoptVariable, "OTELCOL_TC_SERVICES=")
			assert.Equal(t, whole.(map[string]any)["conventions"].(map[string]any)["services"], any(decodeYAML(t, variable)), svc.Name)
		}
	}
	for _, name := range names {
		assert.Equal(t, map[string]any{"extensions": map[string]any{"conventions": map[string]any{"services": map[string]any{
			name: map[string]any{"mode": "enforce", "unowned": "repair"},
		}}}}, decodeYAML(t, adopt[name]), name)
		delete(adopt, name)
	}
	for name, text := range adopt {
		assert.Empty(t, text, name)
	}
}

func decodeYAML(t *testing.T, text string) (decoded map[string]any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &decoded), text)
	return decoded
}

// scrape returns what the Prometheus receiver makes of a scrape.
func scrape(job, instance string, value float64) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", job)
	rm.Resource().Attributes().PutStr("service.instance.id", instance)
	to := rm.ScopeMetrics().AppendEmpty().Metrics()
	for name, value := range map[string]float64{"up": value, "scrape_duration_seconds": 0.01, "scrape_samples_scraped": 0} {
		m := to.AppendEmpty()
		m.SetName(name)
		m.SetEmptyGauge().DataPoints().AppendEmpty().SetDoubleValue(value)
	}
	return md
}

// TestHostileScrapes checks that targets, and what is found about them, are bounded.
func TestHostileScrapes(t *testing.T) {
	s := newTestState(t, nil)
	for i := range 3 * report.MaxTargets {
		s.judgeMetrics(context.Background(), scrape("job"+strconv.Itoa(i%7), "host"+strconv.Itoa(i), 0))
	}
	r := s.now()
	assert.Len(t, r.Targets, report.MaxTargets)
	assert.EqualValues(t, report.MaxTargets, totalOf(r, "scrape_failed"))
	assert.EqualValues(t, 2*report.MaxTargets, r.Limits[report.LimitTargets].Total)
	var down float64
	for _, m := range scores(r, pcommon.NewResource()).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if m.Name() == "tc_conformance_scrape_targets" {
			assert.Equal(t, 7, m.Gauge().DataPoints().Len())
			for _, p := range m.Gauge().DataPoints().All() {
				down += p.DoubleValue()
			}
		}
	}
	assert.EqualValues(t, report.MaxTargets, down)
}

// TestShortRun checks what a run says of its traces that is shorter than the window: that they wait, and
// at its end what can be judged without the rest.
func TestShortRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		rng := newRand(1)
		whole := newTree(rng)
		root := whole.span("a", "A/Do", internal, none, 0, 100)
		whole.span("a", "A/Help", internal, root.SpanID(), 0, 200)
		part := newTree(rng)
		part.span("a", "A/Help", internal, newSpanID(rng), 0, 100)
		r.sendTraces(whole.td)
		r.sendTraces(part.td)
		time.Sleep(10 * time.Second)
		s := r.traces[0].(*instance).hub.state
		now := s.report(time.Now(), false)
		assert.EqualValues(t, 2, now.Traces.Waiting)
		assert.Zero(t, now.Traces.Judged)
		r.shutdown()
		now = s.Report()
		assert.EqualValues(t, 1, now.Traces.Judged)
		assert.EqualValues(t, 1, now.Traces.Waiting, "its parent may have come")
		assert.EqualValues(t, 2, serviceOf(t, now, "a").Spans)
		assert.EqualValues(t, 1, totalOf(now, "ends_after_parent"))
		assert.Zero(t, totalOf(now, "missing_parent"))
	})
}

// addRecords adds log records of a scope.
func addRecords(ld plog.Logs, service, scope string, n int, change func(plog.LogRecord)) {
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", service)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(scope)
	for range n {
		change(sl.LogRecords().AppendEmpty())
	}
}

func TestLogSourcesAreBounded(t *testing.T) {
	s, ld := newTestState(t, nil), plog.NewLogs()
	for i := range report.MaxSources + 7 {
		addRecords(ld, "a", strconv.Itoa(i), 2, func(plog.LogRecord) {})
	}
	s.judgeLogs(context.Background(), ld)
	r := s.now()
	assert.Len(t, r.LogSources, report.MaxSources)
	assert.EqualValues(t, 14, r.Limits[report.LimitSources].Total)
}
