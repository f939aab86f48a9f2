// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// audience adds up the values of each series that it reads, as a backend does.
type audience struct {
	t     *testing.T
	kind  kindOfMetric
	since pcommon.Timestamp
	from  bool
	by    map[string]*reader
}

// senders returns an audience for the input. It does not count values from before the
// processor's start.
func (r *rig) senders(kind string) *audience { return r.audience(kind, false) }

// receivers returns an audience for the output.
func (r *rig) receivers(kind string) *audience { return r.audience(kind, true) }

func (r *rig) audience(kind string, from bool) *audience {
	i := slices.IndexFunc(kindsOfMetrics, func(k kindOfMetric) bool { return k.name == kind })
	require.GreaterOrEqual(r.t, i, 0, kind)
	return &audience{r.t, kindsOfMetrics[i], r.at(0), from, map[string]*reader{}}
}

// read reads a request, requires that its points are in order, and returns it.
func (c *audience) read(md pmetric.Metrics) pmetric.Metrics {
	c.t.Helper()
	for _, p := range receive(md) {
		rd := c.reader(p)
		before := rd.time
		require.True(c.t, p.time > before && rd.read(p), "not in order: %v after %v", p, before)
		require.LessOrEqual(c.t, p.start, p.time, "ends before its start: %v", p)
	}
	return md
}

// reader returns the reader of a point's series.
func (c *audience) reader(p received) *reader {
	rd := c.by[p.series]
	if rd == nil {
		rd = &reader{kind: c.kind, since: c.since, from: c.from}
		c.by[p.series] = rd
	}
	return rd
}

// total returns the sum over all series: of increments, or of the latest values of gauges
// and non-monotonic sums.
func (c *audience) total() float64 {
	sum := 0.0
	for _, rd := range c.by {
		switch {
		case !rd.known:
		case c.kind.monotonic || c.kind.temporality == pmetric.AggregationTemporalityDelta:
			sum += rd.total["value"] + rd.total["count"]
		case !rd.stale:
			sum += rd.last["value"]
		}
	}
	return sum
}
