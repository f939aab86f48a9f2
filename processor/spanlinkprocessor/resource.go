package spanlinkprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// verdict is what a resource says about its spans being of a stage.
type verdict uint8

const (
	unasked verdict = iota
	never
	possible // if the span's own attributes fit as well
)

// resource is the resource of the spans at hand, with what it says of each stage, found
// out once.
type resource struct {
	attributes pcommon.Map
	verdicts   []verdict // by stage
	begun      []begun   // by rule
}

// begun is what a rule's keys begin with.
type begun struct {
	alike verdict // whether those of all spans do
	text  []byte
}

func (r *resource) begin(rs ptrace.ResourceSpans) {
	r.attributes = rs.Resource().Attributes()
	clear(r.verdicts)
	for i := range r.begun {
		r.begun[i].alike = unasked
	}
}

func (r *resource) end() { r.attributes = pcommon.Map{} }

// allows tells whether the resource lets its spans be of a stage.
func (r *resource) allows(s *stage) bool {
	v := &r.verdicts[s.number]
	if *v == unasked {
		*v = never
		if s.fitsResource(r.attributes) {
			*v = possible
		}
	}
	return *v == possible
}

// scopes tells whether the resource has all that scopes a rule's keys.
func (r *resource) scopes(of *rule) bool {
	for _, key := range of.Scope {
		if _, ok := r.attributes.Get(key); !ok {
			return false
		}
	}
	return true
}

// fitsResource tells whether nothing about the resource speaks against the stage.
func (s *stage) fitsResource(attributes pcommon.Map) bool {
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
	return s.hasResourceKey(attributes)
}

// hasResourceKey tells whether the resource has its parts of the key.
func (s *stage) hasResourceKey(attributes pcommon.Map) bool {
	has := func(key string) bool {
		_, ok := attributes.Get(key)
		return key == "" || ok
	}
	for _, part := range s.key.All {
		if !has(part.ResourceAttribute) {
			return false
		}
	}
	return has(s.key.ResourceAttribute)
}

// fitsSpan tells whether a span that the resource allows is of the stage.
func (s *stage) fitsSpan(span ptrace.Span, resource pcommon.Map) bool {
	if len(s.Attributes) == 0 {
		return true // without the cost of an iteration
	}
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
