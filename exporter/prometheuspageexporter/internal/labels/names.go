// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"strings"

	"github.com/prometheus/otlptranslator"

	"github.com/otelcol-tc/otelcol-tc/internal/promname"
)

const (
	maxNames = 16384 // bounds the cached names of metrics and of labels
	maxKey   = 255   // bounds a cached name, in bytes
)

// Names translates names to those of Prometheus, and caches the results. It is not safe for
// concurrent use.
type Names struct {
	metrics map[otlptranslator.Metric]string
	labels  map[string]string
}

// NewNames returns an empty Names.
func NewNames() *Names {
	return &Names{metrics: map[otlptranslator.Metric]string{}, labels: map[string]string{}}
}

// Metric returns a metric's name in Prometheus, with its unit and _total, unless its type is unknown. It
// returns "" if no character of the name can be kept.
func (n *Names) Metric(metric otlptranslator.Metric) string {
	if name, ok := n.metrics[metric]; ok {
		return name
	}
	name := promname.Scraped(metric.Name)
	if metric.Type != otlptranslator.MetricTypeUnknown {
		name = promname.Metric(metric)
	}
	if len(metric.Name) <= maxKey && len(metric.Unit) <= maxKey {
		if len(n.metrics) >= maxNames {
			clear(n.metrics)
		}
		// Copy the strings, which share memory with a request.
		metric.Name, metric.Unit = strings.Clone(metric.Name), strings.Clone(metric.Unit)
		n.metrics[metric] = name
	}
	return name
}

// Label returns the name of an attribute's label in Prometheus.
func (n *Names) Label(key string) string {
	if name, ok := n.labels[key]; ok {
		return name
	}
	name := promname.Label(key)
	if len(key) <= maxKey {
		if len(n.labels) >= maxNames {
			clear(n.labels)
		}
		n.labels[strings.Clone(key)] = strings.Clone(name)
	}
	return name
}
