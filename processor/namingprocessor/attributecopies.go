// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/attrvalue"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/chatmessages"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/copyplan"
)

// attributeCopier is what a walk needs for the copies in one map of attributes.
type attributeCopier struct {
	plan    *copyplan.Plan
	removes bool // attributes are removed once they are copied
	again   bool // a copy of this map was made before

	sources []copySource
	objects attrvalue.Objects
	expose  map[string]content.Key // the attributes that copies say to be content or secrets
	kept    map[string]bool        // attributes with a copy that was not made
	done    map[string]bool        // attributes with a copy that was made
}

// copySource is an attribute that a copy is made of.
type copySource struct {
	naming.CopySource
	key   string
	value pcommon.Value
}

// newAttributeCopier returns the copier of a walk.
func newAttributeCopier() attributeCopier {
	return attributeCopier{expose: map[string]content.Key{}, kept: map[string]bool{}, done: map[string]bool{}}
}

// reset forgets the attributes of a batch.
func (c *attributeCopier) reset() {
	clear(c.sources)
	c.sources = c.sources[:0]
	c.objects.Reset()
}

// copiedAttributes makes the attributes of a span, a span event or a log record conformant, and adds their copies.
// It reports whether they were conformant. A copy is no fault of the sender, but a value that cannot be copied is.
func (w *walk) copiedAttributes(attrs pcommon.Map, owner *naming.System) (conformant bool) {
	w.keys.copying, w.keys.collided = false, false
	conformant = w.attributes(attrs, owner)
	if !w.keys.copying {
		return conformant
	}
	return w.copyAttributes(attrs, owner) && conformant
}

// copyAttributes adds the copies of a map's attributes. It comes after all other changes of the map.
func (w *walk) copyAttributes(attrs pcommon.Map, owner *naming.System) (conformant bool) {
	c := &w.copier
	c.plan, c.removes, c.again = w.p.copies[owner.Index()], w.p.policy.RemovesCopied(w.service), false
	clear(c.expose)
	clear(c.kept)
	clear(c.done)
	conformant = true
	for {
		made, fits := w.makeLists(attrs, owner)
		more, fit := w.makeCopies(attrs, owner)
		conformant = fits && fit && conformant
		if !made && !more || !c.plan.Chained {
			break
		}
		c.again = true
	}
	w.protectExposed(attrs)
	// The attribute that lost a collision would get the key of one that is removed.
	if c.removes && !w.keys.collided {
		w.removeCopied(attrs)
	}
	return conformant
}

// makeCopies makes the copies of what is in a map now. It reports whether it made one, and whether all values could
// be converted.
func (w *walk) makeCopies(attrs pcommon.Map, owner *naming.System) (made, conformant bool) {
	c := &w.copier
	c.sources = c.sources[:0]
	for key, value := range attrs.All() {
		for _, source := range c.plan.Sources(key) {
			c.sources = append(c.sources, copySource{source, key, value})
		}
	}
	// The order of the map does not matter.
	slices.SortStableFunc(c.sources, func(a, b copySource) int {
		return cmp.Or(a.Copy-b.Copy, a.Rank-b.Rank)
	})
	// The values stay valid when the map grows, because nothing changes them before protectExposed.
	conformant = true
	for i, source := range c.sources {
		if i > 0 && source.CopySource == c.sources[i-1].CopySource {
			c.kept[source.key] = true // the same key again: the map is invalid
			continue
		}
		one, fits := w.makeCopy(attrs, owner, source)
		made, conformant = made || one, conformant && fits
	}
	return made, conformant
}

// makeCopy makes one copy, unless an attribute has its key already.
func (w *walk) makeCopy(attrs pcommon.Map, owner *naming.System, source copySource) (made, conformant bool) {
	c := &w.copier
	rule, protection := &c.plan.Copies[source.Copy], &c.plan.Protections[source.Copy][source.Rank]
	if !hasOne(attrs, rule.With) {
		c.kept[source.key] = true
		return false, true
	}
	existing, exists := attrs.Get(rule.Key)
	if exists && !c.removes && !protection.Tells {
		return false, true
	}
	value, outcome := attrvalue.Copy(rule, source.key, source.value, &c.objects)
	if outcome != attrvalue.Made {
		c.kept[source.key] = true
		if outcome == attrvalue.None || exists || c.again || w.replaced(protection) {
			return false, true
		}
		w.violation(naming.AttributeCopied, owner)
		return false, false
	}
	w.exposed = w.exposed || protection.Exposes || protection.Turns
	if protection.Tells {
		c.expose[source.key] = protection.To
	}
	if exists {
		if protection.Exposes {
			w.protect(value, protection.To) // as the existing one was
		}
		if !existing.Equal(value) {
			c.kept[source.key] = true
		}
		c.done[source.key] = true
		return false, true
	}
	// What is in a value of JSON was not protected by its own keys yet.
	w.exposed = w.exposed || rule.Field != "" && (value.Type() == pcommon.ValueTypeMap || value.Type() == pcommon.ValueTypeSlice)
	w.put(attrs, rule.Key, rule.Decision, value, owner)
	c.done[source.key] = true
	return true, true
}

// put adds a copy, to which the rules for its own key apply.
func (w *walk) put(attrs pcommon.Map, key string, d *naming.AttributeDecision, value pcommon.Value, owner *naming.System) {
	to := attrs.PutEmpty(key)
	value.MoveTo(to)
	if d != nil {
		w.value(d, to, owner)
	} else {
		w.fitValue(to, owner)
	}
	w.change(naming.AttributeCopied, owner)
}

