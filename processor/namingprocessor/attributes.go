package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/keycache"
)

// knownKey is what is known of an attribute's key.
type knownKey struct {
	decision *naming.AttributeDecision // nil: nothing to do
	rekeys   bool                      // the key changes, or goes
	anyValue bool
	// If not all values are conformant: the type whose values all are, or noType, and the
	// last text that was.
	typed pcommon.ValueType
	fine  string
}

const noType pcommon.ValueType = -1

// maxFine bounds the texts that are kept from one batch to the next.
const maxFine = 64

func newKnownKey(d *naming.AttributeDecision) knownKey {
	if d == nil {
		return knownKey{anyValue: true, typed: noType}
	}
	typed := noType
	if d.Type != "" && d.Allowed == nil && d.Sensitive == "" {
		typed = attributes.TypeOf(d.Type)
	}
	rekeys := d.Rule != naming.Conformant || d.Sensitive == conventions.SensitiveRemove
	return knownKey{decision: d, rekeys: rekeys, anyValue: d.AnyValue, typed: typed}
}

// attributes makes the attributes of one map conformant and reports whether they were.
func (w *walk) attributes(attrs pcommon.Map, owner *naming.System) (conformant bool) {
	keys := w.keys.Of(owner.Index(), attrs)
	conformant, rekeys := true, false
	i := 0
	for key, value := range attrs.All() {
		k, known := keys.At(i, key)
		if !known {
			k = w.learn(k, key, owner)
		}
		i++
		rekeys = rekeys || k.rekeys
		if text := value.Str(); text != "" {
			if w.textFits(k, text) {
				continue
			}
		} else if k.typeFits(value.Type()) {
			continue
		}
		conformant = w.check(k, value, owner) && conformant
	}
	if rekeys {
		w.rekey(attrs, keys, owner)
		return false
	}
	return conformant
}

// learn decides about a key that is not known. It has no place to keep it if k is nil.
func (w *walk) learn(k *knownKey, key string, owner *naming.System) *knownKey {
	if k == nil {
		k = new(knownKey)
	}
	*k = newKnownKey(w.known.Attribute(owner, key))
	return k
}

// textFits reports whether a text that is not empty is known to be conformant.
func (w *walk) textFits(k *knownKey, text string) bool {
	return len(text) <= w.p.maxValueBytes && (k.anyValue || k.typed == pcommon.ValueTypeStr || text == k.fine)
}

// typeFits reports whether all values of a type are conformant. The size cap is no
// concern of these types.
func (k *knownKey) typeFits(t pcommon.ValueType) bool {
	return t < pcommon.ValueTypeMap && (k.anyValue || k.typed == t)
}

// check makes a value conformant and reports whether it was.
func (w *walk) check(k *knownKey, value pcommon.Value, owner *naming.System) (conformant bool) {
	if k.anyValue {
		return w.fitValue(value, owner)
	}
	conformant = w.value(k.decision, value, owner)
	if text := value.Str(); conformant && len(text) <= maxFine {
		k.fine = text
	}
	return conformant
}

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
	return w.known.Attribute(owner, key)
}

// renames reports whether a decision gives an attribute another key.
func renames(d *naming.AttributeDecision) bool {
	return d != nil && d.Sensitive != conventions.SensitiveRemove && d.Rule != naming.Conformant && d.Rule != naming.Unnameable
}
