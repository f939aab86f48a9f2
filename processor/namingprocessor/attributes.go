package namingprocessor

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// rekey is one attribute whose key changes.
type rekey struct {
	from, to string
	rule     naming.Rule
}

// attributes makes the keys of one map conformant and tells whether nothing had
// to change. Where the conformant key is taken already, both attributes stay as
// they are: no value is lost, and no two series become one.
func (w *walk) attributes(attrs pcommon.Map, system *naming.System) (conformant bool) {
	renames := system.AttributeRenames()
	w.pending = w.pending[:0]
	for key := range attrs.All() {
		if to, ok := renames[key]; ok {
			w.pending = append(w.pending, rekey{key, to, naming.AttributeRename})
		} else if naming.NeedsForm(key) {
			w.pending = append(w.pending, rekey{key, w.decisions.form(key), naming.AttributeKeyForm})
		}
	}
	if len(w.pending) == 0 {
		return true
	}
	// Of two keys that become one the first in order wins, whatever their order
	// in the map.
	slices.SortFunc(w.pending, func(a, b rekey) int { return strings.Compare(a.from, b.from) })
	for _, r := range w.pending {
		w.rekey(attrs, r, system)
	}
	return false
}

func (w *walk) rekey(attrs pcommon.Map, r rekey, system *naming.System) {
	if r.to == "" {
		w.violation(naming.Unnameable, system)
		return
	}
	if _, taken := attrs.Get(r.to); taken {
		w.violation(naming.AttributeCollision, system)
		return
	}
	// Removing first leaves room for the new key, so that nothing is allocated.
	value, _ := attrs.Get(r.from)
	value.MoveTo(w.scratch)
	attrs.Remove(r.from)
	w.scratch.MoveTo(attrs.PutEmpty(r.to))
	w.change(r.rule, system)
}
