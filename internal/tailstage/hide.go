// SPDX-License-Identifier: Apache-2.0

package tailstage

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/protect"
)

// Hidden is shown instead of a value that must not be seen. It is not what replaces such values in the data, so
// that one can see whether they were replaced.
const Hidden = "[protected]"

// protect returns a walk that redacts all that the content policy knows, and counts nothing.
func (of *Shown) protect() *protect.Walk {
	return protect.New(of.stage.policy.ContentToShow(), func(*content.Rule, content.Action, int64) {})
}

// hide hides the values of a map that a pack calls sensitive, or gives a key of content or of a credential.
func (of *Shown) hide(owner *naming.System, m pcommon.Map) {
	for key, value := range m.All() {
		switch {
		case of.isSensitive(owner, key) || of.becomesContent(owner, key):
			value.SetStr(Hidden)
		case key == naming.OriginalNameKey && value.Type() == pcommon.ValueTypeStr:
			value.SetStr(of.stage.policy.ContentToShow().ScrubURLs(content.Name, value.Str()))
		default:
			of.hideNested(owner, value)
		}
	}
}

// hideNested hides the values in maps that a pack calls sensitive.
func (of *Shown) hideNested(owner *naming.System, value pcommon.Value) {
	switch value.Type() {
	case pcommon.ValueTypeMap:
		for key, child := range value.Map().All() {
			if of.isSensitive(owner, key) {
				child.SetStr(Hidden)
			} else {
				of.hideNested(owner, child)
			}
		}
	case pcommon.ValueTypeSlice:
		for _, child := range value.Slice().All() {
			of.hideNested(owner, child)
		}
	}
}

// hideBody hides in a log's body what the patterns of packs redact, and what they call sensitive.
func (of *Shown) hideBody(body pcommon.Value) {
	of.hideNested(of.owner, body)
	of.hideTexts(body)
}

func (of *Shown) hideTexts(value pcommon.Value) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		if text, found := of.stage.policy.Namer().RedactBody(of.owner, value.Str(), Hidden); found {
			value.SetStr(text)
		}
	case pcommon.ValueTypeMap:
		for _, child := range value.Map().All() {
			of.hideTexts(child)
		}
	case pcommon.ValueTypeSlice:
		for _, child := range value.Slice().All() {
			of.hideTexts(child)
		}
	}
}

// isSensitive reports whether a pack calls the attribute with a key sensitive.
func (of *Shown) isSensitive(owner *naming.System, key string) bool {
	d := of.stage.policy.Namer().Attribute(owner, key)
	return d != nil && d.Sensitive != ""
}

// becomesContent reports whether a pack gives an attribute, or a copy of it, a key of content or of a
// credential. The key that it has now is another matter: the content policy decides about that.
func (of *Shown) becomesContent(owner *naming.System, key string) bool {
	namer, policy := of.stage.policy.Namer(), of.stage.policy.ContentToShow()
	if policy.Excepts(key) {
		return false
	}
	keys := []string{key}
	if d := namer.Attribute(owner, key); d != nil && d.Key != key {
		if policy.Key(d.Key).Rule != nil {
			return true
		}
		keys = append(keys, d.Key)
	}
	copies := namer.AttributeCopies(owner)
	for _, key := range keys {
		for _, source := range copies.Sources(key) {
			if policy.Key(copies.Copies[source.Copy].Key).Rule != nil {
				return true
			}
		}
		for _, list := range copies.Lists(key) {
			if policy.Key(list.Key).Rule != nil {
				return true
			}
		}
	}
	return false
}

// textOf returns the text that may be seen of a value.
func textOf(was, shown pcommon.Value) string {
	text := shown.AsString()
	if text == content.Redacted && was.AsString() != text {
		return Hidden
	}
	return text
}
