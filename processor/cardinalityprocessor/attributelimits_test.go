// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// TestValueOverLimit checks that a value past the limit becomes other, and known values
// keep their series.
func TestValueOverLimit(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	r := plainRig(t, func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": 2} })
	r.countInto(telemetry)
	require.Equal(t, []string{`{user="0"} 1..10 1`, `{user="1"} 1..10 1`}, r.send(r.deltas(users(0, 2, 1, 10)...)))
	require.Empty(t, labelled(t, telemetry, "otelcol_cardinality_folded_points", "rule"))
	require.Equal(t, []string{`{user="0"} 10..20 1`, `{user="1"} 10..20 1`, `{user="other"} 10..20 1`}, r.send(r.deltas(users(0, 3, 10, 20)...)))
	require.Equal(t, []string{`{user="0"} 20..30 1`, `{user="1"} 20..30 1`, `{user="other"} 20..30 8`}, r.send(r.deltas(users(0, 10, 20, 30)...)))
	require.Equal(t, map[string]int64{"attribute_limit": 9}, labelled(t, telemetry, "otelcol_cardinality_folded_points", "rule"))
}

// TestLiteralOther checks that a value other that was sent belongs to the same series as
// replaced values.
func TestLiteralOther(t *testing.T) {
	f := func(first, second string, changed int64) {
		t.Helper()
		telemetry := componenttest.NewTelemetry()
		r := plainRig(t, func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": 1} })
		r.countInto(telemetry)
		require.Equal(t, []string{`{user="a"} 1..10 1`}, r.send(r.deltas(pt{"user=a", 1, 10, 1})))
		require.Equal(t, []string{`{user="other"} 10..20 3`}, r.send(r.deltas(pt{"user=" + first, 10, 20, 1}, pt{"user=" + second, 10, 20, 2})))
		require.Equal(t, []string{`{user="other"} 20..30 4`}, r.send(r.deltas(pt{"user=" + first, 20, 30, 4})))
		require.Equal(t, []string{`{user="other"} 30..40 8`}, r.send(r.deltas(pt{"user=" + second, 30, 40, 8})))
		require.Equal(t, changed, labelled(t, telemetry, "otelcol_cardinality_folded_points", "rule")["attribute_limit"])
	}
	f("other", "b", 2)
	f("b", "other", 2)
	f("b", "c", 4)
}

// TestValuesOfOtherTypes checks that values of different types count as different, and
// that a number becomes other too.
func TestValuesOfOtherTypes(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": 2} })
	md := r.deltas(pt{"", 1, 10, 1}, pt{"", 1, 10, 2}, pt{"", 1, 10, 4}, pt{"", 1, 10, 8})
	points := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints()
	points.At(0).Attributes().PutStr("user", "1")
	points.At(1).Attributes().PutInt("user", 1)
	points.At(2).Attributes().PutDouble("user", 1)
	points.At(3).Attributes().PutEmptyBytes("user").FromRaw([]byte("1"))
	require.Equal(t, []string{`{user="1"} 1..10 1`, `{user="other"} 1..10 12`, `{user=1} 1..10 2`}, r.send(md))
}

// TestAttributeLimitsAreIndependent checks that each attribute has its own limit, and each
// service its own values.
func TestAttributeLimitsAreIndependent(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": 1, "host": 2} })
	send := func(service string, at float64, attrs ...string) []string {
		var points []pt
		for _, a := range attrs {
			points = append(points, pt{a, at - 1, at, 1})
		}
		return r.send(r.sum(service, "m", pmetric.AggregationTemporalityDelta, true, points))
	}
	require.Equal(t, []string{`{host="a",user="a"} 1..2 1`, `{host="b",user="a"} 1..2 1`, `{host="b",user="other"} 1..2 1`, `{host="other",user="a"} 1..2 1`, `{host="other",user="other"} 1..2 2`},
		send("s", 2, "host=a user=a", "host=b user=a", "host=b user=b", "host=c user=a", "host=d user=c", "host=e user=d"))
	require.Equal(t, []string{`{host="e",user="d"} 1..2 1`}, send("t", 2, "host=e user=d"))
	// The values are the service's, whatever the metric.
	require.Equal(t, []string{`{host="a",user="other"} 1..2 1`}, r.send(r.sum("s", "n", pmetric.AggregationTemporalityDelta, true, []pt{{"user=e host=a", 1, 2, 1}})))
	// And those without the attribute go on as they are.
	require.Equal(t, []string{`{route="x"} 4..5 1`}, send("s", 5, "route=x"))
}

// TestAttributeLimitsConserve checks for each kind of metric that replaced values lose
// nothing and count nothing twice.
func TestAttributeLimitsConserve(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		r := newRig(t, func(cfg *Config) { cfg.AttributeLimits, cfg.Limit = map[string]int{"user": 3}, 6 })
		in, out := r.senders(kind), r.receivers(kind)
		for round := range 20 {
			at := float64(10 * (round + 1))
			var points []pt
			for i := range 2 + round {
				points = append(points, pt{fmt.Sprint("user=", i%11, " route=", i%3, " id=", i), at - 9.5, at, i + round})
			}
			md := request(r, points...)
			if kind == "cumulative_sum" {
				for _, dp := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
					dp.SetStartTimestamp(r.at(0.5))
				}
			}
			in.read(md)
			out.read(r.process(md))
			require.InDelta(t, in.total(), out.total(), 0, "%s, round %d", kind, round)
		}
		require.LessOrEqual(t, len(out.by), 7)
	}
	f("delta_sum", (*rig).deltas)
	f("cumulative_sum", (*rig).counters)
	f("updown", (*rig).updowns)
}
