package conventions

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// registry is what is read of a semantic-convention registry.
type registry struct {
	groups         *registryNames
	metricNames    *registryNames
	attributeNames *registryNames
	metrics        map[string]registryMetric
	attributes     map[string]registryAttribute
	// open says that names can be declared elsewhere, in a registry that this
	// one depends on.
	open   bool
	faults []error
}

func newRegistry() *registry {
	return &registry{
		groups:         newRegistryNames("group"),
		metricNames:    newRegistryNames("metric"),
		attributeNames: newRegistryNames("attribute"),
		metrics:        map[string]registryMetric{},
		attributes:     map[string]registryAttribute{},
	}
}

// registryMetric is what a registry says of a metric besides its name.
type registryMetric struct{ instrument, unit string }

func (r *registry) fail(at place, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s: %w", at, fmt.Errorf(format, args...)))
}

func (r *registry) readGroups(file string, doc *yaml.Node) {
	top := r.fields(file, doc, "registry file")
	if top.values != nil && top.get("groups") == nil {
		r.fail(top.place, "groups: missing: not a file of a registry in format v1")
	}
	for _, node := range top.list("groups") {
		r.readGroup(r.fields(file, node, "group"))
	}
}

func (r *registry) readGroup(g fields) {
	if g.values == nil {
		return
	}
	r.declare(r.groups, g.required("id"), word{})
	kind := g.oneOf("type", "attribute_group", "entity", "event", "metric", "metric_group", "resource", "scope", "span", "undefined")
	// Registries of before 2024 write what a group's keys begin with once.
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
		r.declare(r.metricNames, name, r.readRenamedTo(g))
		r.metrics[name.text] = registryMetric{
			instrument: g.oneOf("instrument", "counter", "gauge", "histogram", "updowncounter"),
			unit:       g.text("unit").text,
		}
	}
}

func (r *registry) readAttribute(a fields, prefix string) {
	if a.values == nil || a.get("ref") != nil {
		return // a use of an attribute that is declared elsewhere
	}
	key := a.required("id")
	if key.text == "" {
		return
	}
	key.text = prefix + key.text
	r.declare(r.attributeNames, key, r.readRenamedTo(a))
	r.attributes[key.text] = r.readType(a)
}

// readRenamedTo reads the new name of what is deprecated. An older registry says
// why in words, which no rule can be made of.
func (r *registry) readRenamedTo(f fields) word {
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

// declare records a name. The empty name is one whose fault is recorded already.
func (r *registry) declare(names *registryNames, name, renamedTo word) {
	if name.text == "" {
		return
	}
	if err := names.declare(name, renamedTo); err != nil {
		r.faults = append(r.faults, err)
	}
}

func (r *registry) checkRenames() {
	r.faults = append(r.faults, r.metricNames.check(r.open)...)
	r.faults = append(r.faults, r.attributeNames.check(r.open)...)
}
