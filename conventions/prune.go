// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// pruned is a document without the parts that violate the schema, so that the rest can be checked too.
type pruned struct {
	root *yaml.Node
	// kept are the indexes that the items of a shortened list had, by the list.
	kept map[*yaml.Node][]int
}

// maxPrunings ends the search for a valid rest. A list or a mapping that becomes too small is removed in
// the next round.
const maxPrunings = 8

// prune removes the parts of a document that violate the schema of packs. It returns nil if that leaves
// nothing to check.
func prune(root *yaml.Node, violations []violation) *pruned {
	p := &pruned{root: root, kept: map[*yaml.Node][]int{}}
	for range maxPrunings {
		places := placesOf(p.root, violations)
		if len(places) == 0 {
			return p
		}
		var cut bool
		if p.root, cut = p.without(p.root, places); !cut {
			return nil
		}
		var err error
		if violations, err = validate(p.root, packSchema()); err != nil {
			return nil
		}
	}
	return nil
}

// place is a tree of the steps that lead to the parts to remove. A place without steps is such a part.
type place map[string]place

// placesOf returns the parts to remove: for each violation the item of the outermost list, or else the key.
// What the root lacks cannot be removed.
func placesOf(root *yaml.Node, violations []violation) place {
	all := place{}
	for _, v := range violations {
		steps := v.at
		if v.unknown != "" {
			steps = append(slices.Clone(steps), v.unknown)
		}
		all.add(root, steps)
	}
	return all
}

func (p place) add(node *yaml.Node, steps []string) {
	for i, step := range steps {
		next, known := p[step]
		switch {
		case known && len(next) == 0:
			return // the part around it is removed
		case i == len(steps)-1 || isList(node):
			p[step] = place{}
			return
		case !known:
			next = place{}
			p[step] = next
		}
		p, node = next, childOf(node, step)
	}
}

func isList(node *yaml.Node) bool { return node != nil && resolved(node).Kind == yaml.SequenceNode }

func resolved(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// childOf returns the value of a key, or nil.
func childOf(node *yaml.Node, key string) *yaml.Node {
	if node == nil {
		return nil
	}
	if node = resolved(node); node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// without returns a copy of a node without the parts at some places, and whether it had one.
func (p *pruned) without(node *yaml.Node, places place) (*yaml.Node, bool) {
	if len(places) == 0 {
		return node, false
	}
	node = resolved(node)
	rest, cut := *node, false
	rest.Content, rest.Anchor = nil, ""
	before := p.kept[node]
	var kept []int
	for i := 0; i < len(node.Content); i++ {
		step, item := strconv.Itoa(i), node.Content[i]
		if node.Kind == yaml.MappingNode {
			step = item.Value
			i++
			item = node.Content[i]
		}
		part, listed := places[step]
		if listed && len(part) == 0 {
			cut = true
			continue
		}
		if listed {
			var below bool
			item, below = p.without(item, part)
			cut = cut || below
		}
		switch {
		case node.Kind == yaml.MappingNode:
			rest.Content = append(rest.Content, node.Content[i-1])
		case before != nil:
			kept = append(kept, before[i])
		default:
			kept = append(kept, i)
		}
		rest.Content = append(rest.Content, item)
	}
	if node.Kind == yaml.SequenceNode {
		p.kept[&rest] = kept
	}
	return &rest, cut
}

// original returns a path as it was before the pruning.
func (p *pruned) original(steps path) path {
	all, node := slices.Clone(steps), p.root
	for i, step := range steps {
		if node == nil {
			break
		}
		if n, ok := step.(int); ok && isList(node) {
			if kept := p.kept[resolved(node)]; n < len(kept) {
				all[i] = kept[n]
			}
			if list := resolved(node).Content; n < len(list) {
				node = list[n]
				continue
			}
		}
		key, _ := step.(string)
		node = childOf(node, key)
	}
	return all
}
