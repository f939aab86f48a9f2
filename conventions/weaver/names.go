// SPDX-License-Identifier: Apache-2.0

package weaver

import (
	"fmt"
	"slices"
	"strings"
)

// names holds the names of one kind that a registry declares, and their renames.
type names struct {
	kind     string
	declared map[string]place
	renamed  map[string]word
	// order is the order in the files, for the order of errors.
	order []string
}

func newNames(kind string) *names {
	return &names{kind: kind, declared: map[string]place{}, renamed: map[string]word{}}
}

// declare adds a name. renamedTo is the zero word for a current name.
func (n *names) declare(name, renamedTo word) error {
	if first, ok := n.declared[name.text]; ok {
		return fmt.Errorf("%s: %s %q is declared a second time, first at %s", name.place, n.kind, name.text, first)
	}
	n.declared[name.text] = name.place
	n.order = append(n.order, name.text)
	if renamedTo.text != "" {
		n.renamed[name.text] = renamedTo
	}
	return nil
}

// check reports renames to undeclared names and cycles. In an open registry, the new name may be declared
// elsewhere.
func (n *names) check(open bool) []error {
	var faults []error
	for _, name := range n.order {
		to, ok := n.renamed[name]
		if !ok {
			continue
		}
		if _, ok := n.declared[to.text]; !ok && !open {
			faults = append(faults, fmt.Errorf("%s: renamed_to: no %s is called %q", to.place, n.kind, to.text))
		}
		// Every name of a cycle finds it, but only the first one reports it.
		if cycle := n.cycle(name); cycle != nil && name == slices.Min(cycle) {
			faults = append(faults, fmt.Errorf("%s: renamed_to: %s %q is renamed in a cycle: %s",
				to.place, n.kind, name, strings.Join(append(cycle, name), " → ")))
		}
	}
	return faults
}

// cycle returns the names of the cycle that contains the name, or nil.
func (n *names) cycle(name string) []string {
	path := []string{name}
	for range n.renamed {
		to, ok := n.renamed[path[len(path)-1]]
		if !ok {
			return nil
		}
		if to.text == name {
			return path
		}
		path = append(path, to.text)
	}
	return nil
}

// renamedTo returns the current name, after the last rename, or an empty string for a current name. The
// names must have been checked.
func (n *names) renamedTo(name string) (current string) {
	for {
		to, ok := n.renamed[name]
		if !ok {
			return current
		}
		name, current = to.text, to.text
	}
}
