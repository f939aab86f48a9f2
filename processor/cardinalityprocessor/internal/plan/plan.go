// SPDX-License-Identifier: Apache-2.0

// Package plan combines the settings and the packs into the rules of one metric. A plan has
// the attributes to drop, the limit of series, and how to merge gauges and summaries. A
// [Planner] makes the plan when a metric comes for the first time. The package may not know
// data points or series.
package plan

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Plan has the rules of one metric.
type Plan struct {
	Metric      string // the name, or the beginning of a very long one
	Keys        *Keys
	Limit       int // series
	Gauge       conventions.GaugeAggregate
	DropBuckets bool                   // of histograms that are sent; their series keep them
	DropSummary bool                   // drop summaries instead of merging their counts and sums
	Owner       *conventions.OwnerRule // nil: no attribute is the owner of what is measured
	Input       Input
	Generation  uint32 // of the Planner
}

// Same reports whether two plans of a metric are the same, so that its series can go on.
func (p *Plan) Same(o *Plan) bool {
	return p.Limit == o.Limit && p.Gauge == o.Gauge && p.DropSummary == o.DropSummary && p.Keys.same(o.Keys)
}

// Input identifies a metric in snapshots, so that a plan can be made again from other
// settings. It is empty for very long names.
type Input struct{ Owner, Original, Name string }

// Settings are the user's rules for all metrics.
type Settings struct {
	Limit     int
	Drop      []string
	Overrides []Override
	Limited   []Limited
	Owners    []string // the systems whose rules for owners apply
}

// Override has the user's rules for the metrics whose names match. A field that is zero or
// nil leaves the rule to the next override, or to the settings.
type Override struct {
	Metric      glob.Glob
	Limit       int
	Drop, Keep  []string
	Gauge       conventions.GaugeAggregate
	DropBuckets *bool
	DropSummary *bool
}

// Planner makes plans by one policy. It is safe for concurrent use.
type Planner struct {
	Generation uint32 // the number of the policy; later ones have greater numbers

	namer    *naming.Namer
	settings Settings

	mu    sync.Mutex
	keys  map[keysInput]*Keys
	plans map[Input]*Plan
}

// keysInput identifies a Keys: by the system whose ids are dropped, and the overrides that match.
type keysInput struct {
	system  *naming.System
	kept    string // naming.Series.Kept
	matched string
}

// New returns a Planner.
func New(packs []*conventions.Pack, settings Settings, generation uint32) *Planner {
	return &Planner{
		Generation: generation,
		namer:      naming.New(packs, naming.Options{Prefix: conventions.MetricPrefix}),
		settings:   settings, keys: map[keysInput]*Keys{}, plans: map[Input]*Plan{},
	}
}

// Plan returns the plan of a metric, which metrics of other resources share. Resource returns
// a resource attribute of type string. Original is the name before the naming processor
// renamed the metric, or empty.
//
// Page returns the system that the scope's metrics belong to as a whole, if they are a scraped page.
func (p *Planner) Plan(resource func(key string) (string, bool), scope, original, name string, page func() *naming.System) *Plan {
	owner := p.namer.Owner(resource, scope)
	if !owner.Owned() && naming.Page(scope) && p.namer.MetricOwner(cmp.Or(original, name)) == nil && p.namer.MetricOwner(name) == nil {
		owner = cmp.Or(page(), owner)
	}
	return p.plan(owner, original, name)
}

// PageOwner returns the system that a scraped page belongs to as a whole, or nil.
func (p *Planner) PageOwner(metrics iter.Seq[string]) *naming.System {
	owner, _ := p.namer.PageOwner(metrics, p.namer.MetricOwner)
	return owner
}

// Restore returns the plan of a metric from a snapshot, by the current settings.
func (p *Planner) Restore(in Input) *Plan {
	var owner *naming.System
	for _, system := range p.namer.Systems() {
		if system.Name() == in.Owner {
			owner = system
		}
	}
	return p.plan(owner, in.Original, in.Name)
}

// maxPlans is the largest number of plans that metrics share.
const maxPlans = 1 << 12

func (p *Planner) plan(owner *naming.System, original, name string) *Plan {
	if len(original)+len(name) > maxNameBytes {
		return p.newPlan(owner, original, name)
	}
	in := Input{owner.Name(), original, name}
	p.mu.Lock()
	made, ok := p.plans[in]
	p.mu.Unlock()
	if ok {
		return made
	}
	made = p.newPlan(owner, original, name)
	made.Input = Input{owner.Name(), strings.Clone(original), made.Metric}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.plans) >= maxPlans {
		clear(p.plans) // random names must not keep the plans of others out
	}
	p.plans[made.Input] = made
	return made
}

func (p *Planner) newPlan(owner *naming.System, original, name string) *Plan {
	series := p.namer.Series(owner, original, name)
	made := &Plan{
		Metric: Name(name), Limit: p.settings.Limit, Gauge: series.Gauge, Generation: p.Generation,
		Owner: series.System.OwnerRule(p.settings.Owners, original, name),
	}
	key := keysInput{system: series.System, kept: series.Kept()}
	var matched []Override
	for i, o := range slices.Backward(p.settings.Overrides) {
		if !o.Metric.Match(name) {
			continue
		}
		matched = append(matched, o)
		if o.Drop != nil || o.Keep != nil {
			key.matched += string(rune(i))
		}
		// The first override that has a rule applies, so it must be the last one here.
		if o.Limit != 0 {
			made.Limit = o.Limit
		}
		if o.Gauge != "" {
			made.Gauge = o.Gauge
		}
		if o.DropBuckets != nil {
			made.DropBuckets = *o.DropBuckets
		}
		if o.DropSummary != nil {
			made.DropSummary = *o.DropSummary
		}
	}
	made.Keys = p.keysOf(key, series, matched)
	return made
}

// keysOf returns the Keys that all metrics of a key share. Matched has the first override
// last.
func (p *Planner) keysOf(key keysInput, series naming.Series, matched []Override) *Keys {
	p.mu.Lock()
	defer p.mu.Unlock()
	if keys, ok := p.keys[key]; ok {
		return keys
	}
	keys := &Keys{Number: len(p.keys), Limited: p.settings.Limited, drop: set(p.settings.Drop), ids: series.IDs()}
	for _, o := range matched {
		for _, name := range o.Drop {
			keys.drop[name] = true
		}
		if o.Keep != nil {
			keys.keep = set(o.Keep)
		}
	}
	keys.Any = keys.keep != nil || len(keys.drop) > 0 || series.HasIDs()
	if len(p.keys) < maxKeys {
		p.keys[key] = keys
	}
	return keys
}

// maxKeys is the largest number of shared Keys. Further metrics have their own.
const maxKeys = 1 << 8

// maxNameBytes is the length at which names are cut off before they are stored.
const maxNameBytes = 256

// Name returns a copy of a name's first maxNameBytes.
func Name(name string) string { return strings.Clone(naming.Beginning(name, maxNameBytes)) }