// hasOne reports whether a map has one of the keys. Nil stands for every map.
func hasOne(attrs pcommon.Map, keys []string) bool {
	for _, key := range keys {
		if _, ok := attrs.Get(key); ok {
			return true
		}
	}
	return keys == nil
}

// replaced reports whether the content policy has replaced the attribute that a copy is made of.
func (w *walk) replaced(p *copyplan.Protection) bool {
	rule := cmp.Or(p.From.Rule, p.To.Rule)
	return rule != nil && w.action(rule) != content.Keep
}

// action returns what happens to the content of a rule in the current resource.
func (w *walk) action(rule *content.Rule) content.Action {
	policy := w.p.policy.Content()
	return policy.Action(rule, policy.Service(w.service))
}

// protectExposed replaces the attributes whose copies are content or secrets, as the copies are.
func (w *walk) protectExposed(attrs pcommon.Map) {
	if len(w.copier.expose) == 0 {
		return
	}
	for key, value := range attrs.All() { // a key that is there twice too
		if as, ok := w.copier.expose[key]; ok {
			w.protect(value, as)
		}
	}
}

// protect replaces a value. As in the content policy, numbers stay.
func (w *walk) protect(value pcommon.Value, as content.Key) {
	switch value.Type() {
	case pcommon.ValueTypeEmpty, pcommon.ValueTypeBool, pcommon.ValueTypeInt, pcommon.ValueTypeDouble:
		return
	}
	before := value.AsString()
	if now := w.p.policy.Content().Replace(as, w.action(as.Rule), before); now != before {
		value.SetStr(now)
	}
}

// removeCopied removes the attributes all of whose copies are there.
func (w *walk) removeCopied(attrs pcommon.Map) {
	c := &w.copier
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool {
		if !c.done[key] || c.kept[key] || !c.plan.Removable(key) {
			return false
		}
		w.schema.changed(key)
		return true
	})
}

// makeLists makes lists of messages. It reports whether it made one, and whether none is too long.
func (w *walk) makeLists(attrs pcommon.Map, owner *naming.System) (made, conformant bool) {
	conformant = true
	for i := range w.copier.plan.Messages {
		one, fits := w.makeList(attrs, owner, i)
		made, conformant = made || one, conformant && fits
	}
	return made, conformant
}

func (w *walk) makeList(attrs pcommon.Map, owner *naming.System, i int) (made, conformant bool) {
	c := &w.copier
	rule, protection := &c.plan.Messages[i], &c.plan.Lists[i]
	existing, exists := attrs.Get(rule.Key)
	if exists && !c.removes && !protection.Tells {
		return false, true
	}
	var list chatmessages.List
	var keys []string
	for key, value := range attrs.All() {
		if field, ok := strings.CutPrefix(key, rule.Below); ok && list.Add(rule.Form, field, value) {
			keys = append(keys, key)
		}
	}
	if list.Empty() {
		return false, true
	}
	if protection.Tells {
		for _, key := range keys {
			c.expose[key] = protection.To
		}
	}
	if w.redacts(protection) {
		return false, true
	}
	text, ok := list.JSON()
	switch {
	case exists:
		if !ok || existing.AsString() != text {
			return false, true
		}
	case !ok || len(text) > w.p.maxValueBytes:
		if c.again {
			return false, true
		}
		w.violation(naming.AttributeCopied, owner)
		return false, false
	default:
		// The content policy replaced the fields, so it replaces the list as a whole, like a list of the sender.
		w.exposed = w.exposed || protection.To.Rule != nil || protection.Turns
		w.put(attrs, rule.Key, rule.Decision, pcommon.NewValueStr(text), owner)
		made = true
	}
	slices.Sort(keys)
	for i, key := range keys {
		c.done[key] = true
		if i > 0 && key == keys[i-1] {
			c.kept[key] = true // the second value is not in the list
		}
	}
	return made, true
}

// redacts reports whether the content policy redacts messages or their list.
func (w *walk) redacts(p *copyplan.Protection) bool {
	return slices.ContainsFunc([]*content.Rule{p.From.Rule, p.To.Rule}, func(rule *content.Rule) bool {
		return rule != nil && w.action(rule) == content.Redact
	})
}

// startContent begins a resource. It reports whether its attributes are changed.
func (w *walk) startContent(resource pcommon.Map) bool {
	w.service = attributes.Text(resource, serviceNameKey)
	return !w.p.policy.Audit(w.service)
}

// copyContent copies the fields of content in one map.
func (w *walk) copyContent(attrs pcommon.Map, plan *copyplan.Plan) {
	if plan == nil {
		return
	}
	for i := range plan.Content {
		content := &plan.Content[i]
		value, ok := attrs.Get(content.Key)
		if !ok {
			continue
		}
		for _, source := range content.Copies {
			w.copyContentField(attrs, plan, source, content.Key, value)
		}
		w.copier.objects.Reset()
	}
}

func (w *walk) copyContentField(attrs pcommon.Map, plan *copyplan.Plan, source naming.CopySource, key string, content pcommon.Value) {
	rule := &plan.Copies[source.Copy]
	if !w.replaced(&plan.Protections[source.Copy][source.Rank]) || !hasOne(attrs, rule.With) {
		return
	}
	if _, exists := attrs.Get(rule.Key); exists {
		return
	}
	if value, outcome := attrvalue.Copy(rule, key, content, &w.copier.objects); outcome == attrvalue.Made {
		w.put(attrs, rule.Key, rule.Decision, value, plan.Owner)
	}
}
