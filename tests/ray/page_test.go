// SPDX-License-Identifier: Apache-2.0

package ray

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// firstPage returns what a page says of its target, whose first scrape it is. All series of the next page are new
// then, so they count in full.
func firstPage(page []byte) []byte {
	first := []byte("# TYPE ray_cluster_active_nodes gauge\nray_cluster_active_nodes 0\n")
	for line := range bytes.Lines(page) {
		if bytes.HasPrefix(line, []byte("target_info{")) {
			first = append(append(first, "# TYPE target_info gauge\n"...), line...)
		}
	}
	return first
}

// frozenPage serves Ray's page as it was at one time: the live page changes with each scrape.
type frozenPage struct {
	target string

	mu      sync.Mutex
	page    []byte
	scrapes int // of this page
}

func serveFrozen(t *testing.T) *frozenPage {
	t.Helper()
	f := &frozenPage{}
	f.target = collectortest.Serve(t, f)
	return f
}

func (f *frozenPage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scrapes++
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(f.page)
}

func (f *frozenPage) set(page []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.page, f.scrapes = page, 0
}

func (f *frozenPage) awaitScrapes(t *testing.T, want int) {
	t.Helper()
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.scrapes >= want, fmt.Sprintf("%d of %d scrapes", f.scrapes, want)
	})
}

// fetchPage reads Ray's page once the metrics of Serve's requests are on it. Ray's processes report every 10 s.
func fetchPage(t *testing.T, address string) []byte {
	t.Helper()
	var page []byte
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		response, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return false, err.Error()
		}
		defer response.Body.Close()
		page, err = io.ReadAll(response.Body)
		for _, name := range []string{"ray_serve_deployment_request_counter_total{", "ray_node_cpu_utilization{", "ray_tasks{"} {
			if !strings.Contains(string(page), "\n"+name) {
				return false, "no " + name
			}
		}
		return err == nil, "the page is incomplete"
	})
	return page
}

// checkPage sends a page and compares what comes out: each name is kept, each series has its labels without the
// ids, and its value is the sum, or the aggregate, of those that were merged.
func checkPage(t *testing.T, c *collectortest.Collector, frozen *frozenPage, page []byte) {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	sent, err := parser.TextToMetricFamilies(strings.NewReader(string(page)))
	require.NoError(t, err)
	packs, err := conventions.Load([]any{"ray"})
	require.NoError(t, err)
	frozen.set(firstPage(page))
	frozen.awaitScrapes(t, 3)
	frozen.set(page)
	frozen.awaitScrapes(t, 3)
	var got map[string]*dto.MetricFamily
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got = c.Scrape(t)
		missing := missingNames(sent, got)
		return len(missing) == 0, fmt.Sprintf("not on the page: %q", missing)
	})
	before, after := 0, 0
	for name, family := range sent {
		if name == "target_info" { // attributes of the resource
			continue
		}
		want := merge(packs[0], name, family)
		received := merge(packs[0], name, ofTarget(got[name], frozen.target))
		before += len(family.GetMetric())
		after += len(received)
		if !assert.ElementsMatch(t, keys(want), keys(received), "series of %s", name) {
			continue
		}
		for key, from := range want {
			require.Len(t, received[key], 1, "%s %s", name, key)
			checkValue(t, packs[0], name, family.GetType(), from, received[key][0])
		}
	}
	t.Logf("%d names, %d series in, %d series out", len(sent), before, after)
}

