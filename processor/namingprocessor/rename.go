package namingprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// renaming is what becomes of maps with the keys that a memo remembers. A pdata
// map cannot change a key in place, and each put searches all keys for its own. So
// the values move to a map that has the new keys already.
type renaming struct {
	state    renamingState
	template pcommon.Map // the new keys, without values
	rules    []naming.Rule
	// What the values at hand move to: a map with the new keys, whose room was the last
	// map's.
	spare, last pcommon.Map
	batch       uint64          // that from and to are of
	from, to    []pcommon.Value // of the map at hand, and of the spare one
}

type renamingState uint8

const (
	renamingNew        renamingState = iota // the keys have changed
	renamingSeen                            // they were seen once: it is not worth learning yet
	renamingSimple                          // learned
	renamingNotInPlace                      // an attribute goes, or two keys become one
)

// learn prepares the renaming of maps with these keys.
func (r *renaming) learn(keys []memoKey) {
	*r = renaming{state: renamingNotInPlace, template: pcommon.NewMap(), rules: r.rules[:0], spare: r.spare, last: r.last, from: r.from, to: r.to}
	for _, k := range keys {
		key := k.key
		if d := k.decision; d != nil {
			if d.Sensitive == conventions.SensitiveRemove || d.Rule == naming.Unnameable {
				return
			}
			if key = d.Key; d.Rule != naming.Conformant {
				r.rules = append(r.rules, d.Rule)
			}
		}
		if _, taken := r.template.GetOrPutEmpty(key); taken {
			return
		}
	}
	if r.spare == (pcommon.Map{}) {
		r.spare, r.last = pcommon.NewMap(), pcommon.NewMap()
	}
	r.state = renamingSimple
}

// renameInPlace gives the attributes that a memo remembers their new keys, and
// tells whether it could.
func (w *walk) renameInPlace(attrs pcommon.Map, m *memo) bool {
	r := &m.rename
	switch r.state {
	case renamingNew:
		r.state = renamingSeen
	case renamingSeen:
		r.learn(m.keys)
	}
	if r.state != renamingSimple || attrs.Len() != len(m.keys) {
		return false
	}
	if r.batch != w.batch {
		r.begin(w.batch)
	}
	move(attrs, r.from, r.to)
	attrs.MoveTo(r.last)
	r.spare.MoveTo(attrs)
	r.spare, r.last = r.last, r.spare
	// The room of this map is for the next one. It has the length of the template, so
	// that its values stay where they are.
	r.template.CopyTo(r.spare)
	r.from, r.to = r.to, r.from
	for _, rule := range r.rules {
		w.change(rule, m.owner)
	}
	return true
}

// begin finds the values of the spare map. Those of another batch may belong to
// data that is read-only by now.
func (r *renaming) begin(batch uint64) {
	r.batch = batch
	r.template.CopyTo(r.spare)
	r.to = r.to[:0]
	for _, value := range r.spare.All() {
		r.to = append(r.to, value)
	}
	r.from = slices.Grow(r.from[:0], len(r.to))[:len(r.to)]
}

// move moves the values of a map, and notes where they were.
func move(attrs pcommon.Map, from, to []pcommon.Value) {
	i := 0
	for _, value := range attrs.All() {
		from[i] = value
		value.MoveTo(to[i])
		i++
	}
}
