// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/attrvalue"
)

// knownKey holds what was decided about an attribute key.
type knownKey struct {
	decision *naming.AttributeDecision // nil: no rule for the attribute
	acts     bool                      // the map changes: rekeys or copies
	rekeys   bool                      // the key is renamed or removed
	exposes  bool                      // the new key is protected, and the original is not
	copies   bool                      // copies or lists are made of the attribute
	wins     bool                      // whether it gets its new key, in the map of Keys.SetWhole
	anyValue bool
	// typed is the type whose values are all conformant, or noType. lastText is the last text that was
	// conformant.
	typed    valueType
	lastText string
}

// valueType is a pcommon.ValueType in one byte, so that a knownKey is no larger than half a cache line.
type valueType int8

const noType valueType = -1

// maxLastText limits the size of the text that is kept from one batch to the next.
const maxLastText = 64

func newKnownKey(d *naming.AttributeDecision) knownKey {
	if d == nil {
		return knownKey{anyValue: true, typed: noType}
	}
	typed := noType
	if d.Type != "" && d.Allowed == nil && d.Sensitive == "" {
		typed = valueType(attrvalue.TypeOf(d.Type))
	}
	rekeys := d.Rule != naming.Conformant || d.Sensitive == conventions.SensitiveRemove
	return knownKey{decision: d, rekeys: rekeys, anyValue: d.AnyValue, typed: typed}
}

// keyRepair is what a walk knows of the keys of one map of attributes.
type keyRepair struct {
	known    namecache.KeysByShape[knownKey] // by the index of the owner
	renamed  []renamed                       // of the last map; their values are empty
	winners  map[string]string               // the original key that gets each new key
	copying  bool                            // an attribute has copies
	collided bool                            // two attributes want one key
}

