// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
)

// verdict is whether spans of a resource can belong to a stage.
type verdict uint8

const (
	unasked verdict = iota
	never
	possible
)

// resource is the resource of the current spans, with its verdict about each stage.
type resource struct {
	attributes pcommon.Map
	verdicts   []verdict // by stage
}

func (r *resource) begin(rs ptrace.ResourceSpans) {
	r.attributes = rs.Resource().Attributes()
	clear(r.verdicts)
}

func (r *resource) end() { *r = resource{verdicts: r.verdicts} }

// allows reports whether spans of the resource can belong to a stage.
func (r *resource) allows(s *linkrule.Stage) bool {
	v := &r.verdicts[s.Number]
	if *v == unasked {
		*v = never
		if fitsResource(s, r.attributes) {
			*v = possible
		}
	}
	return *v == possible
}

// fitsResource reports whether the resource contradicts nothing that the stage requires.
func fitsResource(s *linkrule.Stage, attributes pcommon.Map) bool {
	if s.Service != nil {
		service, ok := attributes.Get("service.name")
		if !ok || !s.Service.Match(service.AsString()) {
			return false
		}
	}
	for key, glob := range s.Attributes {
		if value, ok := attributes.Get(key); ok && !glob.Match(value.AsString()) {
			return false
		}
	}
	return hasResourceKey(s.Key, attributes)
}

// hasResourceKey reports whether the resource has its parts of the key.
func hasResourceKey(key *linking.Key, attributes pcommon.Map) bool {
	lacks := func(name string) bool {
		_, ok := attributes.Get(name)
		return name != "" && !ok
	}
	return !lacks(key.ResourceAttribute) &&
		!slices.ContainsFunc(key.All, func(part linking.KeyPart) bool { return lacks(part.ResourceAttribute) })
}

// fitsSpan reports whether a span belongs to the stage, after its resource allows it.
func fitsSpan(s *linkrule.Stage, span ptrace.Span, resource pcommon.Map) bool {
	for key, glob := range s.Attributes {
		if _, ok := resource.Get(key); ok {
			continue // it fits
		}
		if value, ok := span.Attributes().Get(key); !ok || !glob.Match(value.AsString()) {
			return false
		}
	}
	return true
}
