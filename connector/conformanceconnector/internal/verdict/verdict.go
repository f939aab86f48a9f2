// SPDX-License-Identifier: Apache-2.0

// Package verdict decides whether names, attributes and records follow the rules. It caches the decisions,
// so each name is decided once.
package verdict

import (
	"cmp"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/coherence"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// Judge decides about items. It is safe for concurrent use, except Forget, which must run alone.
type Judge struct {
	Namer   *naming.Namer
	results *report.Builder
	traces  *coherence.Traces

	scopes     namecache.Cache[naming.Context, *Scope]
	owners     namecache.Cache[string, *naming.System] // of metrics
	pages      namecache.Cache[page, *Scope]
	metrics    namecache.Cache[nameKey, *Name]
	spans      namecache.Cache[nameKey, *Name]
	attributes namecache.Cache[attributeKey, *Attribute]
}

// New returns a Judge that counts its findings in results.
func New(namer *naming.Namer, results *report.Builder, traces *coherence.Traces) *Judge {
	return &Judge{
		namer, results, traces, namecache.New[naming.Context, *Scope](), namecache.New[string, *naming.System](), namecache.New[page, *Scope](),
		namecache.New[nameKey, *Name](), namecache.New[nameKey, *Name](), namecache.New[attributeKey, *Attribute](),
	}
}

// Forget clears all caches.
func (j *Judge) Forget() {
	j.scopes.Clear()
	j.owners.Clear()
	j.pages.Clear()
	j.metrics.Clear()
	j.spans.Clear()
	j.attributes.Clear()
}

// Scope holds what the items of one resource and scope share.
type Scope struct {
	naming.Context
	Service *report.ServiceCounts
	Pack    *report.Pack // of the owner, or nil
	long    bool         // too long for the cache, and so are decisions in it
}

// Scope returns the scope of a context.
func (j *Judge) Scope(key naming.Context, now time.Time) *Scope {
	if found, ok := j.scopes.Get(key); ok {
		return found
	}
	svc := j.results.Service(key.Service, now)
	length := len(key.Service) + len(key.Scope)
	key.Scope, key.Service = beginning(key.Scope), beginning(key.Service)
	return j.scopes.Put(key, length, &Scope{key, svc, j.results.Pack(key.Owner), length > namecache.MaxLength})
}

// page identifies a scraped page.
type page struct {
	scope    *Scope
	instance string
}

// Page returns the scope of a scraped page that no resource or scope gives an owner: it belongs as a whole to the system
// that naming.Namer.PageOwner finds.
func (j *Judge) Page(sc *Scope, instance string, metrics iter.Seq[string], now time.Time) *Scope {
	key := page{sc, naming.Beginning(instance, conformance.MaxText)}
	if found, ok := j.pages.Get(key); ok {
		return found
	}
	owner, ok := j.Namer.PageOwner(metrics, j.metricOwner)
	if !ok {
		return sc
	}
	found := sc
	if owner != nil {
		found = j.Scope(naming.Context{Owner: owner, Scope: sc.Scope, Service: sc.Context.Service, Page: true}, now)
	}
	key.instance = strings.Clone(key.instance)
	return j.pages.Put(key, len(key.instance), found)
}

// metricOwner returns the system that owns metrics of a name, or nil.
func (j *Judge) metricOwner(name string) *naming.System {
	return namecache.ByText(j.owners, name, j.Namer.MetricOwner)
}

// beginning returns a copy of the first conformance.MaxText bytes of a name, which identify longer names.
func beginning(name string) string { return strings.Clone(naming.Beginning(name, conformance.MaxText)) }

type nameKey struct {
	Scope *Scope
	Facts naming.Facts // of a span: those that the decision asks for
	Text  string
	Copy  bool // of a metric: naming made it, and chose its name
}

// Name is the decision about the name of metrics or of spans.
type Name struct {
	nameKey
	Kind     report.Kind
	By       report.Owner
	Row      *report.Row // nil if the name is conformant
	System   *naming.System
	Expected []*report.Item

	// The next fields are for metrics.
	Pack   *report.Pack       // of the system, or nil
	Metric *report.MetricInfo // nil if there is no room
	// OfScrape reports whether the Prometheus receiver made the metric, about a scrape. It tells nothing
	// about the names of the service, so it is not judged.
	OfScrape bool

	// The next fields are for spans.
	Asks      naming.Asks // the facts that the decision depends on
	Operation coherence.Operation
	renamed   atomic.Pointer[report.Row] // what Renamed returns
}

// Metric returns the decision about a metric's name. That of a copy is conformant.
func (j *Judge) Metric(sc *Scope, name string, copied bool) *Name {
	if n, ok := j.metrics.Get(nameKey{Scope: sc, Text: name, Copy: copied}); ok {
		return n
	}
	owner := sc.Owner
	if sc.Page {
		owner = cmp.Or(j.metricOwner(name), owner)
	}
	d := j.Namer.Metric(owner, name)
	n := &Name{
		nameKey: nameKey{Scope: sc, Text: beginning(name), Copy: copied}, Kind: report.KindMetric, By: sc.Service.OwnerOf(d.System, report.KindMetric), System: d.System,
		Expected: j.results.ExpectedMetrics(d.System, d.Name), Pack: j.results.Pack(d.System),
		Metric: j.results.Metric(sc.Service, name, func() string { return j.Namer.Series(owner, "", name).System.Name() }),
	}
	n.OfScrape = d.Rule == naming.Exempt && (name == "up" || strings.HasPrefix(name, "scrape_"))
	if !copied && (d.Changed() || d.Violation()) {
		n.Row = j.results.FindingOf(findingKey(&d, n.Kind, sc.Service, name), func(r *report.Row) {
			r.Shown, r.Paste = name, report.PasteMetric(&d, name)
		})
	}
	if !sc.long {
		j.metrics.Replace(n.nameKey, len(name), n)
	}
	return n
}

// Span returns the decision about a span's name. Facts are those that the decision asks for, or all that
// naming.AsksOf asks for.
func (j *Judge) Span(sc *Scope, facts naming.Facts, name string) *Name {
	if n := j.KnownSpan(sc, facts, name); n != nil {
		return n
	}
	d := j.Namer.Span(sc.Context, facts, name)
	if d.Asks == (naming.Asks{}) {
		facts = naming.Facts{}
	}
	length := len(name) + len(facts.Attribute)
	facts.Attribute = beginning(facts.Attribute)
	n := &Name{
		nameKey: nameKey{Scope: sc, Facts: facts, Text: beginning(name)}, Kind: report.KindSpan, By: sc.Service.OwnerOf(d.System, report.KindSpan),
		Asks: d.Asks, System: d.System,
		Operation: coherence.Operation{Service: sc.Service, System: d.System.Name()},
	}
	n.Operation.Name = n.Text
	if d.Changed() || d.Violation() {
		n.Row = j.results.FindingOf(findingKey(&d, n.Kind, sc.Service, name), func(r *report.Row) {
			r.Shown, r.Paste = name, report.PasteSpan(&d, name)
		})
		n.Operation.Name = beginning(d.Name)
	}
	if component, _, ok := strings.Cut(d.Name, "/"); ok && naming.ConformantSpan(d.Name) {
		if item := j.results.Pack(d.System).Component(component); item != nil {
			n.Expected = []*report.Item{item}
		}
		n.Operation.Component = j.traces.Component(d.System.Name(), component)
	} else {
		n.Operation.Component = j.traces.Component("", sc.Service.Name)
	}
	if !sc.long {
		j.spans.Replace(n.nameKey, length, n)
	}
	return n
}

// KnownSpan returns the cached decision of Span, or nil.
func (j *Judge) KnownSpan(sc *Scope, facts naming.Facts, name string) *Name {
	n, _ := j.spans.Get(nameKey{Scope: sc, Facts: facts, Text: name})
	return n
}

type attributeKey struct {
	Service *report.ServiceCounts
	Owner   *naming.System
	Key     string
}

// Attribute is the decision about an attribute's key.
type Attribute struct {
	attributeKey
	By  report.Owner
	Row *report.Row // nil if the key is conformant
}

// Attribute returns the decision about an attribute's key.
func (j *Judge) Attribute(svc *report.ServiceCounts, owner *naming.System, key string) *Attribute {
	if a, ok := j.attributes.Get(attributeKey{svc, owner, key}); ok {
		return a
	}
	a := &Attribute{attributeKey: attributeKey{svc, owner, beginning(key)}, By: svc.OwnerOf(owner, report.KindAttribute)}
	if d := j.Namer.Attribute(owner, key); d != nil && d.Rule != naming.Conformant {
		suggestion := d.Key
		if d.Rule == naming.Unnameable {
			suggestion = ""
		}
		a.Row = j.results.Finding(report.Key{
			Rule: report.NamingRules[d.Rule], Kind: report.KindAttribute, Service: svc, System: owner.Name(), Original: key, Suggestion: suggestion,
		})
	}
	j.attributes.Replace(a.attributeKey, len(key), a)
	return a
}

// Renamed returns the row of a conformant name that an earlier component made of an original. Originals of spans
// can have values, so spans of one name share a row, which shows the first original. decide decides about the
// original again, to find the rule.
func (j *Judge) Renamed(n *Name, original string, decide func(original string) naming.Decision) *report.Row {
	if row := n.renamed.Load(); row != nil {
		return row
	}
	key := report.Key{Rule: report.RuleRenamed, Kind: n.Kind, Service: n.Scope.Service, Suggestion: n.Text}
	if n.Kind == report.KindMetric {
		key.Original = original
	}
	row := j.results.FindingOf(key, func(r *report.Row) {
		d := decide(original)
		r.Shown, r.System = original, d.System.Name()
		if d.Name == n.Text && d.Changed() {
			r.By = report.NamingRules[d.Rule]
		}
	})
	if n.Kind == report.KindSpan {
		n.renamed.Store(row)
	}
	return row
}

// findingKey returns the key of a decision. Originals with values in their names share the key of the new
// name, and the first one is shown.
func findingKey(d *naming.Decision, k report.Kind, svc *report.ServiceCounts, original string) report.Key {
	key := report.Key{Rule: report.NamingRules[d.Rule], Kind: k, Service: svc, System: d.System.Name(), Original: original}
	if d.Changed() {
		key.Suggestion = d.Name
	}
	if d.Attributes != nil || d.IDs != nil {
		key.Original = ""
	}
	return key
}
