// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"sync"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/scrape"
	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/grpc/metadata"
)

// scrapeOf returns the context of the Prometheus receiver's batches of a target.
func scrapeOf(ctx context.Context, address string) context.Context {
	return scrape.ContextWithTarget(ctx, scrape.NewTarget(
		labels.FromStrings(model.JobLabel, "s", model.AddressLabel, address, model.SchemeLabel, "http", model.MetricsPathLabel, "/metrics"),
		&config.ScrapeConfig{}, nil, nil))
}

// sdkOf returns the context of requests with a user agent.
func sdkOf(ctx context.Context, agent string) context.Context {
	return metadata.NewIncomingContext(ctx, metadata.Pairs("user-agent", agent))
}

const pythonSDK = "OTel-OTLP-Exporter-Python/1.45.2"

// scrape returns one scrape, with the metric up.
func (r *rig) scrape(seconds, up float64, page ...pmetric.Metrics) pmetric.Metrics {
	md, m := emptyMetric("s", "up")
	r.numbers(m.SetEmptyGauge().DataPoints(), []pt{{"", 0, seconds, up}})
	for _, request := range page {
		for _, m := range request.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			m.CopyTo(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().AppendEmpty())
		}
	}
	return md
}

// TestLookInTurn checks that requests of an SDK that wait for the next component are looks: their
// new ids count.
func TestLookInTurn(t *testing.T) {
	r := newRig(t, nil)
	entered, release := make(chan bool), make(chan bool)
	got := &arrivals{points: map[string][]received{}}
	p := r.taking(func(_ context.Context, md pmetric.Metrics) error {
		if md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Name() == "slow" {
			entered <- true
			<-release
		}
		got.add(md)
		return nil
	})
	var senders sync.WaitGroup
	send := func(ctx context.Context, md pmetric.Metrics) { assert.NoError(t, p.ConsumeMetrics(ctx, md)) }
	ctx := sdkOf(t.Context(), pythonSDK)
	send(ctx, r.counters(pt{"id=1", -5, 10, 7}))
	senders.Go(func() {
		send(t.Context(), r.sum("s", "slow", pmetric.AggregationTemporalityDelta, true, []pt{{"id=1", 10, 11, 1}}))
	})
	<-entered
	begin(&senders, func() { send(ctx, r.counters(pt{"id=1", -5, 20, 7}, pt{"id=2", -5, 20, 5})) })
	begin(&senders, func() {
		send(ctx, r.counters(pt{"id=1", -5, 30, 7}, pt{"id=2", -5, 30, 5}, pt{"id=3", -5, 30, 3}))
	})
	close(release)
	senders.Wait()
	for key, all := range got.points {
		if last := all[len(all)-1]; last.start == r.at(0) {
			assert.Equal(t, 8.0, last.is["value"], key)
		}
	}
}
