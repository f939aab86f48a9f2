// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"hash/maphash"
	"strconv"
	"strings"
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// value protects one value, by the decision about its key.
func (w *Walk) value(k content.Key, key string, value pcommon.Value) {
	if k.Rule == nil || w.metrics && k.Rule.Name {
		if w.models && (!k.Line || !w.lines) {
			w.unruled(k, key, value)
		} else {
			w.pass(key, k.URL, value)
		}
		return
	}
	action := w.policy.Action(k.Rule, w.action)
	if action == content.Keep {
		w.scrubFields(value)
		w.pass(key, k.URL, value)
		return
	}
	text, ok := textOf(value)
	if !ok {
		return
	}
	if w.replace(k, key, action, text, value) {
		w.replaced(k.Rule, len(text))
	}
}

// replace replaces a value that is a text, and reports whether it did.
func (w *Walk) replace(k content.Key, key string, action content.Action, text string, value pcommon.Value) bool {
	beginning := text
	if action == content.Truncate {
		if value.Type() != pcommon.ValueTypeStr { // first by element: JSON has other quotes and line breaks
			allowed := w.allowed
			w.allowed = true
			w.below(key, k.URL, value)
			w.allowed = allowed
			beginning, _ = textOf(value)
		}
		beginning = w.policy.ScrubURLs(k.URL, w.policy.Search(content.Keep, beginning, w.report))
	}
	now := w.policy.Replace(k, action, beginning)
	if now == text {
		return false
	}
	w.lose(key, text)
	value.SetStr(now)
	return true
}

// unruled protects a value in telemetry about calls to models whose key is not one of content. A text leaves if it is
// an identifier, or if its key is known to have no content.
func (w *Walk) unruled(k content.Key, key string, value pcommon.Value) {
	if k.Name && !k.Allowed && value.Type() == pcommon.ValueTypeStr {
		if now := w.operation(value.Str(), pcommon.NewMap()); now != value.Str() && w.action != content.Keep {
			w.lose(key, value.Str())
			w.withheld(key, len(value.Str()))
			value.SetStr(now)
		}
		w.below(key, k.URL, value)
		return
	}
	if k.Known() && (value.Type() != pcommon.ValueTypeStr || k.Passes(value.Str())) {
		allowed := w.allowed
		w.allowed = allowed || k.Allowed
		w.below(key, k.URL, value)
		w.allowed = allowed
		return
	}
	switch value.Type() {
	case pcommon.ValueTypeSlice:
		if !k.Field && !isSentence(value.Slice()) {
			for _, element := range value.Slice().All() {
				w.unruled(k, key, element)
			}
			return
		}
	case pcommon.ValueTypeMap:
		if !k.Field {
			w.below(key, k.URL, value)
			return
		}
	}
	text, ok := textOf(value)
	if !ok {
		return
	}
	plain := text
	if value.Type() == pcommon.ValueTypeBytes {
		plain = string(value.Bytes().AsRaw())
	}
	if w.allowed || w.action == content.Keep || w.policy.Free(k, plain) == nil {
		w.below(key, k.URL, value)
		return
	}
	if w.replace(k, key, w.action, text, value) {
		w.withheld(key, len(text))
	}
}

// withheld counts a text under a key that is not known.
func (w *Walk) withheld(key string, bytes int) {
	w.replaced(w.policy.FreeRule(), bytes)
	if w.nested {
		key = string(w.path)
	}
	w.countKey(content.FreeKey(key), bytes)
}

// countKey counts a text that is withheld by the key that the page shows.
func (w *Walk) countKey(key string, bytes int) {
	tally := w.free[key]
	tally.Add(content.Tally{Values: 1, Bytes: int64(bytes)})
	w.free[key] = tally
}

// isSentence reports whether the elements of a list are the words of a text: there are many, and all are words.
func isSentence(list pcommon.Slice) bool {
	const fewWords = 4
	for _, element := range list.All() {
		if element.Type() != pcommon.ValueTypeStr || strings.ContainsAny(element.Str(), "0123456789_./:-") {
			return false
		}
	}
	return list.Len() > fewWords
}

// below is pass for a value in an attribute or in a map.
func (w *Walk) below(key string, form content.URL, value pcommon.Value) {
	if w.nested {
		w.tree(form, value)
	} else {
		w.pass(key, form, value)
	}
}

// textOf returns a value as a text: structured ones in JSON, bytes in base64. Numbers, booleans and
// empty values are not ok: they are never replaced.
func textOf(value pcommon.Value) (text string, ok bool) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return value.Str(), true
	case pcommon.ValueTypeMap:
		return value.AsString(), value.Map().Len() > 0
	case pcommon.ValueTypeSlice:
		return value.AsString(), value.Slice().Len() > 0
	case pcommon.ValueTypeBytes:
		return value.AsString(), value.Bytes().Len() > 0
	default:
		return "", false
	}
}

