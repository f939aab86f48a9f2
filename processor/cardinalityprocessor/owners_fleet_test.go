// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

const (
	fleetNodes   = 125
	fleetGPUs    = 8
	fleetJobs    = 10_000
	fleetScrapes = 30 * time.Second
)

// fleet is a cluster whose GPUs run jobs. It knows what its exporters do not say: what each job has used.
type fleet struct {
	rng   *rand.Rand
	jobs  int
	cards []*card
	used  map[string]*usage // by device and job
	// owned are the joules of the cards while somebody had them.
	owned float64
}

// card is a GPU. It is for one job at a time, or shared, or it has instances.
type card struct {
	node     int
	uuid     string
	millij   float64
	devices  []*slot
	sentJobs map[string]bool // device and job of the last page
}

// slot is a GPU or an instance.
type slot struct {
	instance string
	room     int // for jobs at a time
	jobs     map[string]int
	util     float64
}

// usage is what a job has used of a device.
type usage struct{ seconds, joules, busy float64 }

func newFleet() *fleet {
	f := &fleet{rng: rand.New(rand.NewPCG(40, 4)), used: map[string]*usage{}}
	for i := range fleetNodes * fleetGPUs {
		c := &card{node: i / fleetGPUs, uuid: fmt.Sprintf("GPU-%d", i), millij: 1e9 * f.rng.Float64()}
		switch i % 5 {
		case 0:
			for instance := range 4 {
				c.devices = append(c.devices, &slot{instance: fmt.Sprint(instance + 1), room: 1, jobs: map[string]int{}})
			}
		case 1:
			c.devices = []*slot{{room: 4, jobs: map[string]int{}}}
		default:
			c.devices = []*slot{{room: 1, jobs: map[string]int{}}}
		}
		f.cards = append(f.cards, c)
	}
	return f
}

func (c *card) key(d *slot, job string) string { return c.uuid + "/" + d.instance + "/" + job }

// holders returns the jobs of a card, by device.
func (c *card) holders() (n int) {
	for _, d := range c.devices {
		n += len(d.jobs)
	}
	return n
}

// use lets the jobs run until the next scrape.
func (f *fleet) use() {
	for _, c := range f.cards {
		millij := 1e6 * f.rng.Float64()
		c.millij += millij
		n := c.holders()
		if n > 0 {
			f.owned += millij / 1000
		}
		for _, d := range c.devices {
			for job := range d.jobs {
				u := f.used[c.key(d, job)]
				u.seconds += fleetScrapes.Seconds()
				u.joules += millij / 1000 / float64(n)
				u.busy += d.util * fleetScrapes.Seconds() / float64(len(d.jobs))
			}
		}
	}
}

// schedule ends and begins jobs. It returns the nodes where something has changed.
func (f *fleet) schedule() map[int]bool {
	changed := map[int]bool{}
	for _, c := range f.cards {
		for _, d := range c.devices {
			for job, left := range d.jobs {
				if d.jobs[job] = left - 1; left == 0 {
					delete(d.jobs, job)
					changed[c.node] = true
				}
			}
			for len(d.jobs) < d.room && f.jobs < fleetJobs && f.rng.IntN(3) == 0 {
				f.jobs++
				job := fmt.Sprint(f.jobs)
				d.jobs[job] = f.rng.IntN(12)
				f.used[c.key(d, job)] = &usage{}
				changed[c.node] = true
			}
		}
	}
	for _, c := range f.cards {
		for _, d := range c.devices {
			if changed[c.node] {
				d.util = f.rng.Float64() // scrapes of other nodes may fail
			}
		}
	}
	return changed
}

// running reports whether there is work.
func (f *fleet) running() bool {
	for _, c := range f.cards {
		if c.holders() > 0 {
			return true
		}
	}
	return f.jobs < fleetJobs
}

