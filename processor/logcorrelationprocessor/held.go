package logcorrelationprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// held is a record that was taken out of its batch. Nothing refers to the batch.
type held struct {
	record plog.LogRecord
	scope  *heldScope
	bytes  int

	done    bool // it has got its ids
	several bool // traces have one of its keys
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

// taking takes subjects out of their batch.
type taking struct {
	subjects []subject
	resource *heldResource // of the resource at hand, when it has a held record
	scope    *heldScope
	taken    []*held
}

// takeOut takes out the subjects that wait, and the scopes and resources that have no
// other record.
func takeOut(ld plog.Logs, subjects []subject) []*held {
	t := &taking{subjects: subjects}
	t.skip()
	ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		t.resource = nil
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			t.scope = nil
			sl.LogRecords().RemoveIf(func(record plog.LogRecord) bool { return t.take(rl, sl, record) })
			return t.scope != nil && sl.LogRecords().Len() == 0
		})
		return t.resource != nil && rl.ScopeLogs().Len() == 0
	})
	return t.taken
}

// skip skips the subjects that do not wait.
func (t *taking) skip() {
	for len(t.subjects) > 0 && !t.subjects[0].waits {
		t.subjects = t.subjects[1:]
	}
}

// take takes a record if it is the next that waits.
func (t *taking) take(rl plog.ResourceLogs, sl plog.ScopeLogs, record plog.LogRecord) bool {
	if len(t.subjects) == 0 || t.subjects[0].record != record {
		return false
	}
	h := &held{record: plog.NewLogRecord(), bytes: t.subjects[0].bytes, several: t.subjects[0].several}
	record.MoveTo(h.record)
	if t.resource == nil {
		t.resource = &heldResource{pcommon.NewResource(), rl.SchemaUrl()}
		rl.Resource().CopyTo(t.resource.resource)
		h.bytes += sharedBytes + sizeOfMap(t.resource.resource.Attributes())
	}
	if t.scope == nil {
		t.scope = &heldScope{t.resource, pcommon.NewInstrumentationScope(), sl.SchemaUrl()}
		sl.Scope().CopyTo(t.scope.scope)
		h.bytes += sharedBytes + sizeOfMap(t.scope.scope.Attributes())
	}
	h.scope = t.scope
	t.taken = append(t.taken, h)
	t.subjects = t.subjects[1:]
	t.skip()
	return true
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
