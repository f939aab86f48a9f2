package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/explain"
)

// All names have a maximum length, whoever sends them: they are stored in caches, indexes and pages that
// do not limit their length.

// fitName shortens a name that is too long, and reports whether it was short enough.
func (w *walk) fitName(name string, set func(string), owner *naming.System) (fits bool) {
	if len(name) <= naming.MaxName {
		return true
	}
	set(w.shorten(name, owner))
	return false
}

// shorten returns the short form of a name that is too long, and counts and explains the change.
func (w *walk) shorten(name string, owner *naming.System) string {
	short := naming.Shorten(name)
	w.change(naming.NameLength, owner)
	w.explainLength(name, short, owner)
	return short
}

func (w *walk) explainLength(name, short string, owner *naming.System) {
	key := explain.Key{Service: w.service, Original: name, Name: short, Rule: naming.NameLength}
	w.p.explain.Row(key, name, owner).Seen(1)
}

// fitMetric shortens the name, unit, description and metadata of a metric, and reports whether none was
// too long. It runs before any decision, so that decisions depend on short names only.
func (w *walk) fitMetric(m pmetric.Metric, owner *naming.System) (fits bool) {
	fits = true
	if original := m.Name(); len(original) > naming.MaxName {
		w.keep(m.Metadata(), original, owner)
		m.SetName(w.shorten(original, owner))
		fits = false
	}
	fits = w.fitName(m.Unit(), m.SetUnit, owner) && fits
	if len(m.Description()) > w.p.maxValueBytes {
		m.SetDescription(truncate(m.Description(), w.p.maxValueBytes))
		w.change(naming.AttributeSize, owner)
		fits = false
	}
	return w.fitMetadata(m.Metadata(), owner) && fits
}

func (w *walk) fitMetadata(m pcommon.Map, owner *naming.System) (fits bool) {
	fits = true
	long := false
	for key, value := range m.All() {
		long = long || len(key) > naming.MaxName
		fits = w.fitValue(value, owner) && fits
	}
	if long {
		w.fitKeys(m, owner)
	}
	return fits && !long
}

// fitScope shortens the name, version and schema URL of a scope, and returns the name.
func (w *walk) fitScope(scope pcommon.InstrumentationScope, schema withSchema, owner *naming.System) (name string) {
	w.fitName(scope.Name(), scope.SetName, owner)
	w.fitName(scope.Version(), scope.SetVersion, owner)
	w.fitSchemaURL(schema, owner)
	return scope.Name()
}

func (w *walk) fitSchemaURL(schema withSchema, owner *naming.System) {
	w.fitName(schema.SchemaUrl(), schema.SetSchemaUrl, owner)
}

// fitKeys shortens keys inside a value that are too long. If the map already has the short key, the
// attribute with the long key is removed.
func (w *walk) fitKeys(m pcommon.Map, owner *naming.System) {
	taken := make(map[string]bool, m.Len())
	for key := range m.All() {
		if len(key) <= naming.MaxName {
			taken[key] = true
		}
	}
	var builder xpdata.MapBuilder
	for key, value := range m.All() {
		if len(key) > naming.MaxName {
			key = w.shorten(key, owner)
			if taken[key] {
				w.change(naming.AttributeCollision, owner)
				continue
			}
			taken[key] = true
		}
		value.MoveTo(builder.AppendEmpty(key))
	}
	builder.UnsafeIntoMap(m)
}
