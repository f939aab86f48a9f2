// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// held is a record that was taken out of its batch. Nothing refers to the batch.
type held struct {
	record plog.LogRecord
	scope  *heldScope
	bytes  int

	done    bool // it has its ids
	several bool // several traces have one of its keys
}

// heldScope and heldResource are copies that the records of one batch share.
type heldScope struct {
	resource *heldResource
	scope    pcommon.InstrumentationScope
	schema   string
}

type heldResource struct {
	resource pcommon.Resource
	schema   string
}

// takeOut moves the subjects that wait out of a batch, and removes the scopes and resources without
// other records.
func takeOut(ld plog.Logs, subjects []subject) (taken []*held) {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(s subject) bool { return !s.waits })
	if len(subjects) == 0 {
		return nil
	}
	var lastResource plog.ResourceLogs
	var lastScope plog.ScopeLogs
	var resource *heldResource
	var scope *heldScope
	removeRecords(ld, func(rl plog.ResourceLogs, sl plog.ScopeLogs, record plog.LogRecord) bool {
		if len(subjects) == 0 || subjects[0].record != record {
			return false
		}
		h := &held{record: plog.NewLogRecord(), bytes: subjects[0].bytes, several: subjects[0].several}
		subjects = subjects[1:]
		record.MoveTo(h.record)
		if rl != lastResource {
			lastResource = rl
			resource = &heldResource{pcommon.NewResource(), rl.SchemaUrl()}
			rl.Resource().CopyTo(resource.resource)
			h.bytes += sharedBytes + sizeOfMap(resource.resource.Attributes())
		}
		if sl != lastScope {
			lastScope = sl
			scope = &heldScope{resource, pcommon.NewInstrumentationScope(), sl.SchemaUrl()}
			sl.Scope().CopyTo(scope.scope)
			h.bytes += sharedBytes + sizeOfMap(scope.scope.Attributes())
		}
		h.scope = scope
		taken = append(taken, h)
		return true
	})
	return taken
}

// render writes held records as a batch that shares nothing with them.
func render(all []*held) plog.Logs {
	ld := plog.NewLogs()
	resources := map[*heldResource]plog.ScopeLogsSlice{}
	scopes := map[*heldScope]plog.LogRecordSlice{}
	for _, h := range all {
		records, ok := scopes[h.scope]
		if !ok {
			inner, ok := resources[h.scope.resource]
			if !ok {
				rl := ld.ResourceLogs().AppendEmpty()
				rl.SetSchemaUrl(h.scope.resource.schema)
				h.scope.resource.resource.CopyTo(rl.Resource())
				inner = rl.ScopeLogs()
				resources[h.scope.resource] = inner
			}
			sl := inner.AppendEmpty()
			sl.SetSchemaUrl(h.scope.schema)
			h.scope.scope.CopyTo(sl.Scope())
			records = sl.LogRecords()
			scopes[h.scope] = records
		}
		h.record.CopyTo(records.AppendEmpty())
	}
	return ld
}

// The memory that parts of held data take, besides texts. TestMemoryOfHeldRecords measures it.
const (
	recordBytes    = 400 // with its entry in the queue
	sharedBytes    = 192 // a resource or a scope
	attributeBytes = 56
	valueBytes     = 24
)

// sizeOf returns about how much memory a record takes.
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
