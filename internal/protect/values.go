// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// value protects one value, by the decision about its key.
func (w *Walk) value(k content.Key, key string, value pcommon.Value) {
	if k.Rule == nil || w.metrics && k.Rule.Name {
		w.pass(key, k.URL, value)
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
	beginning := text
	if action == content.Truncate {
		beginning = w.policy.ScrubFields(text)
	}
	if now := w.policy.Replace(k, action, beginning); now != text {
		w.lose(key, text)
		value.SetStr(now)
		w.replaced(k.Rule, len(text))
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
	if now := w.policy.ScrubFields(value.Str()); now != value.Str() {
		w.lose("", value.Str())
		value.SetStr(now)
		w.replaced(w.policy.URLRule(), 0)
	}
}

// line replaces the prompts and answers in a line of a log.
func (w *Walk) line(text string) string {
	return w.policy.ScrubLine(w.action, &w.record, text, w.replaced)
}

// scrub removes the secrets of URLs in a text, and the content of a line.
func (w *Walk) scrub(form content.URL, value pcommon.Value) {
	text := value.Str()
	if w.lines {
		if now := w.line(text); now != text {
			value.SetStr(now)
			text = now
		}
	}
	if now := w.policy.ScrubURLs(form, text); now != text {
		w.lose("", text)
		value.SetStr(now)
		w.replaced(w.policy.URLRule(), 0)
	}
}

// scrubBytes is scrub for bytes, which can be a text: some receivers have lines of logs as bytes.
func (w *Walk) scrubBytes(form content.URL, bytes pcommon.ByteSlice) {
	text := string(bytes.AsRaw())
	if w.lines {
		if now := w.line(text); now != text {
			bytes.FromRaw([]byte(now))
			text = now
		}
	}
	if now := w.policy.ScrubURLs(form, text); now != text {
		w.lose("", text)
		bytes.FromRaw([]byte(now))
		w.replaced(w.policy.URLRule(), 0)
	}
}

// scrubName returns a name without the secrets of URLs.
func (w *Walk) scrubName(name string, set func(string)) {
	if name == w.name {
		return // many spans have one name
	}
	if now := w.policy.ScrubURLs(content.Name, name); now != name {
		set(now)
		w.replaced(w.policy.URLRule(), 0)
		return
	}
	w.name = name
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
		if option = next; now != text {
			element.SetStr(now)
			w.replaced(w.policy.URLRule(), 0)
		}
	}
}

// entries protects the values of a map by their keys, and by their paths: the key messages below
// gen_ai.input is gen_ai.input.messages.
func (w *Walk) entries(m pcommon.Map) {
	outer, event := len(w.path), w.event
	for key, child := range m.All() {
		w.path = w.path[:outer]
		if outer > 0 {
			w.path = append(w.path, '.')
		}
		w.path = append(w.path, key...)
		k := w.field(key, w.policy.InScope(w.scope, key, namecache.ByText(w.memory, key, w.policy.Key)))
		if k.Rule == nil && outer > 0 && len(w.path) <= maxPath {
			if byPath := w.ofPath(); byPath.Rule != nil {
				k = byPath
			}
		}
		w.event = nil
		if k.Rule == nil || w.metrics && k.Rule.Name || w.policy.Action(k.Rule, w.action) == content.Keep {
			if k.Rule != nil {
				w.scrubFields(child)
			}
			w.tree(k.URL, child)
		} else {
			w.value(k, key, child)
		}
		w.event = event
	}
	w.path = w.path[:outer]
}

// ofPath returns the decision about the path. The text that it looks up is the path itself, because a copy for each
// field of a body would be garbage. The cache stores copies only.
func (w *Walk) ofPath() content.Key {
	return namecache.ByText(w.memory, unsafe.String(unsafe.SliceData(w.path), len(w.path)), w.policy.Key)
}

// body protects a log's body that is no map. The list and the text of an event with content are replaced
// as a whole.
func (w *Walk) body(body pcommon.Value) {
	event := w.event
	switch {
	case event != nil && w.policy.Action(event, w.action) != content.Keep:
		w.value(content.Key{Rule: event}, "", body)
	default:
		w.pass("", content.Line, body)
	}
}
