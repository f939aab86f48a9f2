// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// The functions below move what comes behind the first items of a batch to a new batch, with the resources, scopes
// and metrics that it belongs to.

func cutTraces(td ptrace.Traces, keep int) ptrace.Traces {
	rest := ptrace.NewTraces()
	cut(td.ResourceSpans(), rest.ResourceSpans(), &keep,
		func(rs ptrace.ResourceSpans) int { return sum(rs.ScopeSpans().All(), spansIn) },
		func(rs, to ptrace.ResourceSpans, keep *int) {
			rs.Resource().CopyTo(to.Resource())
			to.SetSchemaUrl(rs.SchemaUrl())
			cut(rs.ScopeSpans(), to.ScopeSpans(), keep, spansIn, func(ss, to ptrace.ScopeSpans, keep *int) {
				ss.Scope().CopyTo(to.Scope())
				to.SetSchemaUrl(ss.SchemaUrl())
				move(ss.Spans(), to.Spans(), keep)
			})
		})
	return rest
}

func spansIn(ss ptrace.ScopeSpans) int { return ss.Spans().Len() }

func cutLogs(ld plog.Logs, keep int) plog.Logs {
	rest := plog.NewLogs()
	cut(ld.ResourceLogs(), rest.ResourceLogs(), &keep,
		func(rl plog.ResourceLogs) int { return sum(rl.ScopeLogs().All(), recordsIn) },
		func(rl, to plog.ResourceLogs, keep *int) {
			rl.Resource().CopyTo(to.Resource())
			to.SetSchemaUrl(rl.SchemaUrl())
			cut(rl.ScopeLogs(), to.ScopeLogs(), keep, recordsIn, func(sl, to plog.ScopeLogs, keep *int) {
				sl.Scope().CopyTo(to.Scope())
				to.SetSchemaUrl(sl.SchemaUrl())
				move(sl.LogRecords(), to.LogRecords(), keep)
			})
		})
	return rest
}

func recordsIn(sl plog.ScopeLogs) int { return sl.LogRecords().Len() }

func cutMetrics(md pmetric.Metrics, keep int) pmetric.Metrics {
	rest := pmetric.NewMetrics()
	cut(md.ResourceMetrics(), rest.ResourceMetrics(), &keep,
		func(rm pmetric.ResourceMetrics) int { return sum(rm.ScopeMetrics().All(), datapoints.CountIn) },
		func(rm, to pmetric.ResourceMetrics, keep *int) {
			rm.Resource().CopyTo(to.Resource())
			to.SetSchemaUrl(rm.SchemaUrl())
			cut(rm.ScopeMetrics(), to.ScopeMetrics(), keep, datapoints.CountIn, func(sm, to pmetric.ScopeMetrics, keep *int) {
				sm.Scope().CopyTo(to.Scope())
				to.SetSchemaUrl(sm.SchemaUrl())
				cut(sm.Metrics(), to.Metrics(), keep, datapoints.Count, cutMetric)
			})
		})
	return rest
}

// cutMetric moves the points behind the first ones to a metric of the same identity.
func cutMetric(metric, to pmetric.Metric, keep *int) {
	datapoints.CopyIdentity(metric, to)
	switch metric.Type() {
	case pmetric.MetricTypeGauge:
		move(metric.Gauge().DataPoints(), to.Gauge().DataPoints(), keep)
	case pmetric.MetricTypeSum:
		move(metric.Sum().DataPoints(), to.Sum().DataPoints(), keep)
	case pmetric.MetricTypeHistogram:
		move(metric.Histogram().DataPoints(), to.Histogram().DataPoints(), keep)
	case pmetric.MetricTypeExponentialHistogram:
		move(metric.ExponentialHistogram().DataPoints(), to.ExponentialHistogram().DataPoints(), keep)
	case pmetric.MetricTypeSummary:
		move(metric.Summary().DataPoints(), to.Summary().DataPoints(), keep)
	}
}

// slice is a slice of pdata.
type slice[E any] interface {
	RemoveIf(func(E) bool)
	AppendEmpty() E
}

type element[E any] interface{ MoveTo(E) }

// cut moves what comes behind the first items from one slice to another. Of the element that has the last of them,
// divide moves what comes behind.
func cut[S slice[E], E element[E]](from, to S, keep *int, count func(E) int, divide func(element, to E, keep *int)) {
	reached := false
	from.RemoveIf(func(one E) bool {
		n := count(one)
		switch {
		case !reached && n <= *keep:
			*keep -= n
			return false
		case *keep == 0:
			reached = true
			one.MoveTo(to.AppendEmpty())
			return true
		}
		reached = true
		divide(one, to.AppendEmpty(), keep)
		return false
	})
}

// move moves the items behind the first ones.
func move[S slice[E], E element[E]](from, to S, keep *int) {
	from.RemoveIf(func(item E) bool {
		if *keep > 0 {
			*keep--
			return false
		}
		item.MoveTo(to.AppendEmpty())
		return true
	})
}

func sum[E any](all iter.Seq2[int, E], count func(E) int) (items int) {
	for _, one := range all {
		items += count(one)
	}
	return items
}
