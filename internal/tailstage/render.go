// SPDX-License-Identifier: Apache-2.0

package tailstage

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
)

// maxBytes is the size as OTLP of the largest item that is written as text, with its resource. What is longer
// than a text is looked through for secrets before it is cut, and that takes time.
const maxBytes = 64 << 10

// The functions below copy an item into a batch of its own, hide there what must not be seen, and write the
// copy as text. They leave out the events of a span: most have nothing but content or stack traces.

func (of *Shown) span(resource pcommon.Resource, span ptrace.Span) (item livetail.Item) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	resource.CopyTo(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(of.scope)
	shown := ss.Spans().AppendEmpty()
	shown.SetName(span.Name())
	span.Attributes().CopyTo(shown.Attributes())
	span.Links().CopyTo(shown.Links())
	if size := (&ptrace.ProtoMarshaler{}).TracesSize(td); size > maxBytes {
		return tooLarge(size)
	}
	of.hide(of.resourceOwner, rs.Resource().Attributes())
	of.hide(of.owner, shown.Attributes())
	for _, link := range shown.Links().All() {
		of.hide(of.owner, link.Attributes())
	}
	of.protect().Traces(td)
	item.Add(livetail.Name, "", shown.Name())
	addIDs(&item, span.TraceID(), span.SpanID())
	addMap(&item, livetail.Attribute, span.Attributes(), shown.Attributes())
	for i, link := range shown.Links().All() {
		was := span.Links().At(i)
		item.Add(livetail.Link, fmt.Sprintf("%s/%s", was.TraceID(), was.SpanID()), linkText(was, link))
	}
	addMap(&item, livetail.Resource, resource.Attributes(), rs.Resource().Attributes())
	return item
}

// linkText writes the attributes of a link in one text.
func linkText(was, shown ptrace.SpanLink) string {
	var b strings.Builder
	each(was.Attributes(), shown.Attributes(), func(key, value string) {
		if b.Len() < livetail.MaxText {
			fmt.Fprintf(&b, "%s=%s ", key, value)
		}
	})
	return strings.TrimSuffix(b.String(), " ")
}

func (of *Shown) log(resource pcommon.Resource, record plog.LogRecord) (item livetail.Item) {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	resource.CopyTo(rl.Resource())
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(of.scope)
	shown := sl.LogRecords().AppendEmpty()
	record.CopyTo(shown)
	if size := (&plog.ProtoMarshaler{}).LogsSize(ld); size > maxBytes {
		return tooLarge(size)
	}
	of.hide(of.resourceOwner, rl.Resource().Attributes())
	of.hide(of.owner, shown.Attributes())
	of.hideBody(shown.Body())
	of.protect().Logs(ld)
	if name := shown.EventName(); name != "" {
		item.Add(livetail.Name, "", name)
	}
	addIDs(&item, record.TraceID(), record.SpanID())
	if severity := record.SeverityText(); severity != "" {
		item.Add(livetail.Severity, "", severity)
	}
	item.Add(livetail.Body, "", textOf(record.Body(), shown.Body()))
	addMap(&item, livetail.Attribute, record.Attributes(), shown.Attributes())
	addMap(&item, livetail.Resource, resource.Attributes(), rl.Resource().Attributes())
	return item
}

func tooLarge(bytes int) (item livetail.Item) {
	item.Add(livetail.Everything, "", fmt.Sprintf("[%d bytes: too large to show]", bytes))
	return item
}

func addIDs(item *livetail.Item, trace pcommon.TraceID, span pcommon.SpanID) {
	if !trace.IsEmpty() {
		item.Add(livetail.TraceID, "", trace.String())
	}
	if !span.IsEmpty() {
		item.Add(livetail.SpanID, "", span.String())
	}
}

func addMap(item *livetail.Item, place livetail.Place, was, shown pcommon.Map) {
	each(was, shown, func(key, value string) { item.Add(place, key, value) })
}

// each calls do with the keys that a map had and the texts that may be seen of their values. What protection
// has added to the map that is shown, such as lengths, comes behind and is left out.
func each(was, shown pcommon.Map, do func(key, text string)) {
	values := make([]pcommon.Value, 0, shown.Len())
	for _, value := range shown.All() {
		values = append(values, value)
	}
	i := 0
	for key, value := range was.All() {
		do(key, textOf(value, values[i]))
		i++
	}
}
