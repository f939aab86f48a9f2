package cardinalityprocessor

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"
)

// newTestProcessor makes a processor that drops the attribute id.
func newTestProcessor(t testing.TB, change func(*Config)) *cardinalityProcessor {
	cfg := createDefaultConfig().(*Config)
	cfg.Packs = []any{"pytango"} // which knows no metrics
	cfg.DropAttributes = []string{"id"}
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	p, err := newProcessor(processortest.NewNopSettings(NewFactory().Type()), cfg, consumertest.NewNop())
	require.NoError(t, err)
	return p
}

// histories is how many random histories are tried; TC_HISTORIES overrides it.
func histories(t *testing.T) uint64 {
	text := os.Getenv("TC_HISTORIES")
	if text == "" {
		return 12_000
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// What goes in comes out, once: for each output series the increments of its
// inputs and its own are the same.
func TestConservation(t *testing.T) {
	for seed := range histories(t) {
		r := rand.New(rand.NewPCG(seed, 0))
		kind := kindsOfMetrics[seed%uint64(len(kindsOfMetrics))]
		p := newTestProcessor(t, func(cfg *Config) {
			cfg.Overrides = []OverridesItem{{Metric: "*", Summary: summaryFold}}
			cfg.Limit = 1000
		})
		if err := conserves(p, newHistory(r, kind, p.started)); err != nil {
			t.Fatalf("seed %d, %s: %v", seed, kind.name, err)
		}
		require.NoError(t, p.shutdown(t.Context()))
	}
}

// So do they past a limit: for all series of a metric together.
func TestConservationPastLimit(t *testing.T) {
	for seed := range histories(t) / 4 {
		r := rand.New(rand.NewPCG(seed, 1))
		kind := kindsOfMetrics[seed%uint64(len(kindsOfMetrics))]
		p := newTestProcessor(t, func(cfg *Config) {
			cfg.Overrides = []OverridesItem{{Metric: "*", Summary: summaryFold}}
			cfg.Limit = 1
			if seed%2 == 0 {
				cfg.DropAttributes = nil
			}
		})
		if err := conserves(p, newHistory(r, kind, p.started)); err != nil {
			t.Fatalf("seed %d, %s: %v", seed, kind.name, err)
		}
		require.NoError(t, p.shutdown(t.Context()))
	}
}

// conserves plays a history and compares after each batch.
func conserves(p *cardinalityProcessor, h *history) error {
	began := pcommon.NewTimestampFromTime(p.started)
	dropped := len(p.config.DropAttributes) > 0
	limited := p.config.Limit == 1
	in, out := map[string]*reader{}, map[string]*reader{}
	into := map[string]string{} // stream → the series that it is part of
	merged := map[string]bool{} // series that others came into
	var sent, got []string      // for the report
	for range 8 {
		for _, batch := range h.batches(h.step()) {
			md := h.request(batch)
			for _, point := range receive(md) {
				r := in[point.series]
				if r == nil {
					r = &reader{kind: h.kind, since: began}
					in[point.series] = r
					into[point.series] = point.series
					if dropped {
						into[point.series] = point.without("id")
					}
				}
				sent = append(sent, fmt.Sprint(point))
				if r.read(point) && into[point.series] != point.series {
					merged[into[point.series]] = true
				}
			}
			if _, err := p.process(context.Background(), md); err != nil && md.ResourceMetrics().Len() > 0 {
				return err
			}
			points := map[string]int{}
			for _, point := range receive(md) {
				got = append(got, fmt.Sprint(point))
				if _, ok := point.attributes["id"]; ok && dropped {
					return fmt.Errorf("kept an id: %v", point)
				}
				r := out[point.series]
				if r == nil {
					r = &reader{kind: h.kind, since: began, from: true}
					out[point.series] = r
				}
				before := *r
				inOrder := r.read(point)
				if overflow := point.attributes[overflowKey] == true; overflow || merged[point.series] {
					points[point.series]++
					switch {
					case !inOrder:
						return fmt.Errorf("not in order: %v", point)
					case points[point.series] > 1:
						return fmt.Errorf("two points of one batch: %v", point)
					case !before.known || point.stale:
					case h.kind.temporality == pmetric.AggregationTemporalityDelta && point.start != before.time:
						return fmt.Errorf("a gap or an overlap: %v after %v", point, before.time)
					case h.kind.temporality == pmetric.AggregationTemporalityCumulative && point.start != before.start:
						return fmt.Errorf("another start: %v after %v", point, before.start)
					case h.kind.monotonic && h.kind.temporality == pmetric.AggregationTemporalityCumulative && decreased(point.is, before.last):
						return fmt.Errorf("a decrease: %v after %v", point, before.last)
					}
				}
			}
			if err := compare(h.kind, limited, in, out, into); err != nil {
				return fmt.Errorf("%w\nsent:\n%s\ngot:\n%s", err, join(sent), join(got))
			}
		}
	}
	return nil
}

func join(lines []string) (text string) {
	for _, line := range lines {
		text += "  " + line + "\n"
	}
	return text
}

// compare compares what went in with what came out by now, for each series, or,
// past a limit, for each metric.
func compare(kind kindOfMetric, limited bool, in, out map[string]*reader, into map[string]string) error {
	wants, gots := map[string][]vector{}, map[string][]vector{}
	group := func(series string) string {
		if limited {
			return "all"
		}
		return series
	}
	gauge := kind.kind == pmetric.MetricTypeGauge
	live := !kind.monotonic && kind.temporality != pmetric.AggregationTemporalityDelta
	newest := map[string]*reader{}
	for _, stream := range sorted(in) {
		r := in[stream]
		g := group(into[stream])
		switch {
		case !r.known:
		case gauge:
			if !r.stale && (newest[g] == nil || newest[g].time < r.time) {
				newest[g] = r
			}
		case live:
			if !r.stale {
				wants[g] = append(wants[g], r.last)
			}
		default:
			wants[g] = append(wants[g], r.total)
		}
	}
	if gauge {
		if limited {
			return nil // which of them is newest in the overflow depends on the order
		}
		for g, r := range newest {
			wants[g] = []vector{r.last}
		}
	}
	for series, r := range out {
		switch {
		case !r.known:
		case live:
			if !r.stale {
				gots[group(series)] = append(gots[group(series)], r.last)
			}
		default:
			gots[group(series)] = append(gots[group(series)], r.total)
		}
	}
	for g := range wants {
		want, got := sumOf(wants[g]), sumOf(gots[g])
		if len(got) == 0 {
			if zero(want) {
				continue
			}
			return fmt.Errorf("nothing of %s came out, want %v", g, want)
		}
		for key, value := range got {
			if w, ok := want[key]; ok && math.Abs(w-value) > 1e-6*max(1, math.Abs(w)) {
				return fmt.Errorf("%s of %s is %v, want %v", key, g, got, want)
			}
		}
	}
	return nil
}

func zero(v vector) bool {
	for _, value := range v {
		if value != 0 {
			return false
		}
	}
	return true
}
