package weaver

import (
	"fmt"
	"slices"
	"strings"
)

// names are the names of one kind that a registry declares, and what they were renamed
// to.
type names struct {
	kind     string
	declared map[string]place
	renamed  map[string]word
	// order is that of the files, for errors in that order.
	order []string
}

func newNames(kind string) *names {
	return &names{kind: kind, declared: map[string]place{}, renamed: map[string]word{}}
}

// declare adds a name. RenamedTo is the zero word for a name in force.
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

// check finds the renames to nowhere and those in a circle. In an open registry
// a new name can be another's.
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
		// Every name of a circle finds it; the first of them reports it.
		if circle := n.circle(name); circle != nil && name == slices.Min(circle) {
			faults = append(faults, fmt.Errorf("%s: renamed_to: %s %q is renamed in a circle: %s",
				to.place, n.kind, name, strings.Join(append(circle, name), " → ")))
		}
	}
	return faults
}

// circle returns the names from one back to itself, or nil.
func (n *names) circle(name string) []string {
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

// renamedTo returns the name in force, that of the last rename, or nothing where the name
// itself is in force. The names were checked.
func (n *names) renamedTo(name string) (current string) {
	for {
		to, ok := n.renamed[name]
		if !ok {
			return current
		}
		name, current = to.text, to.text
	}
}
