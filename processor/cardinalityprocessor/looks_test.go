// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/scrape"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processorhelper"
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

// in sends a request in a context and returns the output as text.
func (r *rig) in(ctx context.Context, md pmetric.Metrics) []string {
	r.t.Helper()
	out, err := r.p.process(ctx, md)
	if !errors.Is(err, processorhelper.ErrSkipProcessingData) {
		require.NoError(r.t, err)
	}
	return r.text(out)
}

// scraped returns the output of a scrape as the Prometheus receiver sends it.
func (r *rig) scraped(seconds float64, up float64, page ...pmetric.Metrics) []string {
	r.t.Helper()
	return r.in(scrapeOf(r.t.Context(), "a:1"), r.scrape(seconds, up, page...))
}

// scrape returns one scrape, with the metric up.
func (r *rig) scrape(seconds, up float64, page ...pmetric.Metrics) pmetric.Metrics {
	md, m := emptyMetric("s", "up")
	r.numbers(m.SetEmptyGauge().DataPoints(), []pt{{"", 0, seconds, up}})
	for _, of := range page {
		for _, m := range of.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			m.CopyTo(md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().AppendEmpty())
		}
	}
	return md
}

// page returns counters without start times, each with an id and the value 1.
func (r *rig) page(seconds float64, ids ...int) pmetric.Metrics {
	var all []pt
	for _, id := range ids {
		all = append(all, pt{fmt.Sprint("id=", id), 0, seconds, 1})
	}
	return r.counters(all...)
}

// TestScrapedIdsCount checks that ids that appear in later scrapes of a page without start
// times count in full.
func TestScrapedIdsCount(t *testing.T) {
	r := newRig(t, nil)
	require.Equal(t, []string{`{} ..10 1`, `{} 0..10 0`}, r.scraped(10, 1, r.page(10, 1, 2)), "a baseline")
	for i := range 45 {
		got := r.scraped(float64(20+i), 1, r.page(float64(20+i), 100+i))
		require.Contains(t, got, fmt.Sprintf("{} 0..%d %d", 20+i, 1+i))
	}
}

// TestFirstScrapeOfMetric checks that a metric counts in full if it appears in a later scrape.
func TestFirstScrapeOfMetric(t *testing.T) {
	r := newRig(t, nil)
	r.scraped(10, 1)
	require.Contains(t, r.scraped(20, 1, r.page(20, 1, 2)), `{} 0..20 2`)
}

// TestFailedScrape checks that a failed scrape keeps what was known.
func TestFailedScrape(t *testing.T) {
	r := newRig(t, nil)
	r.scraped(10, 1, r.page(10, 1))
	r.scraped(20, 0, r.counters(pt{"id=1", 0, 20, nil}))
	require.Contains(t, r.scraped(30, 1, r.page(30, 1, 2)), `{} 0..30 1`)
	r.scraped(40, 0)
	require.Contains(t, r.scraped(50, 1, r.page(50, 1, 2, 3)), `{} 0..50 2`)
}

