// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// cluster is two agents, two gateways, and a backend, each a process with the profile that ships.
type cluster struct {
	agents, gateways [2]*collectortest.Collector
	backend          *collectortest.Collector

	redis string

	gatewayOptions [2]collectortest.Options
}

// startCluster starts a cluster whose gateways share an index in Redis, or have each their own, without an address.
func startCluster(t *testing.T, redis string, hold time.Duration) *cluster {
	t.Helper()
	c := &cluster{backend: collectortest.Start(t, collectortest.Options{Configs: []string{collectortest.PlainBackend}}), redis: redis}
	index := "redis"
	if redis == "" {
		index = "memory"
	}
	var addresses []string
	for i := range c.gateways {
		// An address of the gateway's own, so that nobody takes it while the gateway is away.
		free, err := loopback.FreeAddresses(2)
		require.NoError(t, err)
		grpc, http := ownAddress(t, i, free[0]), ownAddress(t, i, free[1])
		addresses = append(addresses, grpc)
		c.gatewayOptions[i] = collectortest.Options{
			Configs: append(collectortest.WithFragments("gateway-prometheus-page"), fmt.Sprintf(`yaml:{
  extensions: {correlation_index: {redis: {%s}}},
  connectors: {conformance: {interval: 1s}},
  processors: {span_link: {%s}}}`, patient, payload.RulesOfJobs(hold))),
			Env: map[string]string{
				"OTELCOL_TC_BACKEND":            "http://" + c.backend.HTTP,
				"OTELCOL_TC_INSTANCE":           fmt.Sprintf("gateway-%d", i),
				"OTELCOL_TC_INDEX":              index,
				"OTELCOL_TC_REDIS_ENDPOINT":     cmp.Or(redis, "127.0.0.1:1"),
				"OTELCOL_TC_OTLP_GRPC_ENDPOINT": grpc,
				"OTELCOL_TC_OTLP_HTTP_ENDPOINT": http,
				"OTELCOL_TC_STATE":              t.TempDir(),
			},
		}
		c.startGateway(t, i)
	}
	for i := range c.agents {
		c.agents[i] = collectortest.Start(t, collectortest.Options{
			Configs: []string{"builtin:agent", "builtin:fragments/agent-host"},
			Env: map[string]string{
				"OTELCOL_TC_GATEWAYS":      fmt.Sprintf("[%q, %q]", addresses[0], addresses[1]),
				"OTELCOL_TC_NODE":          fmt.Sprintf("node-%d", i),
				"OTELCOL_TC_HOST_INTERVAL": "1s",
			},
		})
	}
	return c
}

// ownAddress is a free address of 127.0.0.1 on one of the loopback network's others.
func ownAddress(t *testing.T, i int, free string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(free)
	require.NoError(t, err)
	return net.JoinHostPort(fmt.Sprintf("127.0.0.%d", i+2), port)
}

func (c *cluster) startGateway(t *testing.T, i int) {
	t.Helper()
	c.gateways[i] = collectortest.Start(t, c.gatewayOptions[i])
	if c.redis != "" {
		awaitRedis(t, c.gateways[i])
	}
}

// One of two gateways stops and starts again while two nodes send: all of it arrives, once;
// spans are linked though their traces went to different gateways; and each series is written
// by one of them at a time, and counts right.
func TestClusterWhileAGatewayRestarts(t *testing.T) {
	t.Parallel()
	c := startCluster(t, servers.StartRedis(t, "--port").Address, takeHold)
	l := &clusterLoad{}
	// So many services that both gateways have some, whatever their addresses are.
	for i := range 20 {
		p := payload.NewStore(fmt.Sprintf("store-%d", i))
		p.Service = fmt.Sprintf("tensorcast-store-daemon-%d", i)
		p.Begin("a")
		p.Begin("b")
		l.stores = append(l.stores, p)
	}
	const rounds = 20
	l.send(t, c, rounds)
	c.requireBalanced(t, l)
	c.requireOneWriter(t)

	require.Zero(t, c.gateways[0].Stop(t).Code)
	l.send(t, c, rounds)
	c.startGateway(t, 0)
	l.send(t, c, rounds)

	// Behind what awaitRedis has sent.
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		missing := l.missing(t, c.backend)
		return missing == "", missing
	})
	l.check(t, c)
}

// Two gateways without Redis link the pairs that one of them has, and count the rest.
func TestGatewaysOfTheirOwn(t *testing.T) {
	t.Parallel()
	const pairs = 60
	c := startCluster(t, "", killHold)
	for n := range pairs {
		key := fmt.Sprintf("pair-%d", n)
		payload.PostJob(t, c.agents[n%2], payload.TakeName, key)
		payload.PostJob(t, c.agents[(n+1)%2], payload.PutName, key)
	}
	collectortest.AwaitSpans(t, c.backend, 2*pairs)
	linked := len(allDerivedLinks(c.backend.Traces(t)))
	unmet := 0.0
	for _, gateway := range c.gateways {
		own := collectortest.SelfCount(t, gateway, "span_link_unmet", map[string]string{"rule": "held"})
		assert.Positive(t, own)
		unmet += own
	}
	assert.Equal(t, pairs, linked+int(unmet), "%d linked, %v not met", linked, unmet)
	assert.Positive(t, linked)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		shown := int64(0)
		for _, gateway := range c.gateways {
			for _, link := range collectortest.ConformanceReport(t, gateway).Links {
				if link.Rule == "held" {
					shown += link.Unmet
				}
			}
		}
		return shown == int64(unmet), fmt.Sprintf("%d on the pages", shown)
	})
	t.Logf("%d of %d pairs linked, %v counted", linked, pairs, unmet)
}

