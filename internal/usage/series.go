// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/otlptranslator"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Count is the number of series of a metric.
type Count struct {
	Now   int `json:"now"`
	After int `json:"after"` // without what is free
	// AtMost reports whether After is an upper bound: the conformance page knows each attribute on its own.
	AtMost bool `json:"at_most,omitempty"`
}

// Known is a metric that exists.
type Known struct {
	Name, Type string
	Samples    []string          // their names in queries
	Keys       map[string]string // of its attributes, by label
	Now        int
	// After returns the series that remain without labels.
	After  func(free map[string]bool) int
	AtMost bool
	// Undescribed reports whether its type and unit are unknown, and so some of its names in queries.
	Undescribed bool
}

// count returns the series now and without labels.
func (k *Known) count(free map[string]bool) *Count {
	if len(free) == 0 {
		return &Count{Now: k.Now, After: k.Now}
	}
	return &Count{Now: k.Now, After: min(k.Now, k.After(free)), AtMost: k.AtMost}
}

// Sorted returns metrics by their names.
func Sorted(byName map[string]*Known) (all []*Known) {
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name])
	}
	return all
}

// FromReport returns the metrics of a report of the conformance page.
func FromReport(report *conformance.Report) ([]*Known, error) {
	if !report.Explorer.Shared && len(report.Metrics) == 0 {
		return nil, errors.New("the report has no series: use cardinality and conformance with the conventions extension")
	}
	byName := map[string]*Known{}
	metric := func(m conformance.Metric) *Known {
		k := byName[m.Name]
		if k == nil {
			k = &Known{Name: m.Name, Type: m.Type, Keys: map[string]string{}, AtMost: true}
			byName[m.Name] = k
		} else if k.Type != m.Type {
			k.Type = "" // of two services
		}
		k.Samples = append(k.Samples, samplesOf(m)...)
		return k
	}
	for _, m := range report.Metrics {
		k := metric(m)
		for _, attribute := range m.Attributes {
			k.Keys[promql.LabelName(attribute.Key)] = attribute.Key
		}
	}
	costs := map[string][]*conformance.Cost{}
	for i := range report.Explorer.Metrics {
		cost := &report.Explorer.Metrics[i]
		k := byName[cost.Name]
		if k == nil {
			k = metric(conformance.Metric{Name: cost.Name})
			k.Undescribed = true
		}
		k.Now += cost.Out.Series * parts(cost, nil)
		costs[cost.Name] = append(costs[cost.Name], cost)
		for _, attribute := range cost.Attributes {
			if label := promql.LabelName(attribute.Key); attribute.Removed == "" {
				k.Keys[label] = attribute.Key
			} else {
				delete(k.Keys, label)
			}
		}
	}
	for name, k := range byName {
		slices.Sort(k.Samples)
		k.Samples = slices.Compact(k.Samples)
		k.After = func(free map[string]bool) int { return without(costs[name], free) }
	}
	return Sorted(byName), nil
}

// without returns the most series that remain without attributes.
func without(costs []*conformance.Cost, free map[string]bool) (all int) {
	for _, cost := range costs {
		left := cost.Out.Series
		for _, attribute := range cost.Attributes {
			if free[promql.LabelName(attribute.Key)] {
				left = min(left, attribute.Without)
			}
		}
		all += left * parts(cost, free)
	}
	return all
}

// parts returns how many series Prometheus has for one of a metric.
func parts(cost *conformance.Cost, free map[string]bool) int {
	switch {
	case cost.Buckets == 0:
		return 1
	case free[Bound]:
		return WithoutBuckets
	}
	return cost.Buckets + partsBesides
}

// A histogram has series for its sum and its count, and without buckets for the last one.
const (
	partsBesides   = 2
	WithoutBuckets = partsBesides + 1
)

// samplesOf returns the names in queries of a metric of the collector. Scraped metrics keep theirs.
func samplesOf(m conformance.Metric) []string {
	types := map[string]otlptranslator.MetricType{
		conformance.TypeGauge: otlptranslator.MetricTypeGauge, conformance.TypeCounter: otlptranslator.MetricTypeMonotonicCounter,
		conformance.TypeUpDownCounter: otlptranslator.MetricTypeNonMonotonicCounter, conformance.TypeHistogram: otlptranslator.MetricTypeHistogram,
		conformance.TypeExponentialHistogram: otlptranslator.MetricTypeExponentialHistogram, conformance.TypeSummary: otlptranslator.MetricTypeSummary,
	}
	names := promql.MetricNames(otlptranslator.Metric{Name: m.Name, Unit: m.Unit, Type: types[m.Type]})
	if m.Type == "" { // it can be any
		return append(Parts(Histogram, names...), Parts(Counter, names...)...)
	}
	return Parts(Type(strings.TrimPrefix(m.Type, "exponential_")), names...)
}

// Parts returns the names of the samples of a metric.
func Parts(t Type, names ...string) (all []string) {
	for _, name := range names {
		all = append(all, name)
		switch t {
		case Histogram:
			all = append(all, name+"_bucket", name+"_count", name+"_sum")
		case Summary:
			all = append(all, name+"_count", name+"_sum")
		case Counter:
			all = append(all, strings.TrimSuffix(name, "_total")+"_total")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