// TestFirstScrapeIsABaseline checks that nothing is guessed: what is not proven to be new is
// a baseline.
func TestFirstScrapeIsABaseline(t *testing.T) {
	f := func(name string, second func(r *rig) []string) {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.scraped(10, 1, r.page(10, 1))
			for _, line := range second(r) {
				assert.Regexp(t, ` (0|1)$`, line) // 1 is up
				assert.NotEqual(t, `{} 0..20 1`, line)
			}
		})
	}
	f("another target", func(r *rig) []string {
		return r.in(scrapeOf(t.Context(), "b:1"), r.scrape(20, 1, r.page(20, 1, 2)))
	})
	f("another resource of the target", func(r *rig) []string {
		md := r.scrape(20, 1, r.page(20, 1, 2))
		md.ResourceMetrics().At(0).Resource().Attributes().PutStr("k8s.pod.name", "p")
		return r.in(scrapeOf(t.Context(), "a:1"), md)
	})
	f("no scrape", func(r *rig) []string { return r.send(r.page(20, 1, 2)) })
	f("failed", func(r *rig) []string { return r.scraped(20, 0, r.page(20, 1, 2)) })
	f("without up", func(r *rig) []string { return r.in(scrapeOf(t.Context(), "a:1"), r.page(20, 1, 2)) })
	f("the previous one had a point that left no state", func(r *rig) []string {
		r.scraped(15, 1, r.counters(pt{"id=1", 0, 15, 1}, pt{"id=2", 0, 15, -1}))
		return r.scraped(20, 1, r.page(20, 1, 2))
	})
	f("a page that repeats other targets", func(r *rig) []string {
		md := r.scrape(20, 1, r.page(20, 1, 2))
		other, m := emptyMetric("other", "up")
		r.numbers(m.SetEmptyGauge().DataPoints(), []pt{{"", 0, 20, 1.0}})
		return r.in(scrapeOf(t.Context(), "a:1"), both(md, other))
	})
}

// TestLookIsForgotten checks that a look is not used after its streams may have expired.
func TestLookIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.startExpiry()
		r.scraped(r.now(), 1, r.page(r.now(), 1, 2))
		time.Sleep(r.p.config.MaxStale + 5*time.Minute)
		now := r.now()
		require.Contains(t, r.scraped(now, 1, r.page(now, 1, 2, 3)), fmt.Sprintf(`{} 3600..%v 0`, now))
	})
}

// TestKnownStreamDoesNotExpire checks that a stream whose points are late does not expire
// while its source has it, since it would then seem new.
func TestKnownStreamDoesNotExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.startExpiry()
		r.scraped(1, 1, r.page(1, 1, 2))
		for range 30 {
			time.Sleep(time.Minute)
			r.scraped(r.now(), 1, r.page(1, 1), r.counters(pt{"id=2", 0, r.now(), 1}))
		}
		now := r.now()
		require.Contains(t, r.scraped(now+1, 1, r.page(now+1, 1, 2)), fmt.Sprintf(`{} 0..%v 0`, now+1))
	})
}

// TestReturnedScrapedStream checks that a stream that a source drops and creates again
// counts from zero, although it is known that it expired.
func TestReturnedScrapedStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.startExpiry()
		r.scraped(1, 1, r.page(1, 1))
		r.scraped(2, 1, r.page(2, 1, 2), r.counters(pt{"id=9", 0, 2, 5}))
		for range 40 {
			time.Sleep(time.Minute)
			r.scraped(r.now(), 1, r.page(r.now(), 1))
		}
		time.Sleep(time.Minute)
		now := r.now()
		require.Contains(t, r.scraped(now, 1, r.page(now, 1, 2)), fmt.Sprintf(`{} 0..%v 7`, now))
	})
}

// TestScrapesOverARestart checks that looks survive a restart with storage.
func TestScrapesOverARestart(t *testing.T) {
	r := newRig(t, nil)
	r.scraped(10, 1, r.page(10, 1))
	after := newTestProcessor(t, nil)
	copySeries(t, r.p, after)
	require.NoError(t, r.p.shutdown(t.Context()))
	r.p = after
	require.Contains(t, r.scraped(20, 1, r.page(20, 1, 2)), `{} 0..20 1`)
}

// TestScrapedHistograms checks the same of the other types that add up.
func TestScrapedHistograms(t *testing.T) {
	r := newRig(t, nil)
	at := func(seconds float64, ids ...string) (all []hist) {
		for _, id := range ids {
			all = append(all, hist{pt{"id=" + id, -1000, seconds, 0}, []float64{1, 2}, []float64{0.5, 1.5, 3}})
		}
		return all
	}
	r.scraped(10, 1, r.histograms(pmetric.AggregationTemporalityCumulative, at(10, "1")...))
	require.Contains(t, r.scraped(20, 1, r.histograms(pmetric.AggregationTemporalityCumulative, at(20, "1", "2")...)),
		`{} 0..20 count 3, le 1 1, le 2 2, sum 5`)
}

