// SPDX-License-Identifier: Apache-2.0

package rewrite

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/names"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// values makes the query convert values whose unit is another one on our page.
func (r *rewriting) values(s *promql.Selector, metric names.Metric) {
	if metric.Back == nil {
		return
	}
	switch metric.Part {
	case names.Bucket:
		r.bounds(s, metric)
	case names.Value:
		r.samples(s, metric)
	}
}

// samples puts the factor behind the selector, or behind the function of its range.
func (r *rewriting) samples(s *promql.Selector, metric names.Metric) {
	suffix := metric.Back.Suffix()
	call, ranged := s.Function()
	switch {
	case call != nil && r.IsVariable(call), ranged && call == nil:
		r.cannot("values of %s have another unit, and the function is a variable", metric.Name)
	case call != nil && ignoresValues(call.Func.Name):
	case !ranged:
		r.wrap(s.Node, suffix)
	case scales(call.Func.Name):
		r.wrap(call, suffix)
	default:
		r.cannot("values of %s have another unit, and %s() cannot be converted", metric.Name, call.Func.Name)
	}
}

// ignoresValues reports whether a function's result does not depend on the unit of values.
func ignoresValues(function string) bool {
	switch function {
	case "absent", "absent_over_time", "timestamp", "count_over_time", "present_over_time", "changes", "resets",
		"ts_of_min_over_time", "ts_of_max_over_time", "ts_of_last_over_time", "ts_of_first_over_time":
		return true
	}
	return false
}

// scales reports whether a function of ten times the values is ten times the function.
func scales(function string) bool {
	switch function {
	case "rate", "irate", "increase", "delta", "idelta", "deriv", "predict_linear", "double_exponential_smoothing",
		"avg_over_time", "min_over_time", "max_over_time", "sum_over_time", "last_over_time", "first_over_time",
		"quantile_over_time", "stddev_over_time", "mad_over_time":
		return true
	}
	return false
}

// bounds converts the bounds of buckets: those that the query has, and the result of histogram_quantile().
func (r *rewriting) bounds(s *promql.Selector, metric names.Metric) {
	if m, ok := s.Matcher(model.BucketLabel); ok {
		r.bound(m, metric)
		return
	}
	classic := strings.HasSuffix(s.Name, "_bucket") // a native histogram has its bounds in its values
	for i := len(s.Parents) - 1; i >= 0; i-- {
		switch n := s.Parents[i].(type) {
		case *parser.AggregateExpr:
			if classic && !promql.KeepsLabels(n.Op) && len(r.Sources(n, model.BucketLabel)) == 0 {
				return // the buckets are no longer apart
			}
		case *parser.Call:
			switch n.Func.Name {
			case "histogram_quantile":
				r.quantile(n, metric)
				return
			case "histogram_fraction":
				r.cannot("bounds of %s have another unit, and histogram_fraction() has bounds", metric.Name)
				return
			}
		}
	}
	r.cannot("the bounds le of %s have another unit, and the query's result has them", metric.Name)
}

// quantile converts the result of histogram_quantile().
func (r *rewriting) quantile(call *parser.Call, metric names.Metric) {
	for _, other := range r.Sources(call.Args[len(call.Args)-1], model.BucketLabel) {
		if back := r.metrics[other].Back; back == nil || *back != *metric.Back {
			r.cannot("bounds of %s have another unit, and those of %s have not", metric.Name, other.Name)
			return
		}
	}
	r.wrap(call, metric.Back.Suffix())
}

// bound converts a bound in a matcher. Depending on its version, Prometheus writes 1 or 1.0.
func (r *rewriting) bound(m promql.Matcher, metric names.Metric) {
	old, err := strconv.ParseFloat(m.Value, 64)
	switch {
	case m.Value == "+Inf":
		return
	case err != nil || m.Type != labels.MatchEqual || m.Text.Variable:
		r.cannot("the bounds le of %s have another unit, and the query has a pattern of them", metric.Name)
		return
	}
	bound := strconv.FormatFloat(metric.Back.Forward(old), 'g', -1, 64)
	if _, err := strconv.Atoi(bound); err == nil {
		r.replace(m.Operator, "=~")
		bound += "|" + bound + ".0"
	}
	r.replace(m.Text, bound)
}

// merged checks that the query's result stays although series are merged, because our page does not have some of their
// labels. A query that is rewritten for our page must not change by labels that its series may have, either.
func (r *rewriting) merged(s *promql.Selector, metric names.Metric) {
	lost, reason := r.needed(s, metric.Lost, metric.Merge)
	if len(lost) > 0 {
		r.cannot("series of %s lose %s and are merged: %s", metric.Name, listed(lost), reason)
		return
	}
	if metric.Name == s.Name && len(r.result.Edits) == 0 {
		return
	}
	if lost, reason = r.needed(s, metric.MayLose, metric.Merge); len(lost) > 0 {
		r.cannot("series of %s that have %s are merged: %s. --metrics with a page that has %s decides", metric.Name, listed(lost), reason, s.Name)
	}
}

// needed returns the labels on which the query's result depends, and why.
func (r *rewriting) needed(s *promql.Selector, labels []string, merge promql.Merge) (needed []string, reason string) {
	for _, label := range labels {
		if verdict := r.Fold(s, label, merge); verdict.Reason != "" {
			needed, reason = append(needed, label), verdict.Reason
		}
	}
	return needed, reason
}

// maxListed is the number of labels in a reason.
const maxListed = 3

func listed(labels []string) string {
	if more := len(labels) - maxListed; more > 0 {
		return fmt.Sprintf("%s or %d others", strings.Join(labels[:maxListed], ", "), more)
	}
	return strings.Join(labels, ", ")
}
