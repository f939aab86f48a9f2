// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// emit replaces the points of each merged output by one point, at the index of the first. The
// points of other outputs stay as they came.
func (p *metricWalk[S, D, T, M]) emit() {
	if p.exemplars {
		p.gatherExemplars()
	}
	for _, index := range p.streams.Touched {
		e := p.streams.Emit(&p.batch, index)
		at := int(e.Output.Point)
		switch {
		case e.AsCame:
			continue
		case e.None:
			p.outcomes[at] = series.Drop
			continue
		}
		dp := p.all.At(at)
		p.write(dp, e.Value)
		p.rewrite(e.Output, dp.Attributes())
		setInterval(dp, e.Interval)
		if e.End {
			end := p.all.AppendEmpty()
			p.outcomes = append(p.outcomes, series.Keep)
			dp.Attributes().CopyTo(end.Attributes())
			p.write(end, nil)
			setInterval(end, e.EndOf)
		}
	}
	for i, outcome := range p.outcomes {
		p.outcomes[i] = p.streams.Decide(&p.batch, i, outcome)
	}
}

// write sets the value of a point; nil makes it a stale marker.
func (p *metricWalk[S, D, T, M]) write(dp D, value *T) {
	dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(value == nil))
	if value == nil {
		value = &p.point.Value
		M(value).Reset()
	}
	p.kind.Write(value, dp)
}

func setInterval[D pointtype.Point](dp D, i series.Interval) {
	dp.SetStartTimestamp(i.Start)
	dp.SetTimestamp(i.Time)
}

// rewrite replaces a point's attributes by its output's.
func (p *metricWalk[S, D, T, M]) rewrite(o *series.Output[T], attrs pcommon.Map) {
	keys := p.locked.Plan().Keys
	if o.Overflow {
		attrs.Clear()
		attrs.PutBool(identity.OverflowKey, true)
		return
	}
	p.ids.Drop(attrs, keys)
	keys.Replace(attrs, o.Replaced)
}

// maxExemplars is the largest number of exemplars of a merged point.
const maxExemplars = 8

// gatherExemplars moves the exemplars of merged points to the points that are sent. The
// attributes that a point loses become filtered attributes of its exemplars.
func (p *metricWalk[S, D, T, M]) gatherExemplars() {
	for i, outcome := range p.outcomes {
		o, ok := p.streams.Merged(outcome)
		if !ok {
			continue
		}
		dp := p.all.At(i)
		from := p.kind.Exemplars(dp)
		if from.Len() == 0 {
			continue
		}
		to := p.kind.Exemplars(p.all.At(int(o.Point)))
		room := maxExemplars - to.Len()
		if i == int(o.Point) {
			room = maxExemplars
		}
		n := 0
		from.RemoveIf(func(pmetric.Exemplar) bool { n++; return n > room })
		lost := lostAttributes(p.locked.Plan().Keys, o.Overflow, o.Replaced, dp.Attributes())
		for _, exemplar := range from.All() {
			for key, value := range lost.All() {
				if filtered, exists := exemplar.FilteredAttributes().GetOrPutEmpty(key); !exists {
					value.CopyTo(filtered)
				}
			}
		}
		if i != int(o.Point) {
			from.MoveAndAppendTo(to)
		}
	}
}

// lostAttributes returns the attributes of a point that its output does not have.
func lostAttributes(keys *plan.Keys, overflow bool, replaced plan.Replaced, attrs pcommon.Map) pcommon.Map {
	lost := pcommon.NewMap()
	attrs.CopyTo(lost)
	lost.RemoveIf(func(key string, value pcommon.Value) bool {
		return !overflow && !keys.Loses(key, value, replaced)
	})
	return lost
}
