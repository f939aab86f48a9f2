// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// gpuBatch is a random batch of GPUs: of any type and time, with gaps, resets, stale markers and repetitions.
func gpuBatch(rng *rand.Rand, energy []float64, at time.Time) pmetric.Metrics {
	md := pmetric.NewMetrics()
	for range 1 + rng.IntN(2) {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", fmt.Sprint("s", rng.IntN(2)))
		sm := rm.ScopeMetrics().AppendEmpty()
		for range rng.IntN(5) {
			gpuMetric(rng, sm.Metrics().AppendEmpty(), energy, at)
		}
	}
	return md
}

func gpuMetric(rng *rand.Rand, m pmetric.Metric, energy []float64, at time.Time) {
	switch rng.IntN(5) {
	case 0:
		m.SetName("DCGM_FI_DEV_GPU_UTIL")
		m.SetEmptyGauge()
	case 1:
		m.SetName("DCGM_EXP_LATENCY")
		m.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for range rng.IntN(3) {
			gpuPoint(rng, m.Histogram().DataPoints().AppendEmpty(), at)
		}
		return
	case 2:
		m.SetName("tc_gpu_owner_seconds_total") // the system itself sends what the rule makes
		m.SetEmptySum().SetIsMonotonic(true)
		m.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		return
	default:
		m.SetName("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")
		m.SetEmptySum().SetIsMonotonic(true)
		m.Sum().SetAggregationTemporality(pmetric.AggregationTemporality(1 + rng.IntN(2)))
	}
	for range rng.IntN(6) {
		dp := numbersOf(m).AppendEmpty()
		gpu := gpuPoint(rng, dp, at)
		switch rng.IntN(20) {
		case 0:
			dp.SetDoubleValue([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -5, math.MaxFloat64}[rng.IntN(5)])
		case 1:
			energy[gpu] = 0
			fallthrough
		default:
			energy[gpu] += float64(rng.IntN(1000))
			dp.SetDoubleValue(energy[gpu])
		}
	}
}

func gpuPoint(rng *rand.Rand, dp pointtype.Point, at time.Time) (gpu int) {
	gpu = rng.IntN(3)
	putAttributes(dp.Attributes(), fmt.Sprint("Hostname=h UUID=", gpu))
	if rng.IntN(3) == 0 {
		dp.Attributes().PutInt("GPU_I_ID", int64(rng.IntN(2)))
	}
	for _, key := range []string{"pod", "hpc_job", "vgpu"} {
		if rng.IntN(3) == 0 {
			dp.Attributes().PutStr(key, []string{"", "a", "b", "c"}[rng.IntN(4)])
		}
	}
	shift := []time.Duration{0, 0, 0, 0, 0, -time.Second, -time.Hour, time.Hour}[rng.IntN(8)]
	if dp.SetTimestamp(pcommon.NewTimestampFromTime(at.Add(shift))); rng.IntN(50) == 0 {
		dp.SetTimestamp(0)
	}
	dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(rng.IntN(6) == 0))
	return gpu
}

// Whatever comes, owners are off the values, no batch has a point twice, counters never fall, also over restarts and
// refused batches, and the memory is that of the owners who are left.
func TestRandomOwners(t *testing.T) {
	soak.Sequential(t)
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rng, energy := rand.New(rand.NewPCG(seed, 7)), make([]float64, 3)
			r, last := newRig(t, nil, "dcgm"), map[string]float64{}
			for range 150 {
				time.Sleep(time.Duration(rng.IntN(40)) * time.Second)
				refuse := rng.IntN(10) == 0
				_ = r.taking(func(_ context.Context, md pmetric.Metrics) error {
					if refuse {
						return errors.New("full")
					}
					checkOwners(t, md, last)
					return nil
				}).ConsumeMetrics(t.Context(), gpuBatch(rng, energy, time.Now()))
				switch rng.IntN(40) {
				case 0:
					after := newRig(t, nil, "dcgm")
					copySeries(t, r.p, after.p)
					r = after
				case 1:
					r.expireAll()
				}
			}
			time.Sleep(time.Hour)
			r.expireAll()
			data, err := r.p.tracker.Encode()
			require.NoError(t, err)
			require.Nil(t, data)
		})
	}
}

func checkOwners(t *testing.T, md pmetric.Metrics, last map[string]float64) {
	seen := map[string]bool{}
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Type() == pmetric.MetricTypeHistogram {
				for _, dp := range m.Histogram().DataPoints().All() {
					_, ok := dp.Attributes().Get("pod")
					require.False(t, ok)
				}
				continue
			}
			for _, dp := range numbersOf(m).All() {
				id := fmt.Sprint(mapText(rm.Resource().Attributes()), kindName(m), m.Name(), mapText(dp.Attributes()))
				_, owned := dp.Attributes().Get("pod")
				made := strings.HasPrefix(m.Name(), "tc_")
				require.True(t, made || !owned, id)
				at := fmt.Sprint(id, dp.Timestamp())
				require.False(t, seen[at], at)
				seen[at] = true
				if made && m.Type() == pmetric.MetricTypeSum && !dp.Flags().NoRecordedValue() {
					key := fmt.Sprint(id, dp.StartTimestamp())
					require.GreaterOrEqual(t, dp.DoubleValue(), last[key], key)
					require.False(t, math.IsInf(dp.DoubleValue(), 0) || math.IsNaN(dp.DoubleValue()), key)
					last[key] = dp.DoubleValue()
				}
			}
		}
	}
}
