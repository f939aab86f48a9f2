// SPDX-License-Identifier: Apache-2.0

// Package identity computes the hashes that identify resources, scopes, streams and series.
// [Of] hashes the attributes of a data point with and without those that the plan drops.
// [Cache] returns the same hashes faster for points with the same keys. The package may not
// know the metrics, the budgets or what is stored about a series.
package identity

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// OverflowKey is the attribute of overflow series, as in OpenTelemetry's SDKs.
const OverflowKey = "otel.metric.overflow"

// Point is the identity of a data point.
type Point struct {
	Stream   attrhash.Hash // of all attributes
	Series   attrhash.Hash // of the attributes that are kept
	Dropped  bool          // an attribute is dropped
	Limited  bool          // an attribute that is kept has limited values
	Overflow bool          // the attributes that are kept are those of an overflow series
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
		// A plan must not drop the only attribute of an overflow series.
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

// Replaced returns the identity of a series after some values are replaced.
func Replaced(seed uint64, attrs pcommon.Map, keys *plan.Keys, replaced plan.Replaced) attrhash.Hash {
	changed := pcommon.NewMap()
	attrs.CopyTo(changed)
	changed.RemoveIf(func(key string, _ pcommon.Value) bool { return keys.Drops(key) })
	keys.Replace(changed, replaced)
	return attrhash.Map(seed, changed)
}
