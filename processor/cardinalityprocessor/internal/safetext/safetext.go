// SPDX-License-Identifier: Apache-2.0

// Package safetext writes values of attributes as text that a person may see. It hides the values that the content
// policy knows as content or as a credential, and those that a pack calls sensitive. The mode of the service, and
// whether its content is exported, do not matter.
package safetext

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/protect"
)

const (
	// Hidden stands for a value that must not be seen.
	Hidden = "[protected]"
	// maxBytes is the size as OTLP of the largest value that is shown.
	maxBytes = 64 << 10
	// maxKeys limits the keys that a Writer remembers.
	maxKeys = 4096
)

// Writer writes the values of data points. It does not know the owner of a point, so it hides a value if any pack
// calls it sensitive. It is safe for concurrent use.
type Writer struct {
	policy *policy.Policy

	mu     sync.Mutex
	hidden map[string]bool // by key
}

// NewWriter returns the Writer of a policy.
func NewWriter(p *policy.Policy) *Writer { return &Writer{policy: p, hidden: map[string]bool{}} }

// Text returns what may be seen of the value of an attribute.
func (w *Writer) Text(key string, value pcommon.Value) string {
	if w.hides(key) {
		return Hidden
	}
	md := pmetric.NewMetrics()
	attrs := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty().Attributes()
	shown := attrs.PutEmpty(key)
	value.CopyTo(shown)
	if (&pmetric.ProtoMarshaler{}).MetricsSize(md) > maxBytes {
		return Hidden
	}
	w.hideNested(shown)
	protect.New(w.policy.ContentToShow(), func(*content.Rule, content.Action, int64) {}).Metrics(md)
	shown, _ = attrs.Get(key) // the walk can have added an attribute
	text := shown.AsString()
	if text == content.Redacted && value.AsString() != text {
		return Hidden
	}
	return text
}

// hideNested hides the values in maps that a pack calls sensitive.
func (w *Writer) hideNested(value pcommon.Value) {
	switch value.Type() {
	case pcommon.ValueTypeMap:
		for key, child := range value.Map().All() {
			if w.isSensitive(key) {
				child.SetStr(Hidden)
			} else {
				w.hideNested(child)
			}
		}
	case pcommon.ValueTypeSlice:
		for _, child := range value.Slice().All() {
			w.hideNested(child)
		}
	}
}

// isSensitive reports whether a pack calls the attribute with a key sensitive.
func (w *Writer) isSensitive(key string) bool {
	for _, owner := range w.policy.Namer().Owners() {
		if d := w.policy.Namer().Attribute(owner, key); d != nil && d.Sensitive != "" {
			return true
		}
	}
	return false
}

// hides reports whether all values of a key are hidden: a pack calls them sensitive, or makes content of them.
func (w *Writer) hides(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	hidden, known := w.hidden[key]
	if known {
		return hidden
	}
	hidden = w.isSensitive(key)
	for _, owner := range w.policy.Namer().Owners() {
		hidden = hidden || w.becomesContent(owner, key)
	}
	if len(w.hidden) >= maxKeys {
		clear(w.hidden)
	}
	w.hidden[key] = hidden
	return hidden
}

// becomesContent reports whether a pack gives an attribute, or a copy of it, a key of content or of a credential. The
// content policy decides about the key that the attribute has now.
func (w *Writer) becomesContent(owner *naming.System, key string) bool {
	namer, policy := w.policy.Namer(), w.policy.ContentToShow()
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
