package logcorrelationprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// What parts of held data take in memory, besides texts. TestMemoryOfHeldRecords
// measures it.
const (
	recordBytes    = 400 // with what the queue knows about it
	sharedBytes    = 192 // a resource or a scope
	attributeBytes = 56
	valueBytes     = 24
)

// sizeOf is about how much memory a record takes.
func sizeOf(record plog.LogRecord) int {
	return recordBytes + len(record.SeverityText()) + len(record.EventName()) +
		sizeOfValue(record.Body()) + sizeOfMap(record.Attributes())
}

func sizeOfMap(m pcommon.Map) int {
	size := 0
	for key, value := range m.All() {
		size += attributeBytes + len(key) + sizeOfValue(value)
	}
	return size
}

func sizeOfValue(value pcommon.Value) int {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return valueBytes + len(value.Str())
	case pcommon.ValueTypeBytes:
		return valueBytes + value.Bytes().Len()
	case pcommon.ValueTypeMap:
		return valueBytes + sizeOfMap(value.Map())
	case pcommon.ValueTypeSlice:
		size := valueBytes
		for _, element := range value.Slice().All() {
			size += valueBytes + sizeOfValue(element)
		}
		return size
	default:
		return valueBytes
	}
}