// page returns the page of a node, as a scrape makes it: series that are gone end. A page that cannot be read ends all.
func (f *fleet) page(node int, failed bool) pmetric.Metrics {
	md, energy := emptyMetric(fmt.Sprint("node-", node), "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")
	metrics := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	energy.SetEmptySum().SetIsMonotonic(true)
	energy.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	gauge := func(name string) pmetric.NumberDataPointSlice {
		m := metrics.AppendEmpty()
		m.SetName(name)
		return m.SetEmptyGauge().DataPoints()
	}
	util, active, memory := gauge("DCGM_FI_DEV_GPU_UTIL"), gauge("DCGM_FI_PROF_GR_ENGINE_ACTIVE"), gauge("DCGM_FI_DEV_FB_USED")
	now := pcommon.NewTimestampFromTime(time.Now())
	for _, c := range f.cards[node*fleetGPUs : (node+1)*fleetGPUs] {
		before := c.sentJobs
		c.sentJobs = map[string]bool{}
		put := func(d *slot, job string, stale bool) {
			for points, value := range map[pmetric.NumberDataPointSlice]float64{
				energy.Sum().DataPoints(): c.millij, util: d.util * 100, active: d.util, memory: 1,
			} {
				if len(c.devices) > 1 && points == util {
					continue // instances have none
				}
				dp := points.AppendEmpty()
				dp.SetTimestamp(now)
				dp.SetDoubleValue(value)
				dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(stale))
				putAttributes(dp.Attributes(), "UUID="+c.uuid)
				if d.instance != "" {
					dp.Attributes().PutStr("GPU_I_ID", d.instance)
				}
				if job != "" {
					putAttributes(dp.Attributes(), "hpc_job="+job+" namespace=n pod=p-"+job)
				}
			}
		}
		for _, d := range c.devices {
			all := map[string]bool{}
			for job := range d.jobs {
				all[job] = true
			}
			if len(all) == 0 {
				all[""] = true
			}
			for job := range all {
				if !failed {
					put(d, job, false)
					c.sentJobs[c.key(d, job)] = true
				}
			}
			for id := range before {
				var job string
				if _, err := fmt.Sscanf(id, c.key(d, "")+"%s", &job); err == nil || id == c.key(d, "") {
					if !c.sentJobs[id] {
						put(d, job, true)
					}
				}
			}
		}
	}
	return md
}

// seen is what arrives behind the processor.
type seen struct {
	values map[string]bool // series of the exporter's metrics
	infos  map[string]bool // that have not ended
	used   map[string]*usage
}

func (s *seen) read(t *testing.T, md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			once := map[string]bool{}
			for _, dp := range numbersOf(m).All() {
				text := func(key string) string { v, _ := dp.Attributes().Get(key); return v.Str() }
				id := text("UUID") + "/" + text("GPU_I_ID") + "/" + text("hpc_job")
				require.False(t, once[id], "%s has %s twice", m.Name(), id)
				once[id] = true
				if s.used[id] == nil {
					s.used[id] = &usage{}
				}
				stale := dp.Flags().NoRecordedValue()
				switch {
				case m.Name() == "tc_gpu_owner_info":
					require.Equal(t, "p-"+text("hpc_job"), text("pod"))
					if delete(s.infos, id); !stale {
						s.infos[id] = true
					}
				case stale:
				case m.Name() == "tc_gpu_owner_seconds_total":
					s.used[id].seconds = dp.DoubleValue()
				case m.Name() == "tc_gpu_owner_energy_joules_total":
					s.used[id].joules = dp.DoubleValue()
				case m.Name() == "tc_gpu_owner_utilization_seconds_total":
					s.used[id].busy = dp.DoubleValue()
				default:
					s.values[m.Name()+mapText(rm.Resource().Attributes())+mapText(dp.Attributes())] = true
				}
			}
		}
	}
}

// A cluster runs 10,000 jobs on 1,000 GPUs. Its value series are those of the GPUs, each owner has one info series
// while it has a GPU, and what it used is counted exactly, although scrapes fail.
func TestFleetOfGPUs(t *testing.T) {
	soak.Sequential(t)
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil, "dcgm")
		f, got := newFleet(), &seen{map[string]bool{}, map[string]bool{}, map[string]*usage{}}
		for f.running() {
			changed, owners := f.schedule(), 0
			for node := range fleetNodes {
				failed := !changed[node] && f.rng.IntN(10) == 0
				out, err := r.p.process(context.Background(), f.page(node, failed))
				require.NoError(t, err)
				got.read(t, out)
				for _, c := range f.cards[node*fleetGPUs : (node+1)*fleetGPUs] {
					for _, d := range c.devices {
						for job := range d.jobs {
							require.Equal(t, !failed, got.infos[c.key(d, job)], "job %s of %s", job, c.uuid)
						}
					}
					if !failed {
						owners += c.holders()
					}
				}
			}
			require.Len(t, got.infos, owners)
			f.use()
			time.Sleep(fleetScrapes)
		}
		for node := range fleetNodes {
			out, err := r.p.process(context.Background(), f.page(node, false))
			require.NoError(t, err)
			got.read(t, out)
		}
		assert.Empty(t, got.infos, "all jobs have ended")
		// 200 cards have four instances with three metrics each, and 800 have four metrics.
		assert.LessOrEqual(t, float64(len(got.values)), 1.05*(200*4*3+800*4))
		require.Len(t, f.used, fleetJobs)
		sum := 0.0
		for id, u := range f.used {
			require.NotNil(t, got.used[id], id)
			require.InEpsilon(t, u.seconds, got.used[id].seconds, 0.001, id)
			require.InEpsilon(t, u.joules, got.used[id].joules, 0.001, id)
			require.InDelta(t, u.busy, got.used[id].busy, 0.001*u.seconds, id)
			sum += got.used[id].joules
		}
		assert.InEpsilon(t, f.owned, sum, 0.001, "the joules of all owners are those of the cards")
	})
}
