package tests

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The two pipelines are builtin:dev's and differ in one processor.
const (
	// artifact_id is an id by TensorCast's pack, session by this.
	withCardinality = "yaml:{service: {pipelines: {metrics: {processors: [memory_limiter]}}}}"
	// What one has to write with stock parts: which attributes stay. None does.
	withTransform = `yaml:{
  processors: {transform: {metric_statements: [{context: metric, statements: [
    'aggregate_on_attributes("sum", []) where metric.name == "tc_replica_register_total"',
    'aggregate_on_attributes("sum", []) where metric.name == "tc_artifact_load_seconds"',
    'aggregate_on_attributes("sum", []) where metric.name == "tc_shop_orders_total"',
  ]}]}},
  service: {pipelines: {metrics: {processors: [memory_limiter, naming, transform]}}}}`
)

// What a Prometheus server says that a counter grew by is what was counted, although
// the id that told its streams apart is gone: over resets, restarts, ids that end
// and ids that begin. The same data through the stock transform processor are beside it.
func TestIncreaseIsWhatWasCounted(t *testing.T) {
	t.Parallel()
	ours := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withCardinality}})
	stock := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", withTransform}})
	server := startPrometheus(t, map[string]*collectortest.Collector{"cardinality": ours, "transform": stock})

	both := []*collectortest.Collector{ours, stock}
	stores, shop := twoStoresAndAShop(func(p *program, streams []*stream) {
		p.export(t, streams, both)
		// Prometheus sees every state, so that its numbers are the same in every run.
		server.awaitScrapes(t)
	})

	f := func(selector string, series int, counted, stockSays float64) {
		t.Helper()
		got := server.increase(t, selector+`, pipeline="cardinality"}`)
		other := server.increase(t, selector+`, pipeline="transform"}`)
		t.Logf("increase(%s}): counted %v, cardinality %v, transform %v (%d resets)",
			selector, counted, got.total, other.total, other.resets)
		assert.Equal(t, increased{total: counted, series: series}, got, selector)
		// Not a demand on others: when this changes, so do the numbers in the processor's README.
		assert.Equal(t, stockSays, other.total, selector+" by transform")
		assert.Equal(t, series, other.series, selector+" by transform")
	}
	_ = os.WriteFile("/tmp/ours.json", must(os.ReadFile(ours.DataDir+"/metrics.json")), 0o600)
	var all counts
	for _, store := range stores {
		all.add(store.truth)
	}
	f(`{__name__="tc_replica_register_total"`, len(stores), float64(all.things), 0)
	f(`{__name__="tc_artifact_load_seconds_count"`, len(stores), float64(all.fast+all.slow), 0)
	f(`{__name__="tc_artifact_load_seconds_bucket", le=~"1|1.0"`, len(stores), float64(all.fast), 0)
	f(`{__name__="tc_artifact_load_seconds_sum"`, len(stores), all.seconds(), 0)
	f(`{__name__="tc_shop_orders_total"`, 1, float64(shop.truth.things), 0)
}

// twoStoresAndAShop runs the scenario, and gives what each program exports to send.
func twoStoresAndAShop(send func(*program, []*stream)) (stores []*program, shop *program) {
	for _, instance := range []string{"store-1", "store-2"} {
		stores = append(stores, &program{
			resource: map[string]string{
				"service.namespace": "tensorcast", "service.name": "tensorcast-store-daemon", "service.instance.id": instance,
			},
			counter: "tc_replica_register_total", histogram: "tc_artifact_load_seconds", id: "artifact_id",
		})
	}
	shop = &program{
		resource: map[string]string{"service.name": "shop", "service.instance.id": "shop-1"},
		counter:  "tc_shop_orders_total", id: "session",
	}
	exportStores := func() {
		for _, store := range stores {
			send(store, store.streams)
		}
	}
	// As behind a batch processor with a largest size, or through a load balancer:
	// one program's streams come in several requests.
	exportShop := func() {
		for i := range shop.streams {
			send(shop, shop.streams[i:i+1])
		}
	}
	one, two := stores[0], stores[1]
	a, b, x := one.begin("a"), one.begin("b"), two.begin("a")
	red, blue := shop.begin("red"), shop.begin("blue")
	exportStores() // all 0
	exportShop()

	a.count(counts{things: 100, fast: 50, slow: 10})
	b.count(counts{things: 40, fast: 30, slow: 5})
	x.count(counts{things: 500, fast: 90, slow: 60})
	red.count(counts{things: 10})
	blue.count(counts{things: 4})
	exportStores()
	exportShop()

	// One stream starts again.
	a.reset()
	a.count(counts{things: 5, fast: 2, slow: 1})
	b.count(counts{things: 50, fast: 20, slow: 5})
	x.count(counts{things: 250, fast: 30, slow: 20})
	red.count(counts{things: 3})
	blue.reset()
	blue.count(counts{things: 2})
	exportStores()
	exportShop()

	// One stream ends, and a new id comes.
	b.end()
	c := one.begin("c")
	c.count(counts{things: 7, fast: 4, slow: 2})
	a.count(counts{things: 25, fast: 8, slow: 4})
	y := two.begin("b")
	y.count(counts{things: 3, fast: 1})
	red.end()
	green := shop.begin("green")
	green.count(counts{things: 1})
	blue.count(counts{things: 6})
	exportStores()
	exportShop()

	// A process starts again with the same identity, counts more than it had before,
	// and so hides its restart in the value.
	one.restart()
	a, c = one.begin("a"), one.begin("c")
	a.count(counts{things: 60, fast: 30, slow: 12})
	c.count(counts{things: 20, fast: 15, slow: 3})
	x.count(counts{things: 10, fast: 5, slow: 5})
	green.count(counts{things: 8})
	exportStores()
	exportShop()

	// And once more, with the id back that had ended.
	one.restart()
	a, b = one.begin("a"), one.begin("b")
	a.count(counts{things: 2, fast: 1})
	b.count(counts{things: 9, fast: 3, slow: 3})
	x.reset()
	x.count(counts{things: 4, fast: 2, slow: 2})
	y.count(counts{things: 30, fast: 10, slow: 4})
	blue.count(counts{things: 5})
	exportStores()
	exportShop()
	return stores, shop
}

func must(b []byte, err error) []byte { return b }