// clusterLoad is what was sent through the agents.
type clusterLoad struct {
	puts, gets []scenario.SpanRef // by pair
	names      []string           // of spans and logs, as they arrive
	stores     []*payload.Program
}

// send sends some rounds of pairs of spans, of logs, and of counters. The two spans of a pair
// are of different nodes and traces.
func (l *clusterLoad) send(t *testing.T, c *cluster, rounds int) {
	t.Helper()
	for range rounds {
		n := len(l.puts)
		from, to := c.agents[n%2], c.agents[(n+1)%2]
		key := fmt.Sprintf("pair-%d", n)
		put, get := payload.PostJob(t, from, payload.PutName, key), payload.PostJob(t, to, payload.GetName, key)
		l.puts, l.gets = append(l.puts, put), append(l.gets, get)
		collectortest.PostLogs(t, from, payload.JobLogs(key))
		l.names = append(l.names, put.SpanID.String(), get.SpanID.String(), "job "+key+" is done")
		for i, p := range l.stores {
			for j, s := range p.Streams {
				s.Count(payload.Counts{Things: int64(1 + i + j)})
			}
			p.Export(t, p.Streams, c.agents[i%2])
		}
	}
}

// missing says what has not arrived yet, "" when all has.
func (l *clusterLoad) missing(t *testing.T, backend *collectortest.Collector) string {
	t.Helper()
	all := payload.ArrivedFrom(t, backend)
	for _, name := range l.names {
		if all[name] == 0 {
			return name
		}
	}
	for _, p := range l.stores {
		values := arrived(p, backend.Metrics(t))
		if len(values) == 0 || values[len(values)-1].value != p.Truth.Things {
			return "the last count of " + p.Instance
		}
	}
	return ""
}

// check checks that all came once, is linked, and adds up.
func (l *clusterLoad) check(t *testing.T, c *cluster) {
	t.Helper()
	all := payload.ArrivedFrom(t, c.backend)
	for _, name := range l.names {
		assert.Equal(t, 1, all[name], name)
	}
	linked := map[edge]int{}
	for _, link := range allDerivedLinks(c.backend.Traces(t)) {
		linked[edge{link.Earlier, link.Later}]++
	}
	for i := range l.puts {
		assert.Equal(t, 1, linked[edge{l.puts[i], l.gets[i]}], "links of pair %d", i)
	}
	for _, p := range l.stores {
		checkArrived(t, p, c.backend.Metrics(t))
	}
}

// requireBalanced checks that the pairs' traces went to both gateways.
func (c *cluster) requireBalanced(t *testing.T, l *clusterLoad) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		missing := l.missing(t, c.backend)
		return missing == "", missing
	})
	for i, gateway := range c.gateways {
		received := collectortest.SelfCount(t, gateway, "receiver_accepted_spans", map[string]string{"transport": "grpc"})
		assert.Positive(t, received, "spans of gateway %d", i)
		assert.Less(t, received, float64(2*len(l.puts)), "spans of gateway %d", i)
	}
}

// requireOneWriter checks that no series is on both gateways' pages.
func (c *cluster) requireOneWriter(t *testing.T) {
	t.Helper()
	one, two := seriesOf(c.gateways[0].Scrape(t)), seriesOf(c.gateways[1].Scrape(t))
	require.NotEmpty(t, one)
	require.NotEmpty(t, two)
	for series := range one {
		assert.NotContains(t, two, series)
	}
}

func seriesOf(page map[string]*dto.MetricFamily) map[string]bool {
	all := map[string]bool{}
	for name, family := range page {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			all[fmt.Sprint(name, labels)] = true
		}
	}
	return all
}

// countAt is a value of a counter.
type countAt struct {
	start, time pcommon.Timestamp
	value       int64
}

// arrived returns the values of the program's counter, by time.
func arrived(p *payload.Program, metrics pmetric.Metrics) []countAt {
	var all []countAt
	for resource, metric := range collectortest.MetricsByResource(metrics) {
		instance, _ := resource.Attributes().Get("service.instance.id")
		if instance.AsString() != p.Instance || metric.Name() != p.Counter {
			continue
		}
		for _, point := range metric.Sum().DataPoints().All() {
			all = append(all, countAt{point.StartTimestamp(), point.Timestamp(), point.IntValue()})
		}
	}
	slices.SortFunc(all, func(a, b countAt) int { return int(int64(a.time) - int64(b.time)) })
	return all
}

// checkArrived checks that the program's counter is one series without its ids, which never
// starts again, has each time once, and ends with what was counted.
func checkArrived(t *testing.T, p *payload.Program, metrics pmetric.Metrics) {
	t.Helper()
	values := arrived(p, metrics)
	times := map[pcommon.Timestamp]bool{}
	for i, v := range values {
		assert.Equal(t, values[0].start, v.start, "%s starts again at %d", p.Instance, v.value)
		times[v.time] = true
		if i > 0 {
			assert.Greater(t, v.value, values[i-1].value, "%s goes back", p.Instance)
		}
	}
	assert.Len(t, slices.Collect(maps.Keys(times)), len(values), "%s has a time twice", p.Instance)
	assert.Equal(t, p.Truth.Things, values[len(values)-1].value, p.Instance)
}