// pass protects the parts of a value that is not replaced as a whole.
func (w *Walk) pass(key string, form content.URL, value pcommon.Value) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		w.scrub(form, value)
	case pcommon.ValueTypeBytes:
		w.scrubBytes(form, value.Bytes())
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		w.inside(key, form, value)
	}
}

// scrubFields removes the credentials in a text of content that is kept.
func (w *Walk) scrubFields(value pcommon.Value) {
	if value.Type() != pcommon.ValueTypeStr {
		return
	}
	if now := w.policy.Search(content.Keep, value.Str(), w.report); now != value.Str() {
		w.lose("", value.Str())
		value.SetStr(now)
	}
}

// searched replaces the prompts and answers in a line of a log, and the fields of a text in telemetry about calls to
// models.
func (w *Walk) searched(text string) string {
	action := w.action
	if w.allowed {
		action = content.Keep
	}
	switch {
	case w.lines && w.record.known:
		return w.policy.ScrubLine(action, w.record.programs, text, w.models, w.report)
	case w.models:
		return w.policy.Search(action, text, w.report)
	}
	return text
}

// scrubbed returns a text without the secrets of URLs, and without the content of a line.
func (w *Walk) scrubbed(form content.URL, text string) string {
	slot, hash := w.unchanged(form, text)
	if *slot == hash {
		return text
	}
	before := text
	if w.lines || w.models {
		if now := w.searched(text); now != text {
			w.lose("", text)
			text = now
		}
	}
	now := w.policy.ScrubURLs(form, text)
	if now != text {
		w.lose("", text)
		w.replaced(w.policy.URLRule(), 0)
	}
	if now == before {
		*slot = hash
	}
	return now
}

// What else than values can be unchanged. A field without a key has one of the forms from aField on.
const (
	aName = content.Any + 1 + iota
	aField
)

// unchanged returns where the hash of a text is if nothing was found in it, and the hash.
func (w *Walk) unchanged(form content.URL, text string) (slot *uint64, hash uint64) {
	context := uint64(form) << 3
	for i, set := range [...]bool{w.models, w.lines && w.record.known, w.allowed} {
		if set {
			context |= 1 << i
		}
	}
	const odd = 0x9e3779b97f4a7c15
	hash = maphash.String(w.seed, text) + context*odd + w.record.programs
	return &w.same[hash%uint64(len(w.same))], hash
}

func (w *Walk) scrub(form content.URL, value pcommon.Value) {
	if now := w.scrubbed(form, value.Str()); now != value.Str() {
		value.SetStr(now)
	}
}

// scrubBytes is scrub for bytes, which can be a text: some receivers have lines of logs as bytes.
func (w *Walk) scrubBytes(form content.URL, bytes pcommon.ByteSlice) {
	text := string(bytes.AsRaw())
	if now := w.scrubbed(form, text); now != text {
		bytes.FromRaw([]byte(now))
	}
}

// scrubName replaces a name by one without the secrets of URLs, and without the free text of telemetry about models.
func (w *Walk) scrubName(name string, attrs pcommon.Map, set func(string)) {
	if name == w.name && !w.models {
		return // many spans have one name
	}
	now := name
	if w.models && w.action != content.Keep {
		now = w.operation(name, attrs)
	}
	slot, hash := w.unchanged(aName, now)
	if *slot != hash {
		text := now
		if w.models && w.action != content.Keep {
			now = w.policy.Search(w.action, now, w.report)
		}
		if now = w.policy.ScrubURLs(content.Name, now); now == text {
			*slot = hash
		}
	}
	switch {
	case now != name:
		set(now)
		w.replaced(w.policy.URLRule(), 0)
	case !w.models:
		w.name = name
	}
}

// operation returns the name of a span or an event of telemetry about models without free text.
func (w *Walk) operation(name string, attrs pcommon.Map) string {
	operation := w.policy.OperationName(name, func(key string) string { return attributes.Text(attrs, key) })
	// Most names stay, so the many patterns of packs are asked last.
	if operation != name && w.Mapped != nil {
		if mapped, ok := w.Mapped(name, func(part string) string { return w.policy.PartOfName(w.action, part) }); ok {
			return mapped
		}
	}
	return operation
}

// plainName is scrubName for a name without attributes.
func (w *Walk) plainName(name string, set func(string)) {
	if w.models && name != "" && !content.Identifier(name) {
		w.scrubName(name, pcommon.NewMap(), set)
	}
}

// scrubMessage replaces the message of a status by one without the secrets of URLs, and without fields of content.
func (w *Walk) scrubMessage(message string, set func(string)) {
	now := message
	if w.models {
		now = w.policy.Search(w.action, now, w.report)
	}
	if now = w.policy.ScrubURLs(content.Name, now); now != message {
		set(now)
		w.replaced(w.policy.URLRule(), 0)
	}
}

// inside protects the values in a map or a list under a key.
func (w *Walk) inside(key string, form content.URL, value pcommon.Value) {
	event := w.event
	w.event = nil // its fields are those of the outer map
	w.path = append(w.path[:0], key...)
	w.tree(form, value)
	w.event = event
}

// maxPath is the length of the longest path of keys that a decision is made about.
const maxPath = 255

