// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
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