// TestSDKs checks which requests of SDKs are complete looks: those whose sender sends all
// metrics of the previous look again, with the same starts and later times.
func TestSDKs(t *testing.T) {
	const old = -1000.0 // a start before the processor's
	type request struct {
		metrics map[string][]pt // by name
		want    string
	}
	m := func(of ...pt) map[string][]pt { return map[string][]pt{"m": of} }
	f := func(name, agent string, requests ...request) {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			for i, request := range requests {
				var all []pmetric.Metrics
				for _, name := range sorted(request.metrics) {
					all = append(all, r.sum("s", name, pmetric.AggregationTemporalityCumulative, true, request.metrics[name]))
				}
				md := all[0]
				for _, other := range all[1:] {
					other.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).MoveTo(
						md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().AppendEmpty())
				}
				lines := r.in(sdkOf(t.Context(), agent), md)
				require.Contains(t, lines, request.want, "request %d", i)
			}
		})
	}
	first := request{m(pt{"id=1", old, 10, 7}), `{} 0..10 0`}
	f("new id", pythonSDK, first,
		request{m(pt{"id=1", old, 20, 8}, pt{"id=2", old, 20, 5}), `{} 0..20 6`},
		request{m(pt{"id=1", old, 30, 8}, pt{"id=2", old, 30, 6}, pt{"id=3", old, 30, 1}), `{} 0..30 8`})
	f("Go", "OTel Go OTLP over gRPC metrics exporter/1.44.0 grpc-go/1.80.0", first,
		request{m(pt{"id=1", old, 20, 8}, pt{"id=2", old, 20, 5}), `{} 0..20 6`})
	f("new metric", pythonSDK, first,
		request{map[string][]pt{"m": {{"id=1", old, 20, 7}}, "n": {{"id=1", old, 20, 9}}}, `{} 0..20 9`})
	f("a collector", "OpenTelemetry Collector/0.158.0 (linux/amd64) grpc-go/1.80.0", first,
		request{m(pt{"id=1", old, 20, 8}, pt{"id=2", old, 20, 5}), `{} 0..20 1`})
	f("parts of a collection", pythonSDK, first,
		request{m(pt{"id=1", old, 20, 7}), `{} 0..20 0`},
		request{map[string][]pt{"n": {{"id=1", old, 20, 9}}}, `{} 0..20 0`},
		request{map[string][]pt{"m": {{"id=1", old, 30, 7}, {"id=2", old, 30, 1}}, "n": {{"id=1", old, 30, 9}}}, `{} 0..30 0`})
	f("parts of a metric", pythonSDK, first,
		request{m(pt{"id=2", old, 10, 9}), `{} 0..10.001 0`})
	f("a repeated request", pythonSDK, first,
		request{m(pt{"id=1", old, 20, 7}), `{} 0..20 0`},
		request{map[string][]pt{"m": {{"id=1", old, 20, 7}}, "n": {{"id=1", old, 20, 3}}}, `{} 0..20 0`},
		request{m(pt{"id=1", old, 10, 7}, pt{"id=7", old, 25, 7}), `{} 0..25 0`},
		request{m(pt{"id=1", old, 30, 7}, pt{"id=2", old, 30, 2}), `{} 0..30 2`})
	f("a second sender", pythonSDK, first,
		request{m(pt{"id=2", old - 1, 20, 9}), `{} 0..20 0`},
		request{m(pt{"id=1", old, 30, 7}, pt{"id=3", old, 30, 9}), `{} 0..30 0`})
	f("a restart", pythonSDK, first,
		request{m(pt{"id=1", 15, 20, 3}), `{} 0..20 3`},
		request{m(pt{"id=1", 15, 30, 3}, pt{"id=2", 15, 30, 4}), `{} 0..30 7`})
}
