// Package identity says which stream and which series a data point belongs to: it hashes
// the attributes of points, with and without those that rules drop.
package identity

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// OverflowKey is the attribute of the series of all that is past a limit. OpenTelemetry's
// SDKs use the same one.
const OverflowKey = "otel.metric.overflow"

// Point is what the attributes of a data point say.
type Point struct {
	Stream attrhash.Hash // of all attributes
	Series attrhash.Hash // of those that stay
	// Dropped: some do not stay. Limited: some that stay are limited in their values.
	// Overflow: those that stay are of an overflow series.
	Dropped, Limited, Overflow bool
}

// Resource returns the identity of a resource.
func Resource(seed uint64, attrs pcommon.Map) attrhash.Hash {
	return attrhash.Hash{Lo: seed}.Plus(attrhash.Map(seed, attrs))
}

// Scope returns the identity of a scope of a resource.
func Scope(seed uint64, resource attrhash.Hash, scope pcommon.InstrumentationScope) attrhash.Hash {
	attrs := attrhash.Map(seed, scope.Attributes())
	return resource.Text(scope.Name()).Text(scope.Version()).Number(attrs.Lo).Number(attrs.Hi)
}

// Of returns the identity of a data point with these attributes.
func Of(seed uint64, attrs pcommon.Map, keys *plan.Keys) (id Point) {
	stay, overflow := 0, false
	for key, value := range attrs.All() {
		pair := attrhash.Value(attrhash.Key(seed, key), value)
		id.Stream = id.Stream.Plus(pair)
		overflows := key == OverflowKey && value.Type() == pcommon.ValueTypeBool && value.Bool()
		// Whatever is to be kept, an overflow series is one.
		if keys.Drops(key) && (!overflows || attrs.Len() != 1) {
			id.Dropped = true
			continue
		}
		id.Series = id.Series.Plus(pair)
		id.Limited = id.Limited || keys.Limits(key)
		stay++
		overflow = overflow || overflows
	}
	id.Overflow = overflow && stay == 1
	return id
}

// Replaced returns the identity of a series some of whose values are replaced.
func Replaced(seed uint64, attrs pcommon.Map, keys *plan.Keys, replaced plan.Replaced) attrhash.Hash {
	changed := pcommon.NewMap()
	attrs.CopyTo(changed)
	changed.RemoveIf(func(key string, _ pcommon.Value) bool { return keys.Drops(key) })
	keys.Replace(changed, replaced)
	return attrhash.Map(seed, changed)
}
