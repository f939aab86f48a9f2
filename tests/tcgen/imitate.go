// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

const (
	// Seed is that of what is sent.
	Seed = 1
	// Scenarios is enough for all variants: the rarest comes every fifth time.
	Scenarios = 12
)

// Imitated is one system that scenario imitates.
type Imitated struct {
	Name     string
	Batches  []scenario.Batch
	services []string // its values of service.name
	target   string   // host:port of its Prometheus page, or ""
	families []string // what that page has
	sent     telemetry
}

// Imitate generates the telemetry of a system that started at a time, from another
// time on with an interval between scenarios, and serves its Prometheus page, if it has one, until the test ends. Every
// run is the same apart from the time.
func Imitate(t *testing.T, name string, start, from time.Time, interval time.Duration) *Imitated {
	t.Helper()
	generator, err := scenario.New(name, Seed, start)
	require.NoError(t, err)
	s := &Imitated{Name: name}
	for i := range Scenarios {
		batch := generator.Next(from.Add(time.Duration(i+1) * interval))
		s.Batches = append(s.Batches, batch)
		s.sent.spans = append(s.sent.spans, SpanItems(t, batch.Traces)...)
		s.sent.metrics = append(s.sent.metrics, MetricItems(t, batch.Metrics)...)
		s.sent.logs = append(s.sent.logs, LogItems(t, batch.Events())...)
	}
	for _, i := range slices.Concat(s.sent.spans, s.sent.metrics, s.sent.logs) {
		s.services = append(s.services, i.resource("service.name"))
	}
	slices.Sort(s.services)
	s.services = slices.Compact(s.services)

	scraped := generator.Gatherer()
	if scraped == nil {
		return s
	}
	families, err := scraped.Gather()
	require.NoError(t, err)
	for _, family := range families {
		s.families = append(s.families, family.GetName())
	}
	// As text: in OpenMetrics no counter can be without _total.
	s.target = collectortest.Serve(t, promhttp.HandlerFor(scraped, promhttp.HandlerOpts{}))
	return s
}

// awaitScrape waits until the system's page came out, if it has one.
func (s *Imitated) awaitScrape(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		missing := MissingFamilies(s.families, ScrapedNames(t, c))
		return len(missing) == 0, fmt.Sprintf("%s: not in the file yet: %q", s.Name, missing)
	})
}

// Send exports all batches over OTLP gRPC, in order.
func (s *Imitated) Send(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	connection := collectortest.Dial(t, c.GRPC)
	for _, b := range s.Batches {
		require.NoError(t, b.Export(t.Context(), connection))
	}
}

// Metrics returns the metrics of all batches.
func (s *Imitated) Metrics() (all []pmetric.Metrics) {
	for _, batch := range s.Batches {
		all = append(all, batch.Metrics)
	}
	return all
}

// Services returns the system's values of service.name.
func (s *Imitated) Services() []string { return s.services }

// Target returns host:port of the system's Prometheus page, or nothing.
func (s *Imitated) Target() string { return s.target }

// Families returns the families of that page.
func (s *Imitated) Families() []string { return s.families }
