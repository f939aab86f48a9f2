// Package plan decides what the settings and the packs say of one metric: which
// attributes its points lose, how many series it may have, how its gauges aggregate.
package plan

import (
	"slices"
	"strings"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Plan is what the settings and the packs say of one metric.
type Plan struct {
	Metric      string // the name, or the beginning of a very long one
	Keys        *Keys
	Limit       int
	Gauge       conventions.GaugeAggregate
	FoldSummary bool
	Exempt      bool
	Input       Input
}

// Input is what a plan was made from besides the settings, which may change. It is empty
// for very long names.
type Input struct{ Owner, Original, Name string }

// Settings are what the user says of all metrics.
type Settings struct {
	Limit     int
	Drop      []string
	Overrides []Override
	Limited   []Limited
}

// Override is what the user says of the metrics whose name matches. What is zero or nil is
// left to the next override, or to the settings of all metrics.
type Override struct {
	Metric      glob.Glob
	Limit       int
	Drop, Keep  []string
	Gauge       conventions.GaugeAggregate
	FoldSummary *bool
}

// Planner makes plans. It is safe for concurrent use.
type Planner struct {
	namer    *naming.Namer
	settings Settings

	mu   sync.Mutex
	keys map[keysInput]*Keys
}

// keysInput is what Keys are made from besides the settings: the system whose ids go, and the
// overrides that match and name attributes.
type keysInput struct {
	system  *naming.System
	matched string
}

// New returns a Planner.
func New(packs []*conventions.Pack, settings Settings) *Planner {
	return &Planner{
		namer:    naming.New(packs, naming.Options{Prefix: conventions.MetricPrefix, Unknown: naming.UnknownPass}),
		settings: settings, keys: map[keysInput]*Keys{},
	}
}

// Plan returns the plan of a metric of a resource, whose texts resource looks up, and of a
// scope. Original is the name it was sent with, or empty where nobody renamed it.
func (p *Planner) Plan(resource func(key string) (string, bool), scope, original, name string) *Plan {
	return p.plan(p.namer.Owner(resource, scope), original, name)
}

// Again returns the plan of a metric as the settings are now.
func (p *Planner) Again(in Input) *Plan {
	var owner *naming.System
	for _, system := range p.namer.Systems() {
		if system.Name() == in.Owner {
			owner = system
		}
	}
	return p.plan(owner, in.Original, in.Name)
}

func (p *Planner) plan(owner *naming.System, original, name string) *Plan {
	series := p.namer.Series(owner, original, name)
	made := &Plan{
		Metric: Name(name), Limit: p.settings.Limit, Gauge: series.Gauge,
		Exempt: slices.ContainsFunc(exempt, func(g glob.Glob) bool { return g.Match(name) }),
	}
	if len(original)+len(name) <= MaxNameBytes {
		made.Input = Input{owner.Name(), strings.Clone(original), strings.Clone(name)}
	}
	key := keysInput{system: series.System}
	var matched []Override
	for i, o := range slices.Backward(p.settings.Overrides) {
		if !o.Metric.Match(name) {
			continue
		}
		matched = append(matched, o)
		if o.Drop != nil || o.Keep != nil {
			key.matched += string(rune(i))
		}
		// The first that says something decides, so it comes last here.
		if o.Limit != 0 {
			made.Limit = o.Limit
		}
		if o.Gauge != "" {
			made.Gauge = o.Gauge
		}
		if o.FoldSummary != nil {
			made.FoldSummary = *o.FoldSummary
		}
	}
	made.Keys = p.keysOf(key, series, matched)
	return made
}

// keysOf returns the Keys of an input, which all metrics with that input share. The first
// override comes last.
func (p *Planner) keysOf(key keysInput, series naming.Series, matched []Override) *Keys {
	p.mu.Lock()
	defer p.mu.Unlock()
	if keys, ok := p.keys[key]; ok {
		return keys
	}
	keys := &Keys{Number: len(p.keys), Limited: p.settings.Limited, drop: set(p.settings.Drop), series: series}
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

// maxKeys bounds the rules that metrics share. More take as much memory as they have
// metrics.
const maxKeys = 1 << 8

// exempt are the metrics that are left alone: those whose attributes are all they say, and
// the collector's own.
var exempt = []glob.Glob{
	glob.New("target_info"), glob.New("*_info"), glob.New("*.info"),
	glob.New("otelcol_*"), glob.New("otelcol.*"),
}

// MaxNameBytes is how much of a name is remembered for people to read.
const MaxNameBytes = 256

// Name returns a copy of the beginning of a name.
func Name(name string) string { return strings.Clone(naming.Beginning(name, MaxNameBytes)) }
