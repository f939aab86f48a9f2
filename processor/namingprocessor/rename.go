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
	changes  []change    // what the tally counts of each map
	// What the values at hand move to: a map with the new keys, whose room was the last
	// map's.
	spare, last pcommon.Map
	batch       uint64          // that to is of, or 0
	to          []pcommon.Value // the values of the spare map
}

// change is how many keys of a map change for one rule.
type change struct {
	slot  int
	count int64
}

type renamingState uint8

const (
	renamingNew        renamingState = iota // the keys have changed
	renamingSeen                            // they were seen once: it is not worth learning yet
	renamingSimple                          // learned
	renamingNotInPlace                      // an attribute goes, or two keys become one
)

// learn prepares the renaming of maps with these keys.
func (r *renaming) learn(keys []memoKey, owner *naming.System) {
	*r = renaming{state: renamingNotInPlace, template: pcommon.NewMap(), changes: r.changes[:0], spare: r.spare, last: r.last, to: r.to}
	for _, k := range keys {
		key := k.key
		if d := k.decision; d != nil {
			if d.Sensitive == conventions.SensitiveRemove || d.Rule == naming.Unnameable {
				return
			}
			if key = d.Key; d.Rule != naming.Conformant {
				r.changed(slot(d.Rule, owner))
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

// changed counts one more key that changes.
func (r *renaming) changed(slot int) {
	i := slices.IndexFunc(r.changes, func(c change) bool { return c.slot == slot })
	if i < 0 {
		i = len(r.changes)
		r.changes = append(r.changes, change{slot: slot})
	}
	r.changes[i].count++
}

// learn has a memo learn the renaming of its keys, once they were seen twice.
func (m *memo) learn() {
	switch m.rename.state {
	case renamingNew:
		m.rename.state = renamingSeen
	case renamingSeen:
		m.rename.learn(m.keys, m.owner)
	}
}

// foresees tells whether a map is likely to have the keys whose renaming was learned.
func (m *memo) foresees(attrs pcommon.Map) bool {
	return m.rename.state == renamingSimple && !m.fresh && attrs.Len() == len(m.keys)
}

// renameInPlace is values for a map that is likely to have the keys that a memo
// remembers: the values move as they are looked at. Where a key is another one the memo
// knows it from then on, and all values move back.
func (w *walk) renameInPlace(attrs pcommon.Map, m *memo) (renamed, conformant bool) {
	r := &m.rename
	if r.batch != w.batch {
		r.begin(w.batch)
	}
	conformant = true
	to, i := r.to, 0
	for key, value := range attrs.All() {
		k := &m.keys[i]
		if k.key != key {
			k = w.remember(m, i, key)
		}
		if text := value.Str(); text != "" {
			if !w.textFits(k, text) {
				conformant = w.check(k, value, m.owner) && conformant
			}
		} else if !k.typeFits(value.Type()) {
			conformant = w.check(k, value, m.owner) && conformant
		}
		value.MoveTo(to[i])
		to[i] = value // the place is for the next map
		i++
	}
	if m.fresh {
		r.giveBack()
		return false, conformant
	}
	attrs.MoveTo(r.last)
	r.spare.MoveTo(attrs)
	r.spare, r.last = r.last, r.spare
	// The room has the length of the template, so that its values stay where they are.
	r.template.CopyTo(r.spare)
	for _, c := range r.changes {
		w.changes[c.slot] += c.count
	}
	return true, false
}

// giveBack moves the values of the spare map to where they were.
func (r *renaming) giveBack() {
	i := 0
	for _, value := range r.spare.All() {
		value.MoveTo(r.to[i])
		i++
	}
	r.batch = 0
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
}
