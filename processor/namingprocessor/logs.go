package namingprocessor

import "go.opentelemetry.io/collector/pdata/plog"

func (w *walk) logs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		resource := rl.Resource().Attributes()
		resourceOwner := w.owner(resource, "")
		for _, sl := range rl.ScopeLogs().All() {
			owner := w.owner(resource, sl.Scope().Name())
			w.attributes(sl.Scope().Attributes(), owner)
			for _, record := range sl.LogRecords().All() {
				w.item(w.attributes(record.Attributes(), owner))
			}
		}
		// Last, because the packs know their resources by the original keys.
		w.attributes(resource, resourceOwner)
	}
}
