// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/decisions"
)

// copied leaves a copy of an earlier collector as it is, but for what must not be exported.
func (w *walk) copied(ctx *naming.Context, m pmetric.Metric, original string, fits bool) {
	w.item(w.protectPoints(m, w.decisions.CopyOwner(ctx, original, m.Name())) && fits)
}

// also adds the copies of a conformant metric that rules make. The metric gets their names, so that a later
// collector does not decide on them again.
func (w *walk) also(m pmetric.Metric, decision *decisions.Metric) {
	if len(decision.Copies) == 0 {
		return
	}
	decided := decidedCopies(m.Metadata())
	for i := range decision.Copies {
		c := &decision.Copies[i]
		switch {
		case isDecidedCopy(m.Metadata(), c.Name, decided):
		case c.Unconvertible:
			if selects(m, c) {
				w.violation(naming.MetricUnit, decision.System)
			}
		default:
			w.alsoBy(m, decision, c)
		}
	}
}

func (w *walk) alsoBy(m pmetric.Metric, decision *decisions.Metric, c *decisions.Copy) {
	addDecidedCopy(m.Metadata(), c.Name) // a later collector does not know all claims to the name
	if !selects(m, c) {
		return
	}
	verdict, owner := w.decisions.CopyVerdict(c), decision.System
	if verdict != nil && !verdict.Granted {
		w.violation(naming.MetricCollision, decision.System)
		return
	}
	to := w.batch.copies.AppendEmpty()
	m.CopyTo(to)
	if !c.SelectsAll() {
		datapoints.RemoveIf(to, func(attrs pcommon.Map) bool { return !c.Selects(textOf(attrs)) })
	}
	to.SetName(c.Name)
	to.Metadata().RemoveIf(func(key string, _ pcommon.Value) bool {
		return key == naming.OriginalNameKey || key == naming.CopiesKey || key == naming.ScrapedTypeKey
	})
	setCopyOf(to.Metadata(), m.Name())
	from, unit, _ := c.Units(m.Unit())
	to.SetUnit(from)
	if from != unit {
		convertMetric(to, unit)
	}
	if c.Rekeys() {
		for attrs := range datapoints.Attributes(to) {
			w.rekeyCopy(attrs, c, owner)
		}
	}
	w.copy(owner)
	if verdict == nil {
		return
	}
	if verdict.Unit != "" {
		convertMetric(to, verdict.Unit)
	}
	if verdict.Shared {
		w.fillPoints(to, m.Name(), owner)
	}
	if w.merge(verdict, to, owner) {
		w.removeLastCopy()
	}
}

// selects reports whether a copy has any point of a metric.
func selects(m pmetric.Metric, c *decisions.Copy) bool {
	if c.SelectsAll() {
		return true
	}
	for attrs := range datapoints.Attributes(m) {
		if c.Selects(textOf(attrs)) {
			return true
		}
	}
	return false
}

// textOf returns a function that returns the attributes that are texts. Others select no point: a number and its
// text are two values, and without them two points would be one.
func textOf(attrs pcommon.Map) func(key string) (string, bool) {
	return func(key string) (string, bool) {
		value, ok := attrs.Get(key)
		if !ok || value.Type() != pcommon.ValueTypeStr {
			return "", false
		}
		return value.Str(), true
	}
}

// rekeyCopy gives the attributes of a point the keys of a copy, and adds those that all of its points have.
func (w *walk) rekeyCopy(attrs pcommon.Map, c *decisions.Copy, owner *naming.System) {
	w.batch.builder.EnsureCapacity(attrs.Len() + len(c.Set))
	has := func(key string) bool { _, ok := attrs.Get(key); return ok }
	for key, value := range attrs.All() {
		if c.Drops(key) {
			continue
		}
		to, taken := c.Key(key, has)
		if taken {
			w.violation(naming.AttributeCollision, owner)
		}
		value.CopyTo(w.batch.builder.AppendEmpty(to))
	}
	for _, a := range c.Set {
		w.batch.builder.AppendEmpty(a.Key).SetStr(a.Value)
	}
	w.batch.builder.UnsafeIntoMap(attrs)
}

// removeLastCopy removes the last copy, whose points were moved.
func (w *walk) removeLastCopy() {
	i, last := -1, w.batch.copies.Len()-1
	w.batch.copies.RemoveIf(func(pmetric.Metric) bool { i++; return i == last })
}

// protectPoints removes from the points of a copy what a pack calls sensitive, and shortens what is too
// long. All other attributes stay as they are. It reports whether it changed nothing.
func (w *walk) protectPoints(m pmetric.Metric, owner *naming.System) (conformant bool) {
	conformant = true
	for attrs := range datapoints.Attributes(m) {
		conformant = w.nested(attrs, owner) && conformant
	}
	for exemplars := range datapoints.Exemplars(m) {
		for _, exemplar := range exemplars.All() {
			conformant = w.nested(exemplar.FilteredAttributes(), owner) && conformant
		}
	}
	return conformant
}
