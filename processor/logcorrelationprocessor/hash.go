package logcorrelationprocessor

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// hasher tells records apart. Its results differ from one start of the collector
// to the next, so that nobody can make two records look the same.
type hasher struct {
	seed    uint64
	records []xxh3.Uint128 // of the batch in order; zero for one that is never a duplicate
	record  []byte
	pair    []byte
}

func newSeed() uint64 { return rand.Uint64() }

// canCome says whether a record can be a duplicate. Without a time two events that
// look the same may be two.
func canCome(record plog.LogRecord) bool { return record.Timestamp() != 0 }

func (h *hasher) batch(ld plog.Logs) {
	h.records = h.records[:0]
	for _, rl := range ld.ResourceLogs().All() {
		resource := h.attributes(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				hash := xxh3.Uint128{}
				if canCome(record) {
					hash = h.of(resource, record)
				}
				h.records = append(h.records, hash)
			}
		}
	}
}

// of hashes what two handlers send alike of one event: not when they saw it, nor
// the scope.
func (h *hasher) of(resource xxh3.Uint128, record plog.LogRecord) xxh3.Uint128 {
	traceID, spanID := record.TraceID(), record.SpanID()
	b := appendHash(h.record[:0], resource)
	b = appendHash(b, h.attributes(record.Attributes()))
	b = binary.LittleEndian.AppendUint64(b, uint64(record.Timestamp()))
	b = binary.LittleEndian.AppendUint32(b, uint32(record.SeverityNumber()))
	b = binary.LittleEndian.AppendUint32(b, uint32(record.Flags()))
	b = append(b, traceID[:]...)
	b = append(b, spanID[:]...)
	b = appendText(b, record.SeverityText())
	b = appendText(b, record.EventName())
	b = appendValue(b, record.Body())
	h.record = b
	return xxh3.Hash128Seed(b, h.seed)
}

// attributes hashes a set of attributes, in any order. Where in the code an event
// was logged is left out: of two handlers the newer one may add it.
func (h *hasher) attributes(attributes pcommon.Map) (sum xxh3.Uint128) {
	for key, value := range attributes.All() {
		if strings.HasPrefix(key, "code.") {
			continue
		}
		h.pair = appendValue(appendText(h.pair[:0], key), value)
		hash := xxh3.Hash128Seed(h.pair, h.seed)
		var carry uint64
		sum.Lo, carry = bits.Add64(sum.Lo, hash.Lo, 0)
		sum.Hi, _ = bits.Add64(sum.Hi, hash.Hi, carry)
	}
	return sum
}

// appendValue writes a value so that no two different ones are written alike.
func appendValue(b []byte, value pcommon.Value) []byte {
	b = append(b, byte(value.Type()))
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return appendText(b, value.Str())
	case pcommon.ValueTypeInt:
		return binary.LittleEndian.AppendUint64(b, uint64(value.Int()))
	case pcommon.ValueTypeDouble:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(value.Double()))
	case pcommon.ValueTypeBool:
		if value.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case pcommon.ValueTypeBytes:
		b = binary.LittleEndian.AppendUint64(b, uint64(value.Bytes().Len()))
		for _, octet := range value.Bytes().All() {
			b = append(b, octet)
		}
	case pcommon.ValueTypeSlice:
		b = binary.LittleEndian.AppendUint64(b, uint64(value.Slice().Len()))
		for _, element := range value.Slice().All() {
			b = appendValue(b, element)
		}
	case pcommon.ValueTypeMap:
		b = binary.LittleEndian.AppendUint64(b, uint64(value.Map().Len()))
		for key, element := range value.Map().All() {
			b = appendValue(appendText(b, key), element)
		}
	}
	return b
}

func appendText(b []byte, text string) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(text)))
	return append(b, text...)
}

func appendHash(b []byte, hash xxh3.Uint128) []byte {
	b = binary.LittleEndian.AppendUint64(b, hash.Lo)
	return binary.LittleEndian.AppendUint64(b, hash.Hi)
}
