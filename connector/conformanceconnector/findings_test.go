package conformanceconnector

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

func TestSeriesAgainstBudget(t *testing.T) {
	s := newTestState(t, func(c *Config) { c.Limit = 100 })
	md := pmetric.NewMetrics()
	values := make([]string, 150)
	for i := range values {
		values[i] = strconv.Itoa(i)
	}
	gauge(md, "a", "tc_over", "k", values...)
	gauge(md, "a", "tc_near", "k", values[:81]...)
	gauge(md, "a", "tc_within", "k", values[:80]...)
	gauge(md, "b", "tc_over", "k", values[:100]...)
	s.metrics(md)
	s.metrics(md)
	r := s.now()
	assert.Equal(t, Metric{"a", "tc_over", estimate{150, true}, 100, []int{150}}, r.Metrics[0])
	a := r.service(t, "a")
	assert.Equal(t, 150+81+80, a.Series)
	assert.Equal(t, 1, a.OverBudget)
	assert.Equal(t, 1.5, a.BudgetUsed)
	assert.EqualValues(t, 1, r.by("over_budget"))
	assert.EqualValues(t, 2, r.by("near_budget"))
	assert.Equal(t, "processors:\n  cardinality:\n    overrides:\n      - metric: \"tc_over\"\n        limit: 300\n", r.Findings[0].Paste)
}

// What is to be pasted makes room for the series that there are now.
func TestPasteFollowsSeries(t *testing.T) {
	s := newTestState(t, func(c *Config) { c.Limit = 10 })
	for _, series := range []int{11, 400} {
		md := pmetric.NewMetrics()
		for i := range series {
			gauge(md, "shop", "tc_x", "k", strconv.Itoa(i))
		}
		s.metrics(md)
		assert.Contains(t, s.now().Findings[0].Paste, "limit: "+strconv.Itoa(2*series)+"\n")
	}
}

// A window that begins does not look like fewer series, and what ends is forgotten.
func TestSeriesOfWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestState(t, nil)
		md := pmetric.NewMetrics()
		gauge(md, "a", "tc_m", "k", "1", "2", "3")
		s.metrics(md)
		one := pmetric.NewMetrics()
		gauge(one, "a", "tc_m", "k", "1")
		for range 59 {
			time.Sleep(time.Minute)
			s.metrics(one)
		}
		time.Sleep(2 * time.Minute)
		s.metrics(one)
		assert.Equal(t, 3, s.now().Metrics[0].Series)
		for range 120 {
			time.Sleep(time.Minute)
			s.metrics(one)
		}
		assert.Equal(t, 1, s.now().Metrics[0].Series)
		time.Sleep(2 * forgetAfter)
		s.now()
		r := s.now()
		assert.Empty(t, r.Services)
		assert.Empty(t, r.Metrics)
		assert.Empty(t, r.Counts)
	})
}

func TestMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestState(t, nil)
		pack, err := conventions.Parse("shop.yaml", []byte("system: shop\nowns: {resource: {service.name: [till, warehouse]}}\n"+
			"expect: {metrics: ['tc_shop_*'], components: [Till, Warehouse], edges: [{from: Till, to: Warehouse}]}"))
		require.NoError(t, err)
		s.namer = naming.New([]*conventions.Pack{pack}, naming.Options{Prefix: "tc_", Unknown: naming.UnknownRename})
		s.expect = newExpectations([]*conventions.Pack{pack}, "tc_")
		s.edges = newEdges(s.expect)
		rng := newRand(1)
		till := func(whole bool) {
			tr := newTree(rng)
			root := tr.span("till", "Till/TakeOrder", internal, none, 0, 100)
			if whole {
				middle := tr.span("gateway", "Gateway/Ask", internal, root.SpanID(), 0, 100)
				tr.span("warehouse", "Warehouse/Pack", internal, middle.SpanID(), 0, 100)
			} else {
				// There, but not below.
				tr.span("warehouse", "Warehouse/Pack", internal, none, 0, 100)
			}
			s.traces(tr.td)
			time.Sleep(s.config.Window)
			s.sweep(time.Now())
		}
		for range 5 {
			till(false)
		}
		r := s.now()
		assert.Zero(t, r.by("missing_edge"), "too early")
		assert.EqualValues(t, 5, r.by("broken_edge"))
		for range 6 {
			till(false)
		}
		r = s.now()
		assert.Zero(t, r.by("missing_edge"), "a trace that takes it may wait to be judged")
		assert.EqualValues(t, 1, r.by("missing_metric"))
		for range 4 {
			till(false)
		}
		r = s.now()
		assert.EqualValues(t, 1, r.by("missing_edge"))
		assert.EqualValues(t, 2, r.by("missing_metric"))
		assert.Zero(t, r.by("missing_component"))
		till(true)
		r = s.now()
		assert.EqualValues(t, 1, r.by("missing_edge"), "no more")
		assert.EqualValues(t, 3, r.by("missing_metric"))
		edge := r.Expectations[0].Edges[0]
		assert.EqualValues(t, 16, edge.Traces)
		assert.EqualValues(t, 1, edge.Reached)

		time.Sleep(s.config.ExpectAfter)
		r = s.now()
		assert.EqualValues(t, 3, r.by("missing_metric"), "a system that is away lacks nothing")
		assert.Zero(t, r.Expectations[0].SeenSince)
	})
}

