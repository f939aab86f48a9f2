package tailstage

import (
	"fmt"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
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

func (of *Shown) metric(resource pcommon.Resource, metric pmetric.Metric) (item livetail.Item) {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	resource.CopyTo(rm.Resource())
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(of.scope)
	shown := sm.Metrics().AppendEmpty()
	first := firstPoint(metric)
	// All points are shown by a gauge: its attributes are protected as those of the others.
	first.attributes.CopyTo(shown.SetEmptyGauge().DataPoints().AppendEmpty().Attributes())
	if size := (&pmetric.ProtoMarshaler{}).MetricsSize(md); size > maxBytes {
		return tooLarge(size)
	}
	attrs := shown.Gauge().DataPoints().At(0).Attributes()
	of.hide(of.resourceOwner, rm.Resource().Attributes())
	of.hide(of.owner, attrs)
	of.protect().Metrics(md)
	item.Add(livetail.Name, "", metric.Name())
	item.Add(livetail.Unit, "", metric.Unit())
	item.Add(livetail.Type, "", metric.Type().String())
	item.Add(livetail.Value, "", first.value)
	item.Add(livetail.Points, "", strconv.Itoa(first.points))
	addMap(&item, livetail.Attribute, first.attributes, attrs)
	addMap(&item, livetail.Resource, resource.Attributes(), rm.Resource().Attributes())
	return item
}

// point is the first data point of a metric.
type point struct {
	attributes pcommon.Map
	value      string
	points     int
}

func firstPoint(m pmetric.Metric) point {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return firstNumber(m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		return firstNumber(m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		if all := m.Histogram().DataPoints(); all.Len() > 0 {
			return point{all.At(0).Attributes(), distribution(all.At(0).Count(), all.At(0).Sum()), all.Len()}
		}
	case pmetric.MetricTypeExponentialHistogram:
		if all := m.ExponentialHistogram().DataPoints(); all.Len() > 0 {
			return point{all.At(0).Attributes(), distribution(all.At(0).Count(), all.At(0).Sum()), all.Len()}
		}
	case pmetric.MetricTypeSummary:
		if all := m.Summary().DataPoints(); all.Len() > 0 {
			return point{all.At(0).Attributes(), distribution(all.At(0).Count(), all.At(0).Sum()), all.Len()}
		}
	}
	return point{attributes: pcommon.NewMap()}
}

func firstNumber(all pmetric.NumberDataPointSlice) point {
	if all.Len() == 0 {
		return point{attributes: pcommon.NewMap()}
	}
	p := point{attributes: all.At(0).Attributes(), points: all.Len()}
	switch all.At(0).ValueType() {
	case pmetric.NumberDataPointValueTypeInt:
		p.value = strconv.FormatInt(all.At(0).IntValue(), 10)
	case pmetric.NumberDataPointValueTypeDouble:
		p.value = strconv.FormatFloat(all.At(0).DoubleValue(), 'g', -1, 64)
	}
	return p
}

func distribution(count uint64, sum float64) string {
	return fmt.Sprintf("count %d, sum %g", count, sum)
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
