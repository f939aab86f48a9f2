package namingprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/keycache"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/known"
)

// walk is the state of one pass over one batch. It belongs to one goroutine, and
// then to the next batch, which mostly has the same keys.
type walk struct {
	p     *namingProcessor
	known *known.Names
	tally

	keys    keycache.Set[knownKey] // by the index of their owner
	service string                 // of the resource at hand
	period  uint64                 // of the budget of span names

	builder   xpdata.MapBuilder // of a map whose attributes get other keys
	winners   map[string]string // which attribute is to have a new key
	spans     [recentSpans]recentSpan
	scopes    []*naming.Context // the scopes of the batch's metrics, in order
	claimants []claimant        // the batch's metrics, in order
	merges    merges            // the metrics of one scope, by target
}

func (p *namingProcessor) newWalk() *walk {
	return &walk{
		p: p, known: p.known, tally: p.telemetry.newTally(), merges: merges{}, winners: map[string]string{},
	}
}

// end counts what the walk did, and leaves it to another batch with nothing of
// this one's but a few keys.
func (w *walk) end(ctx context.Context) {
	w.p.telemetry.add(ctx, &w.tally)
	w.reset()
	clear(w.spans[:])
	clear(w.scopes)
	clear(w.claimants)
	clear(w.merges)
	w.scopes, w.claimants = w.scopes[:0], w.claimants[:0]
	w.service = ""
	w.p.walks.Put(w)
}

// owner is the system that owns what a resource and a scope send, or nil.
func (w *walk) owner(resource pcommon.Map, scope string) *naming.System {
	return w.p.namer.Owner(func(key string) (string, bool) { return attributes.Text(resource, key) }, scope)
}

// context returns what is known of the items of one scope.
func (w *walk) context(resource pcommon.Map, service, scope string) *naming.Context {
	return w.known.Context(naming.Context{Owner: w.owner(resource, scope), Scope: scope, Service: service})
}

// fill puts the values that were in a name into attributes. An attribute that is
// there already is left as it is.
func (w *walk) fill(attrs pcommon.Map, values []naming.Attribute, owner *naming.System) {
	for _, a := range values {
		key, d := a.Key, w.known.Attribute(owner, a.Key)
		if d != nil {
			key = d.Key
		}
		if _, ok := attrs.Get(key); ok {
			continue
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

// keep remembers the name that is replaced. The first original stays, should
// another collector have replaced a name already. An empty name is not worth
// an attribute.
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

// maxOriginal bounds the originals that are kept, also where values have no cap.
const maxOriginal = 4096

// text is a string attribute's value, or empty.
func text(attrs pcommon.Map, key string) string {
	value, _ := attributes.Text(attrs, key)
	return value
}
