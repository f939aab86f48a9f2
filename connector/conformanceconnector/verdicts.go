package conformanceconnector

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// verdicts remembers what was decided, so that a name costs one decision.
type verdicts struct {
	contexts   cache[naming.Context, *scope]
	metrics    cache[metricKey, *metricVerdict]
	spans      cache[spanKey, *spanVerdict]
	attributes cache[attributeKey, *attributeVerdict]
	renamed    cache[renamedKey, *row]
}

func newVerdicts() *verdicts {
	return &verdicts{
		newCache[naming.Context, *scope](), newCache[metricKey, *metricVerdict](),
		newCache[spanKey, *spanVerdict](), newCache[attributeKey, *attributeVerdict](),
		newCache[renamedKey, *row](),
	}
}

// scope is what is known of the items of one resource and scope.
type scope struct {
	naming.Context
	service     *service
	expectation *expectation // of the owner, or nil
	long        bool         // too long to be remembered, and so is what is decided in it
}

type metricKey struct {
	scope *scope
	name  string
}

// metricVerdict is what was decided for a metric's name.
type metricVerdict struct {
	metricKey
	row      *row // nil where the name is conformant
	system   *naming.System
	series   *series // nil where the table is full
	expected []*expected
	of       *expectation // of the system, or nil
}

type spanKey struct {
	scope            *scope
	rpcService, name string
}

// spanVerdict is what was decided for a span's name.
type spanVerdict struct {
	spanKey
	anyRPCService bool
	row           *row // nil where the name is conformant
	system        *naming.System
	decided       string // the conformant name
	node          int    // of its component among the edges, or none
	component     *componentCount
	expected      *expected
}

type attributeKey struct {
	service *service
	owner   *naming.System
	key     string
}

// attributeVerdict is what was decided for an attribute's key.
type attributeVerdict struct {
	attributeKey
	row *row // nil where the key is conformant
}

type renamedKey struct {
	service        *service
	kind           kind
	original, name string
}

// metricVerdict decides a metric's name, or remembers what was decided.
func (s *state) metricVerdict(sc *scope, name string) *metricVerdict {
	if v, ok := s.verdicts.metrics.get(metricKey{sc, name}); ok {
		return v
	}
	d := s.namer.Metric(sc.Owner, name)
	key := metricKey{sc, strings.Clone(naming.Beginning(name, maxText))}
	v := &metricVerdict{metricKey: key, system: d.System, expected: s.expectedMetrics(d.System, d.Name), of: s.expectation(d.System)}
	if d.Changed() || d.Violation() {
		v.row = s.findings.rowOf(nameKey(&d, kindMetric, sc.service, name), name, func() string { return pasteMetric(&d, name) })
	}
	v.series = s.series.of(sc.service, name)
	if len(name) <= maxCachedName && !sc.long {
		s.verdicts.metrics.put(key, v)
	}
	return v
}

// spanVerdict decides a span's name, or remembers what was decided.
func (s *state) spanVerdict(sc *scope, rpcService, name string) *spanVerdict {
	if v, ok := s.verdicts.spans.get(spanKey{sc, rpcService, name}); ok {
		return v
	}
	d := s.namer.Span(sc.Context, rpcService, name)
	v := &spanVerdict{
		spanKey:       spanKey{sc, strings.Clone(naming.Beginning(rpcService, maxText)), strings.Clone(naming.Beginning(name, maxText))},
		anyRPCService: d.AnyRPCService, system: d.System, node: noNode,
	}
	v.decided = v.name
	if d.Changed() || d.Violation() {
		v.row = s.findings.rowOf(nameKey(&d, kindSpan, sc.service, name), name, func() string { return pasteSpan(&d, name) })
		v.decided = strings.Clone(naming.Beginning(d.Name, maxText))
	}
	if component, _, ok := strings.Cut(d.Name, "/"); ok && d.Rule != naming.Exempt {
		v.node = s.edges.node(d.System.Name(), component)
		v.expected = s.expectedComponent(d.System, component)
		v.component = s.graph.component(d.System.Name(), component)
	} else {
		v.component = s.graph.component("", sc.service.name)
	}
	if len(name)+len(rpcService) <= maxCachedName && !sc.long {
		s.verdicts.spans.put(v.spanKey, v)
	}
	return v
}

// attributeVerdict decides an attribute's key, or remembers what was decided.
func (s *state) attributeVerdict(svc *service, owner *naming.System, key string) *attributeVerdict {
	if v, ok := s.verdicts.attributes.get(attributeKey{svc, owner, key}); ok {
		return v
	}
	v := &attributeVerdict{attributeKey: attributeKey{svc, owner, strings.Clone(naming.Beginning(key, maxText))}}
	if d := s.namer.Attribute(owner, key); d != nil && d.Rule != naming.Conformant {
		suggestion := d.Key
		if d.Rule == naming.Unnameable {
			suggestion = ""
		}
		v.row = s.findings.row(rowKey{
			rule: namingRules[d.Rule], kind: kindAttribute, service: svc, system: owner.Name(), original: key, suggestion: suggestion,
		})
	}
	if len(key) <= maxCachedName {
		s.verdicts.attributes.put(v.attributeKey, v)
	}
	return v
}

// nameKey is the row of a decision. Originals that had values in them share the row of
// their new name; the first one stands for all.
func nameKey(d *naming.Decision, k kind, svc *service, original string) rowKey {
	key := rowKey{rule: namingRules[d.Rule], kind: k, service: svc, system: d.System.Name(), original: original}
	if d.Changed() {
		key.suggestion = d.Name
	}
	if d.Attributes != nil || d.IDs != nil {
		key.original = ""
	}
	return key
}

// renamed is the row of a name that something before made conformant. The original is
// decided again, for the rule that it was done by.
func (s *state) renamed(svc *service, k kind, original, name string, decide func(string) naming.Decision) *row {
	key := renamedKey{svc, k, naming.Beginning(original, maxText), naming.Beginning(name, maxText)}
	if r, ok := s.verdicts.renamed.get(key); ok {
		return r
	}
	if r := s.findings.ofFull(key); r != nil {
		return r
	}
	d := decide(original)
	rowKey := nameKey(&d, k, svc, original)
	rowKey.rule, rowKey.suggestion = ruleRenamed, name
	if d.Name == name && d.Changed() {
		rowKey.by = namingRules[d.Rule]
	}
	r := s.findings.rowOf(rowKey, original, nil)
	key.original, key.name = strings.Clone(key.original), strings.Clone(key.name)
	s.verdicts.renamed.put(key, r)
	return r
}
