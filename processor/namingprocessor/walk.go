// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/decisions"
)

// walk is the state of the processing of one batch. One goroutine uses it at a time. Later batches reuse
// it, because they mostly have the same keys.
type walk struct {
	p         *namingProcessor
	decisions *decisions.Names
	tally

	service string // of the current resource
	schema  schema // of the current resource or scope
	exposed bool   // an attribute of the batch got a protected key
	period  uint64 // of the span name budget

	keys   keyRepair       // of the current map of attributes
	copier attributeCopier // of the current map of attributes
	batch  metricBatch
}

func (p *namingProcessor) newWalk() *walk {
	return &walk{
		p: p, decisions: p.decisions, tally: p.telemetry.newTally(), keys: keyRepair{winners: map[string]string{}}, batch: newMetricBatch(),
		copier: newAttributeCopier(),
	}
}

// end adds the counts of the walk and returns it to the pool. Of this batch's data it keeps only some
// keys. It reports whether an attribute got a protected key by its pack: such a batch must be protected
// again.
func (w *walk) end(ctx context.Context) (exposed bool) {
	exposed, w.exposed = w.exposed, false
	w.p.telemetry.add(ctx, &w.tally)
	w.reset()
	w.batch.reset()
	w.copier.reset()
	w.service = ""
	w.p.walks.Put(w)
	return exposed
}

// owner returns the system that owns the telemetry of a resource and a scope, or nil.
func (w *walk) owner(resource pcommon.Map, scope string) *naming.System {
	return w.p.namer.Owner(func(key string) (string, bool) { return attributes.Lookup(resource, key) }, scope)
}

// context returns the naming context of the items of one scope.
func (w *walk) context(resource pcommon.Map, service, scope string) *naming.Context {
	return w.decisions.Context(naming.Context{Owner: w.owner(resource, scope), Scope: scope, Service: service})
}

// resource makes a resource's attributes conformant. They change last, because the packs recognise
// resources by the original keys.
func (w *walk) resource(resource withSchema, attrs pcommon.Map, owner *naming.System) {
	w.schema = schema{url: resource.SchemaUrl()}
	w.attributes(attrs, owner)
	w.fixSchema(resource, owner)
}

// schema is the schema of a resource or of a scope. The zero schema is that of telemetry that states none.
type schema struct {
	url    string
	broken bool
}

// changed records the change of a metric's name or an attribute's key. A name that the schema defines is gone then:
// who reads the URL would look for it.
func (s *schema) changed(name string) {
	if s.url != "" && !s.broken {
		s.broken = naming.InSchema(s.url, name)
	}
}

// withSchema is a resource or a scope of any signal. By OTLP a resource's schema URL is that of its
// attributes, and a scope's that of the scope and its items.
type withSchema interface {
	SchemaUrl() string
	SetSchemaUrl(string)
}

// fixSchema removes the schema URL of a resource or a scope that was walked, if it is no longer true.
func (w *walk) fixSchema(walked withSchema, owner *naming.System) {
	if w.schema.broken {
		walked.SetSchemaUrl("")
		w.change(naming.SchemaURL, owner)
	}
}

// fill adds the values that were in a name as attributes. It keeps attributes that are already there.
func (w *walk) fill(attrs pcommon.Map, values []naming.Attribute, owner *naming.System) {
	for _, a := range values {
		key, d := a.Key, w.decisions.Attribute(owner, a.Key)
		if d != nil {
			key = d.Key
		}
		if _, ok := attrs.Get(key); ok || a.Value == content.Redacted {
			continue // a part of a name that was replaced is no id
		}
		if d != nil && d.Sensitive == conventions.SensitiveRemove {
			w.change(naming.AttributeSensitive, owner)
			continue
		}
		value := attrs.PutEmpty(key)
		value.SetStr(a.Value)
		if d != nil {
			w.value(d, value, owner)
		} else {
			w.fitValue(value, owner)
		}
	}
}

// keep stores the replaced name in the attribute tc.original_name. An existing attribute stays, because
// another collector may have replaced the name before. An empty name is not stored.
func (w *walk) keep(attrs pcommon.Map, original string, owner *naming.System) {
	if !w.p.keepOriginal || original == "" {
		return
	}
	if value, ok := attrs.GetOrPutEmpty(naming.OriginalNameKey); !ok {
		if size := min(w.p.maxValueBytes, maxOriginal); len(original) > size {
			original = truncate(original, size)
			w.change(naming.AttributeSize, owner)
		}
		value.SetStr(original)
	}
}

// maxOriginal limits the originals that are kept, also if values have no limit.
const maxOriginal = 4096

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

// shorten returns the short form of a name that is too long, and counts the change.
func (w *walk) shorten(name string, owner *naming.System) string {
	w.change(naming.NameLength, owner)
	return naming.Shorten(name)
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