// attributes makes the attributes of one map conformant and reports whether they were.
func (w *walk) attributes(attrs pcommon.Map, owner *naming.System) (conformant bool) {
	keys := w.keys.known.Of(owner.Index(), attrs)
	conformant, rekeys := true, false
	i := 0
	for key, value := range attrs.All() {
		k, known := keys.At(i, key)
		if !known {
			k = w.learn(k, key, owner)
		}
		i++
		if k.acts {
			rekeys = rekeys || k.rekeys
			w.exposed = w.exposed || k.exposes
			w.keys.copying = w.keys.copying || k.copies
		}
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

// learn decides about a key that is not in the cache, and stores the decision in k. A nil k means that the
// cache has no room.
func (w *walk) learn(k *knownKey, key string, owner *naming.System) *knownKey {
	if k == nil {
		k = new(knownKey)
	}
	*k = newKnownKey(w.decisions.Attribute(owner, key))
	copies := w.p.namer.AttributeCopies(owner)
	k.copies = copies.Read(key)
	if d := k.decision; k.rekeys && d.Key != key {
		policy := w.p.policy.Content()
		now, before := policy.Key(d.Key), policy.Key(key)
		k.exposes = now.Stricter(&before)
		k.copies = k.copies || copies.Read(d.Key)
	}
	k.acts = k.rekeys || k.copies
	return k
}

// textFits reports whether a text is known to be conformant. It returns false for an empty text.
func (w *walk) textFits(k *knownKey, text string) bool {
	return len(text) <= w.p.maxValueBytes && (k.anyValue || k.typed == valueType(pcommon.ValueTypeStr) || text == k.lastText)
}

// typeFits reports whether all values of a type are conformant. The size limit does not apply to these
// types.
func (k *knownKey) typeFits(t pcommon.ValueType) bool {
	return t < pcommon.ValueTypeMap && (k.anyValue || k.typed == valueType(t))
}

// check makes a value conformant and reports whether it was.
func (w *walk) check(k *knownKey, value pcommon.Value, owner *naming.System) (conformant bool) {
	if k.anyValue {
		return w.fitValue(value, owner)
	}
	conformant = w.value(k.decision, value, owner)
	if text := value.Str(); conformant && len(text) <= maxLastText {
		k.lastText = text
	}
	return conformant
}

// rekey renames and removes the attributes of a map as their decisions say. If another attribute already
// has the new key, the attribute keeps its own key, so no value is lost and no two series become one. An
// attribute is removed only if its own key is too long. What is renamed comes last: the map keeps its memory, which
// was a sixth of an agent's garbage.
func (w *walk) rekey(attrs pcommon.Map, keys *namecache.Keys[knownKey], owner *naming.System) {
	// Maps mostly have the keys of the last one, so which attributes win is mostly known.
	size := attrs.Len()
	known, stored := keys.IsWhole(size), true
	if !known {
		w.chooseWinners(attrs, keys, owner)
	}
	taken, i := 0, -1
	attrs.RemoveIf(func(key string, value pcommon.Value) bool {
		i++
		k, _ := keys.At(i, key)
		d := w.decision(k, key, owner)
		wins := false
		switch {
		case !renames(d):
		case known:
			wins = k.wins
		default:
			if wins = w.keys.winners[d.Key] == key; wins {
				w.keys.winners[d.Key] = noWinner // in case the same key follows
			}
		}
		if k != nil {
			k.wins = wins
		}
		stored = stored && k != nil
		switch {
		case d == nil:
		case d.Sensitive == conventions.SensitiveRemove:
			w.change(naming.AttributeSensitive, owner)
			return true
		case d.Rule == naming.Conformant:
		case d.Rule == naming.Unnameable:
			w.violation(naming.Unnameable, owner)
		case !wins && len(key) > naming.MaxName:
			w.change(naming.AttributeCollision, owner)
			return true
		case !wins:
			w.violation(naming.AttributeCollision, owner)
			w.keys.collided = true
		default:
			w.change(d.Rule, owner)
			if d.Rule != naming.NameLength {
				w.schema.changed(key)
			}
			if taken == len(w.keys.renamed) {
				w.keys.renamed = append(w.keys.renamed, renamed{value: pcommon.NewValueEmpty()})
			}
			w.keys.renamed[taken].key = d.Key
			value.MoveTo(w.keys.renamed[taken].value)
			taken++
			return true
		}
		return false
	})
	w.keys.put(attrs, w.keys.renamed[:taken])
	if !known {
		if stored {
			keys.SetWhole(size)
		}
		clear(w.keys.winners)
	}
}

// renamed is an attribute that is put into its map again.
type renamed struct {
	key   string
	value pcommon.Value
}

// mostPut is the largest map that attributes are put into one by one: each Put searches all keys of the map.
const mostPut = 64

// put puts renamed attributes into their map. A key can be there already if attributes collided. All values stay.
func (r *keyRepair) put(attrs pcommon.Map, all []renamed) {
	if attrs.Len()+len(all) <= mostPut {
		for len(all) > 0 {
			value, twice := attrs.GetOrPutEmpty(all[0].key)
			if twice {
				break
			}
			all[0].value.MoveTo(value)
			all = all[1:]
		}
	}
	if len(all) == 0 {
		return
	}
	var builder xpdata.MapBuilder
	for key, value := range attrs.All() {
		value.MoveTo(builder.AppendEmpty(key))
	}
	for _, a := range all {
		a.value.MoveTo(builder.AppendEmpty(a.key))
	}
	builder.UnsafeIntoMap(attrs)
	r.renamed = nil // there may be many
}

// noWinner replaces the winner of a key that no attribute may get. It is the empty key, and attributes with
// an empty key are never renamed.
const noWinner = ""

// chooseWinners decides which attribute gets each new key: none if an attribute already has that key, else the
// first of the rivals in key order. The order in the map does not matter.
func (w *walk) chooseWinners(attrs pcommon.Map, keys *namecache.Keys[knownKey], owner *naming.System) {
	i := -1
	for key := range attrs.All() {
		i++
		if d := w.decisionAt(keys, owner, i, key); renames(d) {
			if winner, ok := w.keys.winners[d.Key]; !ok || key < winner {
				w.keys.winners[d.Key] = key
			}
		}
	}
	i = -1
	for key := range attrs.All() {
		i++
		if d := w.decisionAt(keys, owner, i, key); renames(d) || d != nil && d.Sensitive == conventions.SensitiveRemove {
			continue
		}
		if _, ok := w.keys.winners[key]; ok {
			w.keys.winners[key] = noWinner
		}
	}
}

// decisionAt returns the decision for a key that attributes has just checked.
func (w *walk) decisionAt(keys *namecache.Keys[knownKey], owner *naming.System, i int, key string) *naming.AttributeDecision {
	k, _ := keys.At(i, key)
	return w.decision(k, key, owner)
}

// decision returns what is stored, or decides again about a key that the cache has no room for.
func (w *walk) decision(k *knownKey, key string, owner *naming.System) *naming.AttributeDecision {
	if k != nil {
		return k.decision
	}
	return w.decisions.Attribute(owner, key)
}

// renames reports whether a decision gives an attribute another key.
func renames(d *naming.AttributeDecision) bool {
	return d != nil && d.Sensitive != conventions.SensitiveRemove && d.Rule != naming.Conformant && d.Rule != naming.Unnameable
}
