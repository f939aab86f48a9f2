// SPDX-License-Identifier: Apache-2.0

package weaver

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// reader reads the files of a registry one after the other.
type reader struct {
	groups, metrics, attributes *names
	read                        *Registry
	// open means that names may be declared in another registry on which this one depends.
	open   bool
	faults []error
}

func (r *reader) fail(where place, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...)))
}

func (r *reader) readGroups(file string, root *yaml.Node) {
	top := r.fields(file, root, "registry file")
	if top.values != nil && top.get("groups") == nil {
		r.fail(top.place, "groups: missing: not a file of a registry in format v1")
	}
	for _, node := range top.list("groups") {
		r.readGroup(r.fields(file, node, "group"))
	}
}

func (r *reader) readGroup(g fields) {
	if g.values == nil {
		return
	}
	r.declare(r.groups, g.required("id"), word{})
	kind := g.oneOf("type", "attribute_group", "entity", "event", "metric", "metric_group", "resource", "scope", "span", "undefined")
	// Registries from before 2024 have a common prefix of a group's keys.
	prefix := g.text("prefix").text
	if prefix != "" {
		prefix += "."
	}
	for _, node := range g.list("attributes") {
		r.readAttribute(r.fields(g.place.file, node, "attribute"), prefix)
	}
	if kind == "metric" {
		name := g.required("metric_name")
		if name.text == "" {
			return
		}
		r.declare(r.metrics, name, r.readRenamedTo(g))
		r.read.Metrics[name.text] = Metric{
			Instrument: g.oneOf("instrument", "counter", "gauge", "histogram", "updowncounter"),
			Unit:       g.text("unit").text,
		}
	}
}

func (r *reader) readAttribute(a fields, prefix string) {
	if a.values == nil || a.get("ref") != nil {
		return // a reference to an attribute
	}
	key := a.required("id")
	if key.text == "" {
		return
	}
	key.text = prefix + key.text
	r.declare(r.attributes, key, r.readRenamedTo(a))
	r.read.Attributes[key.text] = r.readType(a)
}

// readRenamedTo returns the new name of a deprecated name. Older registries give the reason as text, from
// which no rule can be made.
func (r *reader) readRenamedTo(f fields) word {
	node := f.get("deprecated")
	if node == nil || node.ShortTag() == "!!str" {
		return word{}
	}
	d := r.fields(f.place.file, node, "deprecated")
	if d.text("reason").text == "renamed" {
		return d.required("renamed_to")
	}
	return word{}
}

// declare records a name. It ignores an empty name, whose fault was recorded before.
func (r *reader) declare(names *names, name, renamedTo word) {
	if name.text == "" {
		return
	}
	if err := names.declare(name, renamedTo); err != nil {
		r.faults = append(r.faults, err)
	}
}

// rename checks all renames and replaces them by the current names.
func (r *reader) rename() {
	r.faults = append(r.metrics.check(r.open), r.attributes.check(r.open)...)
	if len(r.faults) > 0 {
		return
	}
	for name, metric := range r.read.Metrics {
		metric.RenamedTo = r.metrics.renamedTo(name)
		r.read.Metrics[name] = metric
	}
	for key, attribute := range r.read.Attributes {
		attribute.RenamedTo = r.attributes.renamedTo(key)
		r.read.Attributes[key] = attribute
	}
}
