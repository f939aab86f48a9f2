// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"maps"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Ownership selects the telemetry of a system. One match is enough.
type Ownership struct {
	// All selects all telemetry: the pack is about names, whoever sends them.
	All bool `yaml:"all"`
	// Resource are the resource attributes that select the system.
	Resource OwnedResources `yaml:"resource"`
	// Scopes are instrumentation scope names.
	Scopes []glob.Glob `yaml:"scopes"`
	// Metrics are original metric names that only this system sends.
	Metrics []glob.Glob `yaml:"metrics"`
	// Page are metric names that others could send too. A scraped page with all of them is the system's.
	Page []string `yaml:"page"`
	// Prefixes are the beginnings of the system's names beside its own name. Only Problems reads them.
	Prefixes []string `yaml:"prefixes"`
	// Spans are original span names that only this system sends.
	Spans []*regexp.Regexp `yaml:"spans"`
}

// Selects reports whether a system sends telemetry with this resource or scope. Attr looks up a resource
// attribute.
func (o *Ownership) Selects(attr func(key string) (value string, ok bool), scope string) bool {
	for i := range o.Resource {
		owned := &o.Resource[i]
		if value, ok := attr(owned.Key); ok && owned.Values.Match(value) {
			return true
		}
	}
	return o.SelectsScope(scope)
}

// SelectsResource reports whether a resource attribute selects the system.
func (o *Ownership) SelectsResource(key, value string) bool {
	return slices.ContainsFunc(o.Resource, func(owned OwnedResource) bool { return owned.Key == key && owned.Values.Match(value) })
}

// SelectsScope reports whether a scope selects the system.
func (o *Ownership) SelectsScope(scope string) bool { return glob.List(o.Scopes).Match(scope) }

// OwnedResources are resource attributes, sorted by key. In YAML they are a mapping from a key to values.
type OwnedResources []OwnedResource

// OwnedResource is a resource attribute with the values that select a system.
type OwnedResource struct {
	Key    string
	Values glob.List
}

// UnmarshalYAML reads a mapping from a key to values.
func (r *OwnedResources) UnmarshalYAML(node *yaml.Node) error {
	var byKey map[string][]glob.Glob
	if err := node.Decode(&byKey); err != nil {
		return err
	}
	*r = nil
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		*r = append(*r, OwnedResource{key, byKey[key]})
	}
	return nil
}

// Names is what the general rules do to the names of a system.
type Names string

// NamesKeep keeps the names of a system: only what its pack states changes them. With the zero
// value the general rules apply.
const NamesKeep Names = "keep"

// checkNames reports a choice without effect, because the pack owns no telemetry of its own.
func (c *checker) checkNames() {
	o := &c.Owns
	if c.Names != "" && len(o.Resource)+len(o.Scopes)+len(o.Metrics)+len(o.Spans) == 0 {
		c.fault(path{"names"}, "must be for telemetry of one system: owns has only all (got %q)", c.Names)
	}
}
