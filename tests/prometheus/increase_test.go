// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
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
	server := servers.StartPrometheus(t, map[string]*collectortest.Collector{"cardinality": ours, "transform": stock})

	one, two, shop := payload.NewStore("store-1"), payload.NewStore("store-2"), newShop("shop-1")
	countByIDs(one, two, shop, func() {
		one.Export(t, one.Streams, ours, stock)
		two.Export(t, two.Streams, ours, stock)
		// A program's streams can come in several requests: from behind a batch
		// processor with a largest size, for example.
		for i := range shop.Streams {
			shop.Export(t, shop.Streams[i:i+1], ours, stock)
			// Prometheus sees every state, so that its numbers are the same in every run.
			server.AwaitScrapes(t)
		}
	})

	f := func(p *payload.Program, matchers string, counted, stockSays float64) {
		t.Helper()
		matchers += fmt.Sprintf(", instance=%q", p.Instance)
		folded := server.Increase(t, "{"+matchers+`, pipeline="cardinality"}`)
		other := server.Increase(t, "{"+matchers+`, pipeline="transform"}`)
		t.Logf("%s: counted %v, cardinality %v, transform %v (%d decreases)",
			matchers, counted, folded.Total, other.Total, other.Decreases)
		assert.Equal(t, servers.Increased{Total: counted}, folded, matchers)
		// No demand on others. The processor's README quotes these numbers.
		assert.Equal(t, stockSays, other.Total, "transform: %s", matchers)
	}
	f(one, `__name__="tc_replica_register_total"`, float64(one.Truth.Things), 1081)
	f(two, `__name__="tc_replica_register_total"`, float64(two.Truth.Things), 105)
	f(shop, `__name__="tc_shop_orders_total"`, float64(shop.Truth.Things), 37)
	f(one, `__name__="tc_artifact_load_seconds_count"`, float64(one.Truth.Fast+one.Truth.Slow), 415)
	f(two, `__name__="tc_artifact_load_seconds_count"`, float64(two.Truth.Fast+two.Truth.Slow), 60)
	// OpenMetrics writes the bound as 1.0.
	f(one, `__name__="tc_artifact_load_seconds_bucket", le=~"1|1.0"`, float64(one.Truth.Fast), 314)
	f(two, `__name__="tc_artifact_load_seconds_bucket", le=~"1|1.0"`, float64(two.Truth.Fast), 48)
	f(one, `__name__="tc_artifact_load_seconds_sum"`, one.Truth.Seconds(), 280.5)
	f(two, `__name__="tc_artifact_load_seconds_sum"`, two.Truth.Seconds(), 36)
}

// newShop makes a program of which no attribute stays.
func newShop(instance string) *payload.Program {
	return &payload.Program{Service: "shop", Instance: instance, Counter: "tc_shop_orders_total", Key: "session"}
}

// countByIDs is the scenario: in store one, streams start again, end and begin; store
// two restarts as a whole; the shop has a bit of each.
func countByIDs(one, two, shop *payload.Program, export func()) {
	a, b := one.Begin("a"), one.Begin("b")
	x, y := two.Begin("x"), two.Begin("y")
	red, blue := shop.Begin("red"), shop.Begin("blue")
	export() // all 0

	a.Count(payload.Counts{Things: 100, Fast: 50, Slow: 10})
	b.Count(payload.Counts{Things: 400, Fast: 90, Slow: 30})
	x.Count(payload.Counts{Things: 50, Fast: 20, Slow: 4})
	y.Count(payload.Counts{Things: 20, Fast: 10, Slow: 6})
	red.Count(payload.Counts{Things: 10})
	blue.Count(payload.Counts{Things: 4})
	export()

	a.StartAgain()
	a.Count(payload.Counts{Things: 5, Fast: 2, Slow: 1})
	b.Count(payload.Counts{Things: 50, Fast: 20, Slow: 5})
	// It counts more than it had before, and so hides in the sum that it restarted.
	two.Restart()
	x, y = two.Begin("x"), two.Begin("y")
	x.Count(payload.Counts{Things: 60, Fast: 25, Slow: 5})
	y.Count(payload.Counts{Things: 30, Fast: 15, Slow: 5})
	blue.StartAgain()
	blue.Count(payload.Counts{Things: 2})
	export()

	b.End()
	c := one.Begin("c")
	c.Count(payload.Counts{Things: 7, Fast: 4, Slow: 2})
	a.Count(payload.Counts{Things: 25, Fast: 8, Slow: 4})
	x.Count(payload.Counts{Things: 10, Fast: 6, Slow: 1})
	red.End()
	green := shop.Begin("green")
	green.Count(payload.Counts{Things: 1})
	blue.Count(payload.Counts{Things: 6})
	export()

	a.Count(payload.Counts{Things: 60, Fast: 30, Slow: 12})
	c.Count(payload.Counts{Things: 20, Fast: 15, Slow: 3})
	one.Begin("b").Count(payload.Counts{Things: 9, Fast: 3, Slow: 3}) // the id that had ended
	two.Restart()
	two.Begin("x").Count(payload.Counts{Things: 3, Fast: 1, Slow: 1})
	two.Begin("y").Count(payload.Counts{Things: 2, Fast: 1})
	green.Count(payload.Counts{Things: 8})
	export()
}
