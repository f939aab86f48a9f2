package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/keycache"
)

// rekey gives the attributes of any map their keys and removes those that must not
// travel. Where a key is taken, the attribute that would have it stays as it came:
// no value is lost, and no two series become one. Only one whose key is too long goes,
// since it cannot stay. The map is built anew, because each put into one searches all
// its keys.
func (w *walk) rekey(attrs pcommon.Map, keys *keycache.Cache[knownKey], owner *naming.System) {
	w.rival(attrs, keys, owner)
	w.builder.EnsureCapacity(attrs.Len())
	i := -1
	for key, value := range attrs.All() {
		i++
		d := w.decisionAt(keys, owner, i, key)
		switch {
		case d == nil:
		case d.Sensitive == conventions.SensitiveRemove:
			w.change(naming.AttributeSensitive, owner)
			continue
		case d.Rule == naming.Conformant:
		case d.Rule == naming.Unnameable:
			w.violation(naming.Unnameable, owner)
		case w.winners[d.Key] != key && len(key) > naming.MaxName:
			w.change(naming.AttributeCollision, owner)
			continue
		case w.winners[d.Key] != key:
			w.violation(naming.AttributeCollision, owner)
		default:
			w.winners[d.Key] = taken // should the same key come again
			w.change(d.Rule, owner)
			if d.Rule == naming.NameLength {
				w.explainLength(key, d.Key, owner)
			}
			key = d.Key
		}
		value.MoveTo(w.builder.AppendEmpty(key))
	}
	w.builder.UnsafeIntoMap(attrs)
	clear(w.winners)
}

// taken is in the place of a winner where none is to have the key. No attribute
// without a key is ever renamed.
const taken = ""

// rival finds which attribute is to have each new key: none where one has it
// already, else of two the first in order, whatever their order in the map.
func (w *walk) rival(attrs pcommon.Map, keys *keycache.Cache[knownKey], owner *naming.System) {
	i := -1
	for key := range attrs.All() {
		i++
		if d := w.decisionAt(keys, owner, i, key); renames(d) {
			if winner, ok := w.winners[d.Key]; !ok || key < winner {
				w.winners[d.Key] = key
			}
		}
	}
	i = -1
	for key := range attrs.All() {
		i++
		if d := w.decisionAt(keys, owner, i, key); renames(d) || d != nil && d.Sensitive == conventions.SensitiveRemove {
			continue
		}
		if _, ok := w.winners[key]; ok {
			w.winners[key] = taken
		}
	}
}

// decisionAt returns the decision for a key that attributes has just looked at.
func (w *walk) decisionAt(keys *keycache.Cache[knownKey], owner *naming.System, i int, key string) *naming.AttributeDecision {
	if k, _ := keys.At(i, key); k != nil {
		return k.decision
	}
	return w.decisions.attribute(owner, key)
}

// renames reports whether a decision gives an attribute another key.
func renames(d *naming.AttributeDecision) bool {
	return d != nil && d.Sensitive != conventions.SensitiveRemove && d.Rule != naming.Conformant && d.Rule != naming.Unnameable
}
