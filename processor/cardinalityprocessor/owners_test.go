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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// gpuHost returns a host with the pack dcgm and further settings.
func gpuHost(t *testing.T, settings string) component.Host {
	t.Helper()
	host, err := pipetest.NewHost(t.Context(), []byte("{packs: [dcgm], "+settings+"}"))
	require.NoError(t, err)
	return host
}

// gpuAt returns a collection of one GPU, with the energy in millijoules.
func gpuAt(at time.Time, millijoules float64, jobs ...string) pmetric.Metrics {
	md, m := emptyMetric("s", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")
	m.SetEmptySum().SetIsMonotonic(true)
	m.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for _, job := range jobs {
		dp := m.Sum().DataPoints().AppendEmpty()
		dp.SetTimestamp(pcommon.NewTimestampFromTime(at))
		dp.SetDoubleValue(millijoules)
		putAttributes(dp.Attributes(), "UUID=G hpc_job="+job)
	}
	return md
}

// ownerValues returns the values of a metric by job.
func ownerValues(md pmetric.Metrics, name string) map[string]float64 {
	values := map[string]float64{}
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Name() != name {
				continue
			}
			for _, dp := range numbersOf(m).All() {
				job, ok := dp.Attributes().Get("hpc_job")
				if !ok {
					values["others"] = dp.DoubleValue()
				} else if !dp.Flags().NoRecordedValue() {
					values[job.Str()] = dp.DoubleValue()
				}
			}
		}
	}
	return values
}

const joules = "tc_gpu_owner_energy_joules_total"

// Without the setting, labels stay as public dashboards use them.
func TestOwnersAreOptIn(t *testing.T) {
	l := liveWith(t, gpuHost(t, "mode: enforce"), "", nil)
	got := l.send(gpuAt(time.Now(), 1, "7"))
	assert.Equal(t, map[string]float64{"7": 1}, ownerValues(got, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"))
	assert.Equal(t, 1, got.MetricCount())
}

func TestPrefixOfOwners(t *testing.T) {
	l := liveWith(t, gpuHost(t, "owners: [dcgm], prefix: acme_"), "", nil)
	assert.Equal(t, map[string]float64{"7": 1}, ownerValues(l.send(gpuAt(time.Now(), 1, "7")), "acme_gpu_owner_info"))
}

// In audit mode nothing of a batch changes.
func TestAuditedOwners(t *testing.T) {
	l := liveWith(t, gpuHost(t, "owners: [dcgm], mode: audit"), "", nil)
	at := time.Now()
	assert.Equal(t, gpuAt(at, 1, "7", "8"), l.send(gpuAt(at, 1, "7", "8")))
}

// Counters go on after a restart, but not after a kill.
func TestRestartOfOwners(t *testing.T) {
	directory, at := t.TempDir(), time.Now().Add(-time.Minute)
	host := func() component.Host { return gpuHost(t, "owners: [dcgm]") }
	first := liveWith(t, host(), directory, nil)
	first.send(gpuAt(at, 1000, "7"))
	first.send(gpuAt(at.Add(10*time.Second), 3000, "7"))
	first.end()

	second := liveWith(t, host(), directory, nil)
	got := second.send(gpuAt(at.Add(20*time.Second), 4000, "8"))
	assert.Equal(t, map[string]float64{"7": 3, "8": 0}, ownerValues(got, joules))
	assert.Equal(t, map[string]float64{"8": 1}, ownerValues(got, "tc_gpu_owner_info"))
	second.ended = true // killed: it stores nothing
	p := second.Metrics.(retried).processor
	require.NoError(t, p.state.Close())
	p.state = nil
	require.NoError(t, p.shutdown(t.Context()))

	third := liveWith(t, host(), directory, nil)
	got = third.send(gpuAt(at.Add(30*time.Second), 9000, "8"))
	assert.Equal(t, map[string]float64{"8": 0}, ownerValues(got, joules))
}

// A page with random owners gets a bounded number of series, and what they use is not lost.
func TestBoundedOwners(t *testing.T) {
	r := newRig(t, nil, "dcgm")
	at, known := time.Now().Add(-time.Hour), map[string]bool{}
	sums := map[string]float64{}
	for i := range 300 {
		got, err := r.p.process(context.Background(), gpuAt(at.Add(time.Duration(i)*time.Second), float64(i)*2000, fmt.Sprint("a", i), fmt.Sprint("b", i)))
		require.NoError(t, err)
		for job, value := range ownerValues(got, joules) {
			known[job], sums[job] = true, value
		}
	}
	assert.Len(t, known, 65)
	sum := 0.0
	for _, value := range sums {
		sum += value
	}
	assert.InEpsilon(t, 299*2, sum, 1e-9)
}

// The explorer says what the setting would save, where it is not set.
func TestFixOfOwners(t *testing.T) {
	jobs := make([]string, 50)
	for i := range jobs {
		jobs[i] = fmt.Sprint(i)
	}
	fixes := func(settings string) (kinds map[string]conformance.Fix) {
		l := liveWith(t, gpuHost(t, settings), "", nil)
		p, kinds := l.Metrics.(retried).processor, map[string]conformance.Fix{}
		p.user.Current().policy.Costs().Claim()
		for range 2 {
			l.send(gpuAt(time.Now(), 1, jobs...))
		}
		for _, m := range p.explain.Costs(time.Second) {
			for _, a := range m.Attributes {
				for _, fix := range a.Fixes {
					kinds[m.Name+" "+a.Key+" "+fix.Kind] = fix
				}
			}
		}
		return kinds
	}
	const key = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION hpc_job owners"
	got := fixes("mode: enforce")
	assert.Equal(t, conformance.Fix{Kind: "owners", YAML: "extensions:\n  conventions:\n    owners: [dcgm]\n", Series: 1}, got[key])
	assert.NotContains(t, fixes("owners: [dcgm]"), key)
}

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
