package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

func (w *walk) logs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		resource := rl.Resource().Attributes()
		resourceOwner := w.owner(resource, "")
		for _, sl := range rl.ScopeLogs().All() {
			owner := w.owner(resource, sl.Scope().Name())
			w.attributes(sl.Scope().Attributes(), w.containers.of(owner))
			for _, record := range sl.LogRecords().All() {
				conformant := w.attributes(record.Attributes(), w.items.of(owner))
				w.item(w.body(record.Body(), owner) && conformant)
			}
		}
		// Last, because the packs know their resources by the original keys.
		w.attributes(resource, w.containers.of(resourceOwner))
	}
}

// body takes what must not travel out of a log's body. A text stays whole but
// for the pack's patterns; a map is treated as an attribute's is.
func (w *walk) body(body pcommon.Value, owner *naming.System) (conformant bool) {
	switch body.Type() {
	case pcommon.ValueTypeStr:
		conformant = true
		for _, pattern := range owner.RedactBody() {
			if pattern.MatchString(body.Str()) {
				body.SetStr(pattern.ReplaceAllLiteralString(body.Str(), redacted))
				w.change(naming.BodySensitive, owner)
				conformant = false
			}
		}
		return conformant
	case pcommon.ValueTypeMap:
		return w.nested(body.Map(), owner)
	}
	return true
}
