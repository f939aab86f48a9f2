package cardinalityprocessor

import (
	"slices"
	"strings"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// plan is what the settings and the packs say of one metric.
type plan struct {
	metric      string // the name, or the beginning of a very long one
	keys        *keyRules
	limit       int
	gauge       conventions.GaugeAggregate
	foldSummary bool
	exempt      bool
	input       planInput
}

// planInput is what a plan was made from besides the settings, which may change.
// It is empty for very long names.
type planInput struct{ Owner, Original, Name string }

// keyRules say which attributes a metric's points lose. Metrics with the same
// rules share them, so that what is known of the keys of one serves the next.
type keyRules struct {
	number int             // from 0
	keep   map[string]bool // nil: all but the others'
	drop   map[string]bool
	series naming.Series
}

// drops tells whether an attribute has to go.
func (k *keyRules) drops(key string) bool {
	if k.keep != nil {
		return !k.keep[key]
	}
	if k.drop[key] {
		return true
	}
	_, id := k.series.ID(key)
	return id
}

// any tells whether there is an attribute that would have to go.
func (k *keyRules) any() bool { return k.keep != nil || len(k.drop) > 0 || k.series.HasIDs() }

// planner makes plans. It is safe for concurrent use.
type planner struct {
	namer     *naming.Namer
	limit     int
	drop      []string
	overrides []override

	mu   sync.Mutex
	keys map[keyRulesKey]*keyRules
}

// keyRulesKey tells rules apart: by whose ids go, and which overrides match.
type keyRulesKey struct {
	system  *naming.System
	matched string
}

type override struct {
	OverridesItem
	match glob.Glob
}

func newPlanner(cfg *Config, packs []*conventions.Pack) *planner {
	p := &planner{
		namer: naming.New(packs, naming.Options{Prefix: conventions.MetricPrefix, Unknown: naming.UnknownPass}),
		limit: cfg.Limit, drop: cfg.DropAttributes, keys: map[keyRulesKey]*keyRules{},
	}
	for _, o := range cfg.Overrides {
		p.overrides = append(p.overrides, override{o, glob.New(o.Metric)})
	}
	return p
}

// plan returns the plan of a metric. Original is the name it was sent with, or
// empty where nobody renamed it.
func (p *planner) plan(owner *naming.System, original, name string) *plan {
	series := p.namer.Series(owner, original, name)
	made := &plan{
		metric: strings.Clone(naming.Beginning(name, maxNameBytes)),
		limit:  p.limit, gauge: series.Gauge, exempt: isExempt(name),
	}
	if len(original)+len(name) <= maxNameBytes {
		made.input = planInput{owner.Name(), strings.Clone(original), strings.Clone(name)}
	}
	var matched []override
	key := keyRulesKey{system: series.System}
	for i, o := range p.overrides {
		if o.match.Match(name) {
			matched = append(matched, o)
			if o.DropAttributes != nil || o.KeepAttributes != nil {
				key.matched += string(rune(i))
			}
		}
	}
	made.keys = p.keyRules(key, series, matched)
	if o, ok := first(matched, func(o override) bool { return o.Limit != 0 }); ok {
		made.limit = o.Limit
	}
	if o, ok := first(matched, func(o override) bool { return o.Gauge != "" }); ok {
		made.gauge = conventions.GaugeAggregate(o.Gauge)
	}
	if o, ok := first(matched, func(o override) bool { return o.Summary != "" }); ok {
		made.foldSummary = o.Summary == summaryFold
	}
	return made
}

// planAgain makes the plan of a metric as the settings are now.
func (p *planner) planAgain(in planInput) *plan {
	var owner *naming.System
	for _, system := range p.namer.Systems() {
		if system.Name() == in.Owner {
			owner = system
		}
	}
	return p.plan(owner, in.Original, in.Name)
}

func first(matched []override, states func(override) bool) (override, bool) {
	if i := slices.IndexFunc(matched, states); i >= 0 {
		return matched[i], true
	}
	return override{}, false
}

func (p *planner) keyRules(key keyRulesKey, series naming.Series, matched []override) *keyRules {
	p.mu.Lock()
	defer p.mu.Unlock()
	if rules, ok := p.keys[key]; ok {
		return rules
	}
	rules := &keyRules{number: len(p.keys), drop: set(p.drop), series: series}
	for _, o := range matched {
		for _, name := range o.DropAttributes {
			rules.drop[name] = true
		}
	}
	if o, ok := first(matched, func(o override) bool { return o.KeepAttributes != nil }); ok {
		rules.keep = set(o.KeepAttributes)
	}
	if len(p.keys) < maxKeyRules {
		p.keys[key] = rules
	}
	return rules
}

// maxKeyRules bounds the rules that metrics share: more take as much memory as they
// have metrics, and one memo.
const maxKeyRules = 1 << 8

func set(keys []string) map[string]bool {
	s := make(map[string]bool, len(keys))
	for _, key := range keys {
		s[key] = true
	}
	return s
}

// exempt are the metrics that are left alone: those whose attributes are all they
// say, and the collector's own.
var exempt = []glob.Glob{
	glob.New("target_info"), glob.New("*_info"), glob.New("*.info"),
	glob.New("otelcol_*"), glob.New("otelcol.*"),
}

func isExempt(metric string) bool {
	return slices.ContainsFunc(exempt, func(g glob.Glob) bool { return g.Match(metric) })
}

// maxNameBytes is how much of a name is remembered for people to read.
const maxNameBytes = 256
