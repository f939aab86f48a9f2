// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// item is what a span, an event of it and a record have.
type item struct {
	Scope string // of the span
	Span  map[string]any
	Event struct {
		Name       string
		Attributes map[string]any
	}
	Record struct {
		Scope, Name string
		Level       plog.SeverityNumber
		Attributes  map[string]any
		Body        any
	}
}

func (i item) batch(t *testing.T) batch {
	t.Helper()
	b := newBatch()
	b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName(i.Scope)
	b.logs.ResourceLogs().At(0).ScopeLogs().At(0).Scope().SetName(i.Record.Scope)
	event, record := spanOf(b).Events().At(0), recordOf(b)
	event.SetName(i.Event.Name)
	record.SetEventName(i.Record.Name)
	record.SetSeverityNumber(i.Record.Level)
	require.NoError(t, spanOf(b).Attributes().FromRaw(i.Span))
	require.NoError(t, event.Attributes().FromRaw(i.Event.Attributes))
	require.NoError(t, record.Attributes().FromRaw(i.Record.Attributes))
	require.NoError(t, record.Body().FromRaw(i.Record.Body))
	return b
}

// texts returns what a policy may change of an item.
func texts(b batch) map[string]any {
	event, record := spanOf(b).Events().At(0), recordOf(b)
	return map[string]any{
		"span": spanOf(b).Attributes().AsRaw(), "event": event.Attributes().AsRaw(), "event's name": event.Name(),
		"record": record.Attributes().AsRaw(), "body": record.Body().AsRaw(),
	}
}

// What the items of testdata/items.yaml lose, and that a second collector changes nothing.
func TestItems(t *testing.T) {
	for _, c := range testfiles.Cases[struct {
		About string
		Sent  item
		Want  *item // as sent without it
	}](t, "testdata/items.yaml") {
		p, b := content.New(content.Config{Allow: []string{"customer.note"}}, nil), c.Sent.batch(t)
		want := texts(b)
		if c.Want != nil {
			want = texts(c.Want.batch(t))
		}
		once := b.protected(t, p)
		assert.Equal(t, want, texts(b), c.About)
		assert.Equal(t, once, b.protected(t, p), "a second collector: %s", c.About)
	}
}
