// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// nearBudget is the share of a limit above which there is a finding.
const nearBudget = 0.8

// MetricInfo describes one metric of one service. It is safe for concurrent use.
type MetricInfo struct {
	service *ServiceCounts
	name    string
	system  string // that owns the metric
	seen    moment

	mu         sync.Mutex
	instrument Instrument
}

// Instrument is the type and the unit of a metric.
type Instrument struct{ Type, Unit string }

type metricKey struct {
	service *ServiceCounts
	name    string
}

// Metric returns the description of a metric, or nil if there is no room. system returns the system that owns it.
func (b *Builder) Metric(svc *ServiceCounts, name string, system func() string) *MetricInfo {
	name = conformance.Kept(name)
	return b.metrics.of(metricKey{svc, name}, func() (metricKey, *MetricInfo) {
		m := &MetricInfo{service: svc, name: strings.Clone(name), system: system()}
		m.seen.set(time.Now())
		return metricKey{svc, m.name}, m
	})
}

// Seen sets when the metric came last, and as what.
func (m *MetricInfo) Seen(as Instrument, now time.Time) {
	m.seen.set(now)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.instrument != as {
		m.instrument = Instrument{as.Type, strings.Clone(conformance.Kept(as.Unit))}
	}
}

// report returns the metric with what cardinality knows of it, which may be nil.
func (m *MetricInfo) report(cost *conformance.Cost) conformance.Metric {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := conformance.Metric{
		Service: m.service.Name, Name: m.name, System: m.system, Type: m.instrument.Type, Unit: m.instrument.Unit,
		Attributes: []conformance.MetricAttribute{},
	}
	if cost == nil {
		return r
	}
	r.Series, r.Limit = cost.Out.Series, cost.Limit
	for _, a := range cost.Attributes {
		r.Attributes = append(r.Attributes, conformance.MetricAttribute{Key: a.Key, Values: a.Values, Exact: a.Exact, ID: a.ID})
	}
	slices.SortFunc(r.Attributes, func(a, b conformance.MetricAttribute) int {
		return cmp.Or(b.Values-a.Values, strings.Compare(a.Key, b.Key))
	})
	r.Merged = merged(r.Attributes, cost.In.Series)
	return r
}

// merged returns the most of a number of series that can remain without the ids, or 0 without ids.
func merged(attributes []conformance.MetricAttribute, series int) int {
	n, ids := 1, false
	for _, a := range attributes {
		if a.ID != "" {
			ids = true
		} else {
			n = min(n*max(a.Values, 1), series)
		}
	}
	if !ids {
		return 0
	}
	return n
}

// reportMetrics returns the metrics, and adds findings for those with nearly as many series as they may have.
func (b *Builder) reportMetrics(costs metricCosts) []conformance.Metric {
	all := []conformance.Metric{}
	for _, info := range b.metrics.all() {
		c := costs[costName{info.service.Name, info.name}]
		m := info.report(c)
		all = append(all, m)
		if c == nil || c.Refused() > 0 || float64(m.Series) <= nearBudget*float64(m.Limit) || m.Series > m.Limit {
			continue // several resources can have more than the limit of one
		}
		found := b.Finding(Key{Rule: RuleNearBudget, Kind: KindMetric, Service: info.service, Original: info.name})
		found.count.Add(1)
		if found.Service != nil { // not the shared row of a full table
			found.Paste = pasteFewer(c)
		}
	}
	slices.SortFunc(all, func(a, b conformance.Metric) int {
		return cmp.Or(b.Series-a.Series, strings.Compare(a.Service, b.Service), strings.Compare(a.Name, b.Name))
	})
	return all
}

// pasteFewer returns what keeps a metric within its limit: the fix for the attribute that makes its series, or else
// an override with a sufficient limit.
func pasteFewer(c *conformance.Cost) string {
	if a := c.Exploding(); a != nil && len(a.Fixes) > 0 {
		return a.Fixes[0].YAML
	}
	if c.Raise == nil {
		return ""
	}
	return c.Raise(max(2*c.In.Series, c.Limit))
}
