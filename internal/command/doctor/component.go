// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
)

// Sections of a configuration that declare components.
const (
	receivers  = "receivers"
	processors = "processors"
	exporters  = "exporters"
	connectors = "connectors"
	extensions = "extensions"
)

// declared is a component that the configuration declares.
type declared struct {
	section string
	id      component.ID
	// typ is the component's current type. The ID may contain a deprecated one.
	typ    component.Type
	config component.Config
}

// path returns the path of a setting of the component.
func (d declared) path(setting ...string) []string {
	return below([]string{d.section, d.id.String()}, setting...)
}

// groups returns the levels of the component's settings with their full paths.
func (d declared) groups() []group {
	all := groups(d.config)
	for i := range all {
		all[i].path = d.path(all[i].path...)
	}
	return all
}

// top returns the outermost level of the component's settings.
func (d declared) top() group { return d.groups()[0] }

// declared returns a section's components in the order of their names.
func (c *configuration) declared(section string) []declared {
	var configs map[component.ID]component.Config
	var typeOf func(component.Type) component.Type
	switch section {
	case receivers:
		configs, typeOf = c.Receivers, ownType(c.factories.Receivers)
	case processors:
		configs, typeOf = c.Processors, ownType(c.factories.Processors)
	case exporters:
		configs, typeOf = c.Exporters, ownType(c.factories.Exporters)
	case connectors:
		configs, typeOf = c.Connectors, ownType(c.factories.Connectors)
	case extensions:
		configs, typeOf = c.Extensions, ownType(c.factories.Extensions)
	}
	all := make([]declared, 0, len(configs))
	for id, config := range configs {
		all = append(all, declared{section: section, id: id, typ: typeOf(id.Type()), config: config})
	}
	slices.SortFunc(all, func(a, b declared) int { return strings.Compare(a.id.String(), b.id.String()) })
	return all
}

// ownType returns a function that maps any name of a component type to the current one.
func ownType[F component.Factory](factories map[component.Type]F) func(component.Type) component.Type {
	return func(name component.Type) component.Type {
		if factory, ok := factories[name]; ok {
			return factory.Type()
		}
		return name
	}
}

// all returns the components of all sections.
func (c *configuration) all() []declared {
	var all []declared
	for _, section := range []string{extensions, receivers, processors, exporters, connectors} {
		all = append(all, c.declared(section)...)
	}
	return all
}

// used returns the running components of these sections: those in a pipeline, and the extensions of the
// service.
func (c *configuration) used(sections ...string) []declared {
	var used []declared
	for _, section := range sections {
		for _, d := range c.declared(section) {
			if slices.Contains(c.Service.Extensions, d.id) && section == extensions ||
				slices.ContainsFunc(c.pipelines, func(p *pipeline) bool { return p.has(d) }) {
				used = append(used, d)
			}
		}
	}
	return used
}