// tree protects the values in a map or a list. The path leads to it.
func (w *Walk) tree(form content.URL, value pcommon.Value) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		w.scrub(form, value)
	case pcommon.ValueTypeBytes:
		w.scrubBytes(form, value.Bytes())
	case pcommon.ValueTypeSlice:
		if form == content.Command {
			w.arguments(value.Slice())
			return
		}
		for _, element := range value.Slice().All() {
			w.tree(form, element)
		}
	case pcommon.ValueTypeMap:
		w.entries(value.Map())
	}
}

// arguments protects the arguments of a command.
func (w *Walk) arguments(list pcommon.Slice) {
	var option content.Option
	for _, element := range list.All() {
		if element.Type() != pcommon.ValueTypeStr {
			w.tree(content.AnyText, element)
			continue
		}
		text := element.Str()
		now, next := w.policy.ScrubArgument(text, option)
		if w.models && w.action != content.Keep && !w.allowed && strings.ContainsAny(text, " \t\r\n") {
			now = content.Redacted // an agent gets its question as an argument
		}
		if option = next; now != text {
			element.SetStr(now)
			w.replaced(w.policy.URLRule(), 0)
		}
	}
}

// entries protects the values of a map by their keys, and by their paths: the key messages below
// gen_ai.input is gen_ai.input.messages.
func (w *Walk) entries(m pcommon.Map) {
	outer, event, nested := len(w.path), w.event, w.nested
	models, texts := w.models, false // a later key can be the first one about models: the map is protected again
	w.nested = true
	for key, child := range m.All() {
		w.path = w.path[:outer]
		if outer > 0 {
			w.path = append(w.path, '.')
		}
		w.path = append(w.path, key...)
		k := w.field(key, w.policy.InScope(w.scope, key, namecache.ByText(w.memory, key, w.policy.Key)))
		if outer > 0 && !k.Allowed {
			k = w.withPath(k)
		}
		w.models = w.models || k.Models
		texts = texts || models && k.Text
		w.event = nil
		switch {
		case k.Rule != nil && w.policy.Action(k.Rule, w.action) == content.Keep:
			w.scrubFields(child)
			w.tree(k.URL, child)
		case k.Rule != nil && (!w.metrics || !k.Rule.Name):
			w.value(k, key, child)
		case w.models && (!k.Line || !w.lines || w.named):
			w.unruled(k, key, child)
		default:
			w.tree(k.URL, child)
		}
		w.event = event
	}
	w.path, w.nested = w.path[:outer], nested
	if texts {
		w.withoutTextKeys(m)
	}
}

// maxTextKeys is how many keys of a map that are texts get another one. The others go with their values.
const maxTextKeys = 64

// withoutTextKeys replaces the keys of a map that are texts, in telemetry about models. They have the numbers and words
// of the map as values.
func (w *Walk) withoutTextKeys(m pcommon.Map) {
	if w.action == content.Keep || w.allowed {
		return
	}
	var values []pcommon.Value
	m.RemoveIf(func(key string, value pcommon.Value) bool {
		k := namecache.ByText(w.memory, key, w.policy.Key)
		if !k.Text || k.Allowed {
			return false
		}
		if len(values) < maxTextKeys {
			values = append(values, pcommon.NewValueEmpty())
			value.MoveTo(values[len(values)-1])
		}
		w.lose("", key)
		w.replaced(w.policy.FreeRule(), 0)
		w.countKey(content.OtherKeys, len(key))
		return true
	})
	for i, value := range values {
		value.MoveTo(m.PutEmpty(content.TextKey + strconv.Itoa(i+1)))
	}
}

// withPath returns the decision about a key with what the path to it says. Counts have names of content, such as the
// key prompt below usage.
func (w *Walk) withPath(k content.Key) content.Key {
	byPath := w.ofPath()
	switch {
	case k.Rule == nil && (byPath.Rule != nil || byPath.Known()), k.Rule != nil && !k.Rule.Secret && byPath.Plain:
		return byPath
	}
	k.Models = k.Models || byPath.Models
	return k
}

// ofPath returns the decision about the path, or about the end of a long one. The text that it looks up is the path
// itself, because a copy for each field of a body would be garbage. The cache stores copies only.
func (w *Walk) ofPath() content.Key {
	path := w.path
	if len(path) > maxPath {
		path = path[len(path)-maxPath:]
	}
	return namecache.ByText(w.paths, unsafe.String(unsafe.SliceData(path), len(path)), w.policy.Path)
}

// body protects a log's body that is no map. The list and the text of an event with content are replaced
// as a whole.
func (w *Walk) body(name string, body pcommon.Value) {
	event := w.event
	switch {
	case event != nil && w.policy.Action(event, w.action) != content.Keep:
		w.value(content.Key{Rule: event}, "", body)
	case w.models && (w.named && body.AsString() != name || body.Type() == pcommon.ValueTypeSlice):
		w.unruled(content.Key{}, "body", body)
	default:
		w.pass("", content.Line, body)
	}
}
