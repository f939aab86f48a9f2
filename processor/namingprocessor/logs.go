// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

func (w *walk) logs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		resource := rl.Resource().Attributes()
		resourceOwner := w.owner(resource, "")
		w.service = attributes.Text(resource, serviceNameKey)
		w.fitSchemaURL(rl, resourceOwner)
		for _, sl := range rl.ScopeLogs().All() {
			owner := w.owner(resource, w.fitScope(sl.Scope(), sl, resourceOwner))
			w.schema = schema{url: sl.SchemaUrl()}
			w.attributes(sl.Scope().Attributes(), owner)
			for _, record := range sl.LogRecords().All() {
				conformant := w.copiedAttributes(record.Attributes(), owner)
				conformant = w.fitName(record.EventName(), record.SetEventName, owner) && conformant
				conformant = w.fitName(record.SeverityText(), record.SetSeverityText, owner) && conformant
				w.item(w.body(record.Body(), owner) && conformant)
			}
			w.fixSchema(sl, owner)
		}
		w.resource(rl, resource, resourceOwner)
	}
}

// body redacts a log's body: it applies the packs' patterns to its texts, and removes sensitive keys from
// structured bodies.
func (w *walk) body(body pcommon.Value, owner *naming.System) (conformant bool) {
	conformant = w.redact(body, owner)
	if body.Type() == pcommon.ValueTypeMap || body.Type() == pcommon.ValueTypeSlice {
		conformant = w.fitValue(body, owner) && conformant
	}
	return conformant
}

// redact applies the packs' patterns to every text of a body.
func (w *walk) redact(value pcommon.Value, owner *naming.System) (conformant bool) {
	conformant = true
	switch value.Type() {
	case pcommon.ValueTypeStr:
		if text, found := w.p.namer.RedactBody(owner, value.Str(), redacted); found {
			value.SetStr(text)
			w.change(naming.BodySensitive, owner)
			return false
		}
	case pcommon.ValueTypeMap:
		for _, child := range value.Map().All() {
			conformant = w.redact(child, owner) && conformant
		}
	case pcommon.ValueTypeSlice:
		for _, child := range value.Slice().All() {
			conformant = w.redact(child, owner) && conformant
		}
	}
	return conformant
}

// contentOfLogs copies fields of content in a batch.
func (w *walk) contentOfLogs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		resource := rl.Resource().Attributes()
		if !w.startContent(resource) {
			continue
		}
		for _, sl := range rl.ScopeLogs().All() {
			plan := w.p.copies[w.owner(resource, sl.Scope().Name()).Index()]
			for _, record := range sl.LogRecords().All() {
				w.copyContent(record.Attributes(), plan)
			}
		}
	}
}
