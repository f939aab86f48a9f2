// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// keptSystem describes a system whose names the world knows, so that its pack keeps them.
type keptSystem struct {
	name string
	// families are those of its page. Without them it is not scraped.
	families []family
	// bounds are the bucket bounds of histograms whose own are not family.buckets.
	bounds map[string][]float64
	// created says whether the page has `_created` gauges.
	created bool
	// next adds what one scenario sends and writes, and feeds the families that have no values of
	// their own. It may be nil.
	next func(run *keptRun)
}

// keptSystems are the systems of KeptNames, in order.
var keptSystems = []keptSystem{
	vllm,
	sglang,
	tgi,
	tei,
	triton,
	trtllm,
	ray,
	dcgm,
	node,
	kube,
	cadvisor,
	nccl,
	torchrun,
	lmcache,
	mooncake,
	nixl,
	kserve,
	inferenceGateway,
	openinference,
	openllmetry,
	litellm,
}

// KeptNames lists the systems that New knows besides those of Names: engines, exporters and
// instrumentations whose names are kept.
func KeptNames() []string {
	names := make([]string, len(keptSystems))
	for i, s := range keptSystems {
		names[i] = s.name
	}
	return names
}

// kept is the Generator of a keptSystem.
type kept struct {
	keptSystem
	random    *rand.Rand
	metrics   *exposition
	scenarios int
}

// keptRun is one scenario of a keptSystem.
type keptRun struct {
	*recorder
	*kept
}

// scrapedKept is a kept with a page.
type scrapedKept struct{ *kept }

// Gatherer exposes the page.
func (g scrapedKept) Gatherer() prometheus.Gatherer { return g.metrics.registry }

func newKept(system keptSystem, rng *rand.Rand, start time.Time) Generator {
	g := &kept{keptSystem: system, random: rng}
	if len(system.families) == 0 {
		return g
	}
	g.metrics = newExposition(start, system.created, system.families, system.bounds)
	return scrapedKept{g}
}

// Name returns the system's name.
func (g *kept) Name() string { return g.name }

// Next returns the telemetry of one more scenario.
func (g *kept) Next(now time.Time) Batch {
	run := &keptRun{recorder: newRecorder(g.random, now), kept: g}
	if g.next != nil {
		g.next(run)
	}
	if g.metrics != nil {
		g.metrics.move(now, g.random)
	}
	g.scenarios++
	return run.finish()
}
