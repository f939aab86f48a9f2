// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"strings"

	"github.com/prometheus/otlptranslator"

	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Names translates names to those of Prometheus, and caches the results.
type Names struct {
	metrics namecache.Cache[otlptranslator.Metric, string]
	labels  namecache.Cache[string, string]
}

// NewNames returns an empty Names.
func NewNames() *Names {
	return &Names{metrics: namecache.New[otlptranslator.Metric, string](), labels: namecache.New[string, string]()}
}

// Metric returns a metric's name in Prometheus, with its unit and _total, unless its type is unknown. It
// returns "" if no character of the name can be kept.
func (n *Names) Metric(metric otlptranslator.Metric) string {
	if name, ok := n.metrics.Get(metric); ok {
		return name
	}
	name := promql.ScrapedName(metric.Name)
	if metric.Type != otlptranslator.MetricTypeUnknown {
		name = promql.MetricName(metric)
	}
	length := len(metric.Name) + len(metric.Unit)
	if length > namecache.MaxLength {
		return name
	}
	// Copy the strings, which share memory with a request.
	metric.Name, metric.Unit = strings.Clone(metric.Name), strings.Clone(metric.Unit)
	return n.metrics.Put(metric, length, strings.Clone(name))
}

// Label returns the name of an attribute's label in Prometheus.
func (n *Names) Label(key string) string {
	return namecache.ByText(n.labels, key, promql.LabelName)
}
