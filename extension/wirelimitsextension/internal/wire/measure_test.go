// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"math/bits"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/entity"
)

// measured is what a recursive walk through decoded pdata finds, in the units of the checkers.
type measured struct {
	depth, extra int
	values       int // of attributes and bodies, which need not be encoded
}

// add counts a message at a depth, and returns the depth of its fields.
func (m *measured) add(depth int, k kind) int {
	m.depth = max(m.depth, depth)
	m.extra += weights[k]
	return depth + 1
}

func measureTraces(td ptrace.Traces) *measured {
	m := &measured{depth: 1}
	for _, rs := range td.ResourceSpans().All() {
		d := m.add(2, resourceSpans)
		m.resource(d, rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			d := m.add(d, scopeSpans)
			m.scope(d, ss.Scope())
			for _, s := range ss.Spans().All() {
				d := m.add(d, span)
				m.add(d, status)
				m.attributes(d, s.Attributes())
				for _, e := range s.Events().All() {
					m.attributes(m.add(d, event), e.Attributes())
				}
				for _, l := range s.Links().All() {
					m.attributes(m.add(d, link), l.Attributes())
				}
			}
		}
	}
	return m
}

func measureLogs(ld plog.Logs) *measured {
	m := &measured{depth: 1}
	for _, rl := range ld.ResourceLogs().All() {
		d := m.add(2, resourceLogs)
		m.resource(d, rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			d := m.add(d, scopeLogs)
			m.scope(d, sl.Scope())
			for _, lr := range sl.LogRecords().All() {
				d := m.add(d, logRecord)
				m.value(d, lr.Body())
				m.attributes(d, lr.Attributes())
			}
		}
	}
	return m
}

func measureMetrics(md pmetric.Metrics) *measured {
	m := &measured{depth: 1}
	for _, rm := range md.ResourceMetrics().All() {
		d := m.add(2, resourceMetrics)
		m.resource(d, rm.Resource())
		for _, sm := range rm.ScopeMetrics().All() {
			d := m.add(d, scopeMetrics)
			m.scope(d, sm.Scope())
			for _, one := range sm.Metrics().All() {
				m.metric(m.add(d, metric), one)
			}
		}
	}
	return m
}

func (m *measured) metric(d int, one pmetric.Metric) {
	m.attributes(d, one.Metadata())
	switch one.Type() {
	case pmetric.MetricTypeGauge:
		m.numbers(m.add(d, gauge), one.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		m.numbers(m.add(d, sum), one.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		d = m.add(d, histogram)
		for _, p := range one.Histogram().DataPoints().All() {
			d := m.add(d, histogramPoint)
			m.attributes(d, p.Attributes())
			m.exemplars(d, p.Exemplars())
		}
	case pmetric.MetricTypeExponentialHistogram:
		d = m.add(d, exponentialHistogram)
		for _, p := range one.ExponentialHistogram().DataPoints().All() {
			d := m.add(d, exponentialPoint)
			m.attributes(d, p.Attributes())
			m.exemplars(d, p.Exemplars())
			m.buckets(d, p.Positive())
			m.buckets(d, p.Negative())
		}
	case pmetric.MetricTypeSummary:
		d = m.add(d, summary)
		for _, p := range one.Summary().DataPoints().All() {
			d := m.add(d, summaryPoint)
			m.attributes(d, p.Attributes())
			for range p.QuantileValues().Len() {
				m.add(d, quantile)
			}
		}
	}
}

func (m *measured) numbers(d int, points pmetric.NumberDataPointSlice) {
	for _, p := range points.All() {
		d := m.add(d, numberPoint)
		m.attributes(d, p.Attributes())
		m.exemplars(d, p.Exemplars())
	}
}

func (m *measured) exemplars(d int, exemplars pmetric.ExemplarSlice) {
	for _, e := range exemplars.All() {
		m.attributes(m.add(d, exemplar), e.FilteredAttributes())
	}
}

func (m *measured) buckets(d int, b pmetric.ExponentialHistogramDataPointBuckets) {
	m.add(d, buckets)
	for _, count := range b.BucketCounts().All() {
		m.extra += weights[varints] * ((bits.Len64(count|1) + 6) / 7)
	}
}

func (m *measured) resource(d int, r pcommon.Resource) {
	d = m.add(d, resource)
	m.attributes(d, r.Attributes())
	for _, ref := range entity.ResourceEntityRefs(r).All() {
		m.add(d, entityRef)
		m.extra += weights[text] * (ref.IdKeys().Len() + ref.DescriptionKeys().Len())
	}
}

func (m *measured) scope(d int, s pcommon.InstrumentationScope) {
	m.attributes(m.add(d, scope), s.Attributes())
}

func (m *measured) attributes(d int, attributes pcommon.Map) {
	for _, v := range attributes.All() {
		m.value(m.add(d, keyValue), v)
	}
}

func (m *measured) value(d int, v pcommon.Value) {
	d = m.add(d, anyValue)
	m.values++
	switch v.Type() {
	case pcommon.ValueTypeSlice:
		d = m.add(d, arrayValue)
		for _, one := range v.Slice().All() {
			m.value(d, one)
		}
	case pcommon.ValueTypeMap:
		m.attributes(m.add(d, keyValueList), v.Map())
	}
}
