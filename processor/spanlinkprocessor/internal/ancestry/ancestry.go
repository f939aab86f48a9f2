// SPDX-License-Identifier: Apache-2.0

// Package ancestry finds the ancestors of spans in a batch.
package ancestry

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// ID is the id of a span.
type ID struct {
	Trace pcommon.TraceID
	Span  pcommon.SpanID
}

// Batch knows the ancestors of the spans of a batch. It reads the batch when it is first asked,
// which is rare. The zero Batch has no spans.
type Batch struct {
	// Parents returns the spans of the batch, each with its parent. It is nil if there is no batch.
	Parents iter.Seq2[ID, ID]
	nodes   map[ID]node // nil: not read yet
}

// node is a span in its trace. Its descendants are the spans that a depth-first walk enters
// between the node's entry and its exit.
type node struct {
	parent      ID
	entry, exit int32
}

// IsAbove reports whether above is an ancestor of below in the batch.
func (b *Batch) IsAbove(above, below ID) bool {
	if !b.find() {
		return false
	}
	one, ok := b.nodes[above]
	if !ok {
		return false
	}
	other, ok := b.nodes[below]
	return ok && one.entry < other.entry && other.entry < one.exit
}

// maxAncestors is how many ancestors AncestorsOf returns at the most.
const maxAncestors = 64

// AncestorsOf returns the ancestors that the batch has, the nearest first.
func (b *Batch) AncestorsOf(id ID) (above []ID) {
	if !b.find() {
		return nil
	}
	for range maxAncestors {
		id = b.nodes[id].parent
		if id.Span.IsEmpty() {
			break
		}
		above = append(above, id)
	}
	return above
}

// find reads the batch once. It returns false if there is none.
func (b *Batch) find() bool {
	if b.nodes != nil || b.Parents == nil {
		return b.nodes != nil
	}
	b.nodes = map[ID]node{}
	below := map[ID][]ID{}
	for id, parent := range b.Parents {
		if _, again := b.nodes[id]; !again {
			b.nodes[id] = node{parent: parent}
			below[parent] = append(below[parent], id)
		}
	}
	b.number(below)
	return true
}

// number walks down each trace, from the spans whose parents are not in the batch. It does not
// reach spans whose parents form a circle, so that these have no descendants.
func (b *Batch) number(below map[ID][]ID) {
	count := int32(0)
	var path []ID
	for parent := range below {
		if _, here := b.nodes[parent]; here {
			continue
		}
		path = append(path, below[parent]...)
		for len(path) > 0 {
			id := path[len(path)-1]
			n := b.nodes[id]
			count++
			if n.entry == 0 {
				n.entry = count
				path = append(path, below[id]...)
			} else {
				n.exit = count
				path = path[:len(path)-1]
			}
			b.nodes[id] = n
		}
	}
}
