// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// The functions below move what comes behind the first items of a batch to a new batch, with the resources, scopes
// and metrics that it belongs to.

func cutTraces(td ptrace.Traces, keep int) ptrace.Traces {
	rest, reached := ptrace.NewTraces(), false
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		if reached {
			rs.MoveTo(rest.ResourceSpans().AppendEmpty())
			return true
		}
		before := rs.ScopeSpans().Len()
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			if n := ss.Spans().Len(); !reached && n <= keep {
				keep -= n
				return false
			}
			if !reached {
				reached = true
				to := rest.ResourceSpans().AppendEmpty()
				rs.Resource().CopyTo(to.Resource())
				to.SetSchemaUrl(rs.SchemaUrl())
			}
			to := rest.ResourceSpans().At(0).ScopeSpans().AppendEmpty()
			if keep == 0 {
				ss.MoveTo(to)
				return true
			}
			ss.Scope().CopyTo(to.Scope())
			to.SetSchemaUrl(ss.SchemaUrl())
			move(ss.Spans(), to.Spans(), keep)
			keep = 0
			return false
		})
		return before > 0 && rs.ScopeSpans().Len() == 0
	})
	return rest
}

func cutLogs(ld plog.Logs, keep int) plog.Logs {
	rest, reached := plog.NewLogs(), false
	ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		if reached {
			rl.MoveTo(rest.ResourceLogs().AppendEmpty())
			return true
		}
		before := rl.ScopeLogs().Len()
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			if n := sl.LogRecords().Len(); !reached && n <= keep {
				keep -= n
				return false
			}
			if !reached {
				reached = true
				to := rest.ResourceLogs().AppendEmpty()
				rl.Resource().CopyTo(to.Resource())
				to.SetSchemaUrl(rl.SchemaUrl())
			}
			to := rest.ResourceLogs().At(0).ScopeLogs().AppendEmpty()
			if keep == 0 {
				sl.MoveTo(to)
				return true
			}
			sl.Scope().CopyTo(to.Scope())
			to.SetSchemaUrl(sl.SchemaUrl())
			move(sl.LogRecords(), to.LogRecords(), keep)
			keep = 0
			return false
		})
		return before > 0 && rl.ScopeLogs().Len() == 0
	})
	return rest
}

func cutMetrics(md pmetric.Metrics, keep int) pmetric.Metrics {
	rest, reached := pmetric.NewMetrics(), false
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		if reached {
			rm.MoveTo(rest.ResourceMetrics().AppendEmpty())
			return true
		}
		before := rm.ScopeMetrics().Len()
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			if n := datapoints.CountIn(sm); !reached && n <= keep {
				keep -= n
				return false
			}
			if !reached {
				reached = true
				to := rest.ResourceMetrics().AppendEmpty()
				rm.Resource().CopyTo(to.Resource())
				to.SetSchemaUrl(rm.SchemaUrl())
			}
			to := rest.ResourceMetrics().At(0).ScopeMetrics().AppendEmpty()
			if keep == 0 {
				sm.MoveTo(to)
				return true
			}
			sm.Scope().CopyTo(to.Scope())
			to.SetSchemaUrl(sm.SchemaUrl())
			cutScope(sm.Metrics(), to.Metrics(), keep)
			keep = 0
			return false
		})
		return before > 0 && rm.ScopeMetrics().Len() == 0
	})
	return rest
}

func cutScope(metrics, to pmetric.MetricSlice, keep int) {
	reached := false
	metrics.RemoveIf(func(metric pmetric.Metric) bool {
		n := datapoints.Count(metric)
		switch {
		case !reached && n <= keep:
			keep -= n
			return false
		case keep == 0:
			reached = true
			metric.MoveTo(to.AppendEmpty())
			return true
		}
		reached = true
		cutMetric(metric, to.AppendEmpty(), keep)
		keep = 0
		return false
	})
}

// cutMetric moves the points behind the first ones to a metric of the same identity.
func cutMetric(metric, to pmetric.Metric, keep int) {
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

// move moves the items behind the first ones.
func move[S interface {
	RemoveIf(func(E) bool)
	AppendEmpty() E
}, E interface{ MoveTo(E) }](from, to S, keep int) {
	i := 0
	from.RemoveIf(func(item E) bool {
		i++
		if i <= keep {
			return false
		}
		item.MoveTo(to.AppendEmpty())
		return true
	})
}
