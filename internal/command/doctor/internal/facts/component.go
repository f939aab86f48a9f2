// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"slices"

	"go.opentelemetry.io/collector/component"
)

// Sections of a configuration that declare components.
const (
	Receivers  = "receivers"
	Processors = "processors"
	Exporters  = "exporters"
	Connectors = "connectors"
	Extensions = "extensions"
)

// Component is a component that the configuration declares.
type Component struct {
	Section string
	ID      component.ID
	// Type is the component's current type. The ID may contain a deprecated one.
	Type component.Type
	// Known reports whether this distribution has the component.
	Known bool
	// Readable reports whether its settings can be read.
	Readable bool
	// Used reports whether it runs: in a pipeline, or as an extension of the service.
	Used bool
	// Levels are the levels of its settings, outer levels first. There is at least one.
	Levels []Settings

	feeds, fedBy []*Pipeline // the pipelines that have it as a receiver, and as an exporter
}

// Path returns the path of a setting of the component.
func (c *Component) Path(setting ...string) []string {
	return Below([]string{c.Section, c.ID.String()}, setting...)
}

// Settings returns the outermost level of the component's settings.
func (c *Component) Settings() Settings { return c.Levels[0] }

// Is reports whether the component has one of these types.
func (c *Component) Is(types ...string) bool { return slices.Contains(types, c.Type.String()) }

// IsOf returns a function that reports whether a component has one of these types.
func IsOf(types ...string) func(*Component) bool {
	return func(c *Component) bool { return c.Is(types...) }
}

// Used returns the running components of sections, or of all sections.
func (c *Configuration) Used(sections ...string) (used []*Component) {
	for _, declared := range c.Components {
		if declared.Used && (len(sections) == 0 || slices.Contains(sections, declared.Section)) {
			used = append(used, declared)
		}
	}
	return used
}

func (c *Configuration) find(section string, id component.ID) *Component {
	return c.byName[Name([]string{section, id.String()})]
}
