// SPDX-License-Identifier: Apache-2.0

package weaver

import (
	"errors"
	"fmt"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
)

// reader reads the files of a registry one after the other.
type reader struct {
	metrics, attributes *names
	read                *Registry
	// open means that names may be declared in another registry on which this one depends.
	open bool
}

// group is a group of a registry's file.
type group struct {
	Type string `yaml:"type"`
	// Prefix is the common prefix of the group's keys in registries from before 2024.
	Prefix     string            `yaml:"prefix"`
	Metric     word              `yaml:"metric_name"`
	Instrument string            `yaml:"instrument"`
	Unit       string            `yaml:"unit"`
	Deprecated deprecated        `yaml:"deprecated"`
	Attributes []attributeInFile `yaml:"attributes"`
}

// attributeInFile is an attribute of a group: a declaration, or a reference to one.
type attributeInFile struct {
	ID         word       `yaml:"id"`
	Ref        string     `yaml:"ref"`
	Type       valueType  `yaml:"type"`
	Deprecated deprecated `yaml:"deprecated"`
}

func (r *reader) readGroups(from document.File) (faults []error) {
	file := from.Path
	var registry struct {
		Groups []group `yaml:"groups"`
	}
	if err := readFile(from, &registry); err != nil {
		return []error{err}
	}
	if registry.Groups == nil {
		return []error{fmt.Errorf("%s: groups: missing: not a file of a registry in format v1", file)}
	}
	for _, g := range registry.Groups {
		if g.Type == "metric" && g.Metric.text != "" {
			faults = append(faults, r.metrics.declare(file, g.Metric, g.Deprecated))
			r.read.Metrics[g.Metric.text] = Metric{Instrument: g.Instrument, Unit: g.Unit}
		}
		for _, a := range g.Attributes {
			if a.Ref != "" || a.ID.text == "" {
				continue
			}
			if g.Prefix != "" {
				a.ID.text = g.Prefix + "." + a.ID.text
			}
			faults = append(faults, r.attributes.declare(file, a.ID, a.Deprecated))
			r.read.Attributes[a.ID.text] = Attribute(a.Type)
		}
	}
	if errors.Join(faults...) == nil {
		return nil
	}
	return faults
}

// rename checks all renames and replaces them by the current names.
func (r *reader) rename() []error {
	if faults := append(r.metrics.check(r.open), r.attributes.check(r.open)...); len(faults) > 0 {
		return faults
	}
	for name, metric := range r.read.Metrics {
		metric.RenamedTo, _ = r.metrics.current(name)
		r.read.Metrics[name] = metric
	}
	for key, attribute := range r.read.Attributes {
		attribute.RenamedTo, _ = r.attributes.current(key)
		r.read.Attributes[key] = attribute
	}
	return nil
}

// names holds the names of one kind that a registry declares.
type names struct {
	kind     string
	declared map[string]declaration
	// order is the order in the files, for the order of errors.
	order []string
}

// declaration is where a name is declared, and its new name if it is deprecated.
type declaration struct{ place, renamedTo string }

func newNames(kind string) *names {
	return &names{kind: kind, declared: map[string]declaration{}}
}

func (n *names) declare(file string, name word, renamed deprecated) error {
	place := fmt.Sprintf("%s:%d", file, name.line)
	if first, ok := n.declared[name.text]; ok {
		return fmt.Errorf("%s: %s %q is declared a second time, first at %s", place, n.kind, name.text, first.place)
	}
	n.declared[name.text] = declaration{place, renamed.to}
	n.order = append(n.order, name.text)
	return nil
}

// check reports renames to undeclared names and cycles. In an open registry, the new name may be declared
// elsewhere.
func (n *names) check(open bool) (faults []error) {
	for _, name := range n.order {
		d := n.declared[name]
		if _, ok := n.declared[d.renamedTo]; !ok && d.renamedTo != "" && !open {
			faults = append(faults, fmt.Errorf("%s: renamed_to: no %s is called %q", d.place, n.kind, d.renamedTo))
		}
		if _, ok := n.current(name); !ok {
			faults = append(faults, fmt.Errorf("%s: renamed_to: %s %q is renamed in a cycle (got %q)", d.place, n.kind, name, d.renamedTo))
		}
	}
	return faults
}

// current returns the name after the last rename, or an empty string for a name that is current itself. It is not ok
// for renames in a cycle.
func (n *names) current(name string) (current string, ok bool) {
	for range len(n.order) + 1 {
		to := n.declared[name].renamedTo
		if to == "" {
			return current, true
		}
		name, current = to, to
	}
	return "", false
}
