package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// knownKey is what is known of an attribute's key.
type knownKey struct {
	decision *naming.AttributeDecision // nil: nothing to do
	rekeys   bool                      // the key changes, or goes
	anyValue bool
	// Where not all values may be what they are: the type of which all may, or noType,
	// and the last text that may.
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
	*k = newKnownKey(w.decisions.attribute(owner, key))
	return k
}

// textFits reports whether a text that is not empty is known to be conformant.
func (w *walk) textFits(k *knownKey, text string) bool {
	return len(text) <= w.maxValueBytes && (k.anyValue || k.typed == pcommon.ValueTypeStr || text == k.fine)
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
