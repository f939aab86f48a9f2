package tests

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The two pipelines are builtin:dev's and differ in one processor.
const (
	// TensorCast's pack calls artifact_id an id. Session is one because this says so.
	withCardinality = `yaml:{processors: {cardinality: {overrides: [{metric: tc_shop_orders_total, drop_attributes: [session]}]}}}`
	// With stock parts one says of each metric which attributes stay.
	withTransform = `yaml:{
  processors: {transform: {metric_statements: [{context: metric, statements: [
    'aggregate_on_attributes("sum", ["tc.location"]) where metric.name == "tc_replica_register_total"',
    'aggregate_on_attributes("sum", ["tc.location"]) where metric.name == "tc_artifact_load_seconds"',
    'aggregate_on_attributes("sum", []) where metric.name == "tc_shop_orders_total"']}]}},
  service: {pipelines: {metrics: {processors: [memory_limiter, naming, transform]}}}}`
)

// What a Prometheus server says that a counter grew by is what was counted, although
// the id that told its streams apart is gone. The same data through the stock
// transform processor stand beside it.
func TestIncreaseIsWhatWasCounted(t *testing.T) {
	t.Parallel()
	ours := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withCardinality}})
	stock := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withTransform}})
	server := startPrometheus(t, map[string]*collectortest.Collector{"cardinality": ours, "transform": stock})

	one, two, shop := newStore("store-1"), newStore("store-2"), newShop("shop-1")
	countByIDs(one, two, shop, func() {
		one.export(t, one.streams, ours, stock)
		two.export(t, two.streams, ours, stock)
		// A program's streams can come in several requests: from behind a batch
		// processor with a largest size, for example.
		for i := range shop.streams {
			shop.export(t, shop.streams[i:i+1], ours, stock)
			// Prometheus sees every state, so that its numbers are the same in every run.
			server.awaitScrapes(t)
		}
	})

	f := func(p *program, matchers string, counted, stockSays float64) {
		t.Helper()
		matchers += fmt.Sprintf(", instance=%q", p.instance)
		folded := server.increase(t, "{"+matchers+`, pipeline="cardinality"}`)
		other := server.increase(t, "{"+matchers+`, pipeline="transform"}`)
		t.Logf("%s: counted %v, cardinality %v, transform %v (%d decreases)",
			matchers, counted, folded.total, other.total, other.decreases)
		assert.Equal(t, increased{total: counted}, folded, matchers)
		// No demand on others. The processor's README quotes these numbers.
		assert.Equal(t, stockSays, other.total, "transform: %s", matchers)
	}
	f(one, `__name__="tc_replica_register_total"`, float64(one.truth.things), 1081)
	f(two, `__name__="tc_replica_register_total"`, float64(two.truth.things), 105)
	f(shop, `__name__="tc_shop_orders_total"`, float64(shop.truth.things), 37)
	f(one, `__name__="tc_artifact_load_seconds_count"`, float64(one.truth.fast+one.truth.slow), 415)
	f(two, `__name__="tc_artifact_load_seconds_count"`, float64(two.truth.fast+two.truth.slow), 60)
	// OpenMetrics writes the bound as 1.0.
	f(one, `__name__="tc_artifact_load_seconds_bucket", le=~"1|1.0"`, float64(one.truth.fast), 314)
	f(two, `__name__="tc_artifact_load_seconds_bucket", le=~"1|1.0"`, float64(two.truth.fast), 48)
	f(one, `__name__="tc_artifact_load_seconds_sum"`, one.truth.seconds(), 280.5)
	f(two, `__name__="tc_artifact_load_seconds_sum"`, two.truth.seconds(), 36)
}

func newStore(instance string) *program {
	return &program{
		namespace: "tensorcast", service: "tensorcast-store-daemon", instance: instance,
		counter: "tc_replica_register_total", histogram: "tc_artifact_load_seconds", key: "artifact_id",
		kept: map[string]any{"tc.location": "gpu"},
	}
}

// newShop makes a program of which no attribute stays.
func newShop(instance string) *program {
	return &program{service: "shop", instance: instance, counter: "tc_shop_orders_total", key: "session"}
}

// countByIDs is the scenario: in store one, streams start again, end and begin; store
// two restarts as a whole; the shop has a bit of each.
func countByIDs(one, two, shop *program, export func()) {
	a, b := one.begin("a"), one.begin("b")
	x, y := two.begin("x"), two.begin("y")
	red, blue := shop.begin("red"), shop.begin("blue")
	export() // all 0

	a.count(counts{things: 100, fast: 50, slow: 10})
	b.count(counts{things: 400, fast: 90, slow: 30})
	x.count(counts{things: 50, fast: 20, slow: 4})
	y.count(counts{things: 20, fast: 10, slow: 6})
	red.count(counts{things: 10})
	blue.count(counts{things: 4})
	export()

	a.startAgain()
	a.count(counts{things: 5, fast: 2, slow: 1})
	b.count(counts{things: 50, fast: 20, slow: 5})
	// It counts more than it had before, and so hides in the sum that it restarted.
	two.restart()
	x, y = two.begin("x"), two.begin("y")
	x.count(counts{things: 60, fast: 25, slow: 5})
	y.count(counts{things: 30, fast: 15, slow: 5})
	blue.startAgain()
	blue.count(counts{things: 2})
	export()

	b.end()
	c := one.begin("c")
	c.count(counts{things: 7, fast: 4, slow: 2})
	a.count(counts{things: 25, fast: 8, slow: 4})
	x.count(counts{things: 10, fast: 6, slow: 1})
	red.end()
	green := shop.begin("green")
	green.count(counts{things: 1})
	blue.count(counts{things: 6})
	export()

	a.count(counts{things: 60, fast: 30, slow: 12})
	c.count(counts{things: 20, fast: 15, slow: 3})
	one.begin("b").count(counts{things: 9, fast: 3, slow: 3}) // the id that had ended
	two.restart()
	two.begin("x").count(counts{things: 3, fast: 1, slow: 1})
	two.begin("y").count(counts{things: 2, fast: 1})
	green.count(counts{things: 8})
	export()
}
