package cardinalityprocessor

import (
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/internal/attributes"
)

// conversions are what naming makes of the values of one key that are not what they
// should be: it is asked once for each.
type conversions struct {
	mu  sync.Mutex
	all atomic.Pointer[map[wireValue]identity] // replaced with mu held
}

// wireValue is a value as it is sent.
type wireValue struct {
	kind pcommon.ValueType
	text string
	bits uint64
}

// maxConversions bounds the values of one key: a flag or a rank that is sent as text has
// a few.
const maxConversions = 256

// of returns the identity that a value will have, or false where there are too many.
func (c *conversions) of(a *wireAttribute, k *shapeKey, s *shapes, w *wire) (identity, bool) {
	if all := c.all.Load(); all != nil {
		if id, ok := (*all)[wireValue{a.kind, string(a.text), a.bits}]; ok {
			return id, true
		}
		if len(*all) == maxConversions {
			return identity{}, false
		}
	}
	if len(a.text) > maxMemoText {
		return identity{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	more := map[wireValue]identity{}
	if all := c.all.Load(); all != nil {
		more = maps.Clone(*all)
	}
	value := pcommon.NewValueEmpty()
	a.put(value)
	w.namer.Value(s.owner, k.values, value)
	id := hashPair(k.seed, value)
	more[wireValue{a.kind, string(a.text), a.bits}] = id
	c.all.Store(&more)
	return id, true
}

// put decodes a value.
func (a *wireAttribute) put(value pcommon.Value) {
	switch a.kind {
	case pcommon.ValueTypeStr:
		value.SetStr(string(a.text))
	case pcommon.ValueTypeInt:
		value.SetInt(int64(a.bits))
	case pcommon.ValueTypeDouble:
		value.SetDouble(math.Float64frombits(a.bits))
	case pcommon.ValueTypeBool:
		value.SetBool(a.bits != 0)
	}
}

// conforms tells whether a value is what it should be.
func (a *wireAttribute) conforms(d *naming.AttributeDecision) bool {
	if d.Type != "" && a.kind != attributes.TypeOf(d.Type) {
		return false
	}
	return d.Allowed == nil || a.kind == pcommon.ValueTypeStr &&
		(string(a.text) == naming.OtherValue || slices.Contains(d.Allowed, string(a.text)))
}