func missingNames(sent, got map[string]*dto.MetricFamily) (missing []string) {
	for name := range sent {
		if got[name] == nil && name != "target_info" {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

// merge returns a family's series by their labels without the ids of the pack.
func merge(pack *conventions.Pack, name string, family *dto.MetricFamily) map[string][]*dto.Metric {
	merged := map[string][]*dto.Metric{}
	for _, metric := range family.GetMetric() {
		var labels []string
		for _, label := range metric.GetLabel() {
			if label.GetValue() != "" && !ofScope(label.GetName()) && !isID(pack, name, label.GetName()) {
				labels = append(labels, fmt.Sprintf("%s=%q", label.GetName(), label.GetValue()))
			}
		}
		slices.Sort(labels)
		key := strings.Join(labels, " ")
		merged[key] = append(merged[key], metric)
	}
	return merged
}

// ofScope reports whether a label states the scope, which the receiver makes of it, or the target.
func ofScope(label string) bool {
	return strings.HasPrefix(label, "otel_scope_") || label == "job" || label == "instance"
}

// isID reports whether the pack removes a label from a metric.
func isID(pack *conventions.Pack, metric, label string) bool {
	return slices.ContainsFunc(pack.Attributes, func(rule conventions.AttributeRule) bool {
		return rule.Key == label && rule.IDOf(metric)
	})
}

// ofTarget returns the series of a scraped target.
func ofTarget(family *dto.MetricFamily, target string) *dto.MetricFamily {
	own := &dto.MetricFamily{}
	for _, metric := range family.GetMetric() {
		if collectortest.HasLabels(metric, map[string]string{"instance": target}) {
			own.Metric = append(own.Metric, metric)
		}
	}
	return own
}

func keys(merged map[string][]*dto.Metric) (all []string) {
	for key := range merged {
		all = append(all, key)
	}
	return all
}

// checkValue compares a series with those it was merged from.
func checkValue(t *testing.T, pack *conventions.Pack, name string, kind dto.MetricType, from []*dto.Metric, got *dto.Metric) {
	t.Helper()
	switch kind {
	case dto.MetricType_HISTOGRAM:
		count, sum, buckets := uint64(0), 0.0, map[float64]uint64{}
		for _, metric := range from {
			count += metric.GetHistogram().GetSampleCount()
			sum += metric.GetHistogram().GetSampleSum()
			for _, b := range metric.GetHistogram().GetBucket() {
				buckets[b.GetUpperBound()] += b.GetCumulativeCount()
			}
		}
		assert.Equal(t, count, got.GetHistogram().GetSampleCount(), name)
		assert.InDelta(t, sum, got.GetHistogram().GetSampleSum(), 1e-6*(1+sum), name)
		for _, b := range got.GetHistogram().GetBucket() {
			assert.Equal(t, buckets[b.GetUpperBound()], b.GetCumulativeCount(), "%s le %v", name, b.GetUpperBound())
		}
		assert.Len(t, got.GetHistogram().GetBucket(), len(buckets), name)
	case dto.MetricType_COUNTER:
		checkNumber(t, name, conventions.AggregateSum, numbers(from), got.GetCounter().GetValue())
	default:
		checkNumber(t, name, aggregateOf(pack, name), numbers(from), got.GetGauge().GetValue())
	}
}

func numbers(metrics []*dto.Metric) (all []float64) {
	for _, metric := range metrics {
		all = append(all, metric.GetCounter().GetValue()+metric.GetGauge().GetValue())
	}
	return all
}

// checkNumber compares a number with the aggregate of those it was merged from.
func checkNumber(t *testing.T, name string, aggregate conventions.GaugeAggregate, from []float64, got float64) {
	t.Helper()
	sum := 0.0
	for _, v := range from {
		sum += v
	}
	want := map[conventions.GaugeAggregate]float64{
		conventions.AggregateSum:  sum,
		conventions.AggregateMean: sum / float64(len(from)),
		conventions.AggregateMax:  slices.Max(from),
		conventions.AggregateMin:  slices.Min(from),
	}
	if value, ok := want[aggregate]; ok {
		assert.InDelta(t, value, got, 1e-9*(1+math.Abs(value)), "%s: %s of %v", name, aggregate, from)
		return
	}
	assert.Contains(t, from, got, "%s: newest value", name)
}

func aggregateOf(pack *conventions.Pack, name string) conventions.GaugeAggregate {
	for _, rule := range pack.Metrics.Gauges {
		if rule.Match.Match(name) {
			return rule.Aggregate
		}
	}
	return conventions.AggregateLast
}