// What is to be pasted is a part of a valid pack, and makes of the name what it says.
func TestPaste(t *testing.T) {
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	options := naming.Options{Prefix: "tc_", Unknown: naming.UnknownRename}
	n := naming.New(packs, options)
	read := func(text string) *naming.Namer {
		pack, err := conventions.Parse("mine.yaml", []byte("system: mine\nowns: {all: true}\n"+text))
		require.NoError(t, err, text)
		return naming.New([]*conventions.Pack{pack}, options)
	}
	for _, name := range []string{"shop.orders", "Ünïcode", "a b", `quote"d`, "back\\slash", "<script>", "a: b #c", "new\nline", "\x00x"} {
		d := n.Metric(nil, name)
		if text := pasteMetric(&d, name); assert.NotEmpty(t, text, name) {
			again := read(text).Metric(nil, name)
			assert.Equal(t, d.Name, again.Name, text)
			assert.Equal(t, naming.MetricRename, again.Rule)
		}
		span := n.Span(naming.Context{Service: "shop"}, "", name)
		if text := pasteSpan(&span, name); text != "" {
			assert.Equal(t, span.Name, read(text).Span(naming.Context{Service: "shop"}, "", name).Name, text)
		}
		var override map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(pasteLimit(name, 3000)), &override))
		assert.Contains(t, fmt.Sprint(override), "limit:6000")
	}
	assert.Empty(t, pasteLimit("\xff", 1))
}

func TestLinksByRule(t *testing.T) {
	s, tr := newTestState(t, nil), newTree(newRand(1))
	span := tr.span("a", "A/Do", internal, none, 0, 1)
	for range 2 {
		span.Links().AppendEmpty().Attributes().PutStr("tc.link.rule", "tuft.session")
	}
	span.Links().AppendEmpty() // its own
	s.traces(tr.td)
	assert.Equal(t, []Link{{"tuft.session", 2}}, s.now().Links)
	for i := range 2 * maxLinkRules {
		s.links.add(strconv.Itoa(i))
	}
	assert.Len(t, s.now().Links, maxLinkRules+1)
}

// Past the limits everything is counted still, together.
func TestLimits(t *testing.T) {
	s := newTestState(t, func(c *Config) { c.MaxServices, c.MaxFindings, c.MaxMetrics = 2, 3, 4 })
	md := pmetric.NewMetrics()
	for i := range 10 {
		gauge(md, "service-"+strconv.Itoa(i), "wrong."+strconv.Itoa(i), "k", "v")
	}
	s.metrics(md)
	r := s.now()
	assert.Len(t, r.Services, 3)
	other := r.service(t, otherService)
	checked, conformant := other.score("metrics")
	assert.EqualValues(t, 8, checked)
	assert.Zero(t, conformant)
	assert.EqualValues(t, 10, r.by("metric_general"))
	assert.Len(t, r.Findings, 4)
	assert.Len(t, r.Metrics, 4)
	assert.EqualValues(t, 7, r.limit(limitFindings))
	assert.EqualValues(t, 6, r.limit(limitMetrics))
	assert.Positive(t, r.limit(limitServices))
}

// A report stays what it was, for whoever shows it, and can be written as JSON.
func TestReport(t *testing.T) {
	s := newTestState(t, nil)
	nothing, err := json.Marshal(s.Report())
	require.NoError(t, err)
	assert.NotContains(t, string(nothing), "null", "lists are empty before the first report")
	md := pmetric.NewMetrics()
	gauge(md, "shop", "shop.orders", "k", "v")
	s.metrics(md)
	s.now()
	first := s.Report()
	text, err := json.Marshal(first)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"rule":"metric_general","level":"violation"`)
	s.metrics(md)
	s.now()
	again, err := json.Marshal(first)
	require.NoError(t, err)
	assert.Equal(t, text, again)
	s.now()
	if last := s.Report(); assert.Len(t, last.Findings, 1, "also without a new one") {
		assert.EqualValues(t, 2, last.Findings[0].Total)
		assert.Zero(t, last.Findings[0].Count)
	}
}

// A report is one for all that look at it, while batches come.
func TestConcurrency(t *testing.T) {
	s := newTestState(t, func(c *Config) { c.MaxServices = 3 })
	const goroutines, batches = 8, 50
	done := make(chan struct{})
	for g := range goroutines {
		go func() {
			defer func() { done <- struct{}{} }()
			rng := newRand(uint64(g))
			for i := range batches {
				tr := newTree(rng)
				tr.span("service-"+strconv.Itoa(i%5), "wrong name "+strconv.Itoa(i%7), ptrace.SpanKindServer, newSpanID(rng), 0, 1)
				s.traces(tr.td)
				if i%10 == 0 {
					s.judgeAll()
					s.now()
				}
			}
		}()
	}
	for range goroutines {
		<-done
	}
	s.judgeAll()
	r := s.now()
	var checked, judged int64
	for _, svc := range r.Services {
		n, _ := svc.score("traces")
		checked += n
		judged += svc.Spans
	}
	assert.EqualValues(t, goroutines*batches, checked)
	assert.EqualValues(t, goroutines*batches, judged)
	assert.EqualValues(t, goroutines*batches, r.by("span_text"))
	assert.EqualValues(t, goroutines*batches, r.by("missing_parent"))
}
