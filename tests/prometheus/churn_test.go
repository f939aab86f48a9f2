// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/otelcol-tc/otelcol-tc/tests/clients"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// ids returns count words that begin with a prefix.
func ids(prefix string, count int) string {
	var all []string
	for i := range count {
		all = append(all, fmt.Sprintf("%s-%d", prefix, i))
	}
	return strings.Join(all, " ")
}

// awaitCounted waits until the merged counter of the page has a value.
func awaitCounted(t *testing.T, c *collectortest.Collector, want float64) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		family, ok := c.Scrape(t)["tc_replica_register_total"]
		got := -1.0
		if ok {
			got = collectortest.Sum(family, nil)
		}
		return got == want, fmt.Sprintf("counted %v of %v", got, want)
	})
}

// Ids that come and go on a page in plain text, without start times, are counted from the
// second scrape on: over failed scrapes, a restart of the collector and one of the target.
// The page is prometheus_client's, and a Prometheus server says by how much it grew.
func TestScrapedIdsAreCounted(t *testing.T) {
	t.Parallel()
	source := clients.StartCounting(t)
	state := fmt.Sprintf("yaml:{processors: {cardinality: {state_directory: %q}}}", t.TempDir())
	env := map[string]string{"OTELCOL_TC_SCRAPE_TARGETS": fmt.Sprintf("[%q]", source.Target)}
	start := func() *collectortest.Collector {
		return collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", state}, Env: env})
	}

	source.Do("count " + ids("before", 5))
	c := start()
	env["OTELCOL_TC_PROMETHEUS_ENDPOINT"] = c.Prometheus
	server := servers.StartPrometheus(t, map[string]*collectortest.Collector{"cardinality": c})
	server.Targets++      // the page has the metric up of the target
	awaitCounted(t, c, 0) // the first scrape is a baseline
	server.AwaitScrapes(t)

	counted := 0
	count := func(prefix string, many int) {
		t.Helper()
		source.Do("count " + ids(prefix, many))
		counted += many
		awaitCounted(t, c, float64(counted))
		server.AwaitScrapes(t)
	}
	remove := func(prefix string, many int) {
		source.Do("remove " + ids(prefix, many))
		source.Do("export") // the collector has seen the page without them
	}
	for round := range 5 {
		count(fmt.Sprint("round-", round), 9)
		remove(fmt.Sprint("round-", round), 9)
	}
	require.Equal(t, 45, counted)

	source.Do("fail")
	source.Do("export")
	source.Do("count " + ids("unseen", 3)) // and the next scrape that succeeds has them
	counted += 3
	source.Do("export")
	source.Do("work")
	count("after-failure", 4)

	require.Zero(t, c.Stop(t).Code)
	source.Do("count " + ids("while-down", 6))
	counted += 6
	c = start()
	count("after-restart", 2)

	// All ids of a new process begin at zero.
	source.Do("remove " + ids("before", 5))
	source.Do("remove " + ids("unseen", 3))
	source.Do("remove " + ids("after-failure", 4))
	source.Do("remove " + ids("while-down", 6))
	source.Do("remove " + ids("after-restart", 2))
	source.Do("export")
	count("new-process", 7)

	matchers := `pipeline="cardinality", job="runtimes"`
	assert.Equal(t, servers.Increased{Total: float64(counted)}, server.Increase(t, `tc_replica_register_total{`+matchers+`}`))
	assert.Equal(t, servers.Increased{Total: float64(counted)}, server.Increase(t, `tc_transport_wait_seconds_count{`+matchers+`}`))
}

// The streams that an SDK adds are counted, although the program, and with it their start,
// is older than the collector. What it counted before is not.
func TestIdsOfSDKsAreCounted(t *testing.T) {
	t.Parallel()
	f := func(name string, begin func(t *testing.T, protocol, endpoint string) (count func(...string))) {
		for _, protocol := range []string{"grpc", "http"} {
			t.Run(name+" "+protocol, func(t *testing.T) {
				t.Parallel()
				first := collectortest.Start(t, collectortest.Options{})
				endpoint := map[string]string{"grpc": first.GRPC, "http": first.HTTP}[protocol]
				count := begin(t, protocol, endpoint)
				count("a", "b", "c")
				awaitCounted(t, first, 3)
				require.Zero(t, first.Stop(t).Code)

				c := collectortest.Start(t, collectortest.Options{Env: map[string]string{
					"OTELCOL_TC_OTLP_GRPC_ENDPOINT": first.GRPC, "OTELCOL_TC_OTLP_HTTP_ENDPOINT": first.HTTP,
				}})
				count("a") // what came before this collection is unknown
				awaitCounted(t, c, 0)
				count("d", "e")
				awaitCounted(t, c, 2)
				count("a", "f")
				awaitCounted(t, c, 4)
			})
		}
	}
	f("Python", func(t *testing.T, protocol, endpoint string) func(...string) {
		source := clients.StartCounting(t, "--protocol", protocol, "--endpoint", endpoint)
		return func(ids ...string) {
			source.Do("count " + strings.Join(ids, " "))
			source.Do("export")
		}
	})
	f("Go", func(t *testing.T, protocol, endpoint string) func(...string) {
		var exporter sdk.Exporter
		var err error
		if protocol == "grpc" {
			exporter, err = otlpmetricgrpc.New(t.Context(), otlpmetricgrpc.WithEndpoint(endpoint), otlpmetricgrpc.WithInsecure())
		} else {
			exporter, err = otlpmetrichttp.New(t.Context(), otlpmetrichttp.WithEndpoint(endpoint), otlpmetrichttp.WithInsecure())
		}
		require.NoError(t, err)
		provider := sdk.NewMeterProvider(
			sdk.WithReader(sdk.NewPeriodicReader(exporter, sdk.WithInterval(time.Hour))),
			sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "counting"))))
		t.Cleanup(func() { _ = provider.Shutdown(context.Background()) }) // the collector may be gone
		counter, err := provider.Meter("counting").Int64Counter("tc_replica_register_total")
		require.NoError(t, err)
		return func(ids ...string) {
			for _, id := range ids {
				counter.Add(t.Context(), 1, metric.WithAttributes(attribute.String("artifact_id", id), attribute.String("node", "n")))
			}
			require.NoError(t, provider.ForceFlush(t.Context()))
		}
	})
}
