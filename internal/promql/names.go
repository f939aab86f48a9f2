// SPDX-License-Identifier: Apache-2.0

package promql

import (
	"strings"
	"unicode/utf8"

	"github.com/prometheus/otlptranslator"
)

var (
	metricNamer = otlptranslator.MetricNamer{WithMetricSuffixes: true}
	// For names that are Prometheus names already.
	scrapedNamer = otlptranslator.MetricNamer{}
	// For a Prometheus that keeps the characters of names.
	keepingNamer = otlptranslator.MetricNamer{WithMetricSuffixes: true, UTF8Allowed: true}
	// The prometheus exporter also distinguishes a..b from a.b.
	labelNamer = otlptranslator.LabelNamer{PreserveMultipleUnderscores: true}
)

// MetricName returns a metric's name in Prometheus, with its unit and _total. It returns "" if no
// character of the name can be kept.
func MetricName(metric otlptranslator.Metric) string {
	name, err := metricNamer.Build(metric)
	if err != nil {
		return ""
	}
	return name
}

// MetricNames returns what a metric can be called in queries, without the endings of its parts: with its unit and without,
// with its characters and with those of older Prometheus.
func MetricNames(metric otlptranslator.Metric) []string {
	names := []string{metric.Name, ScrapedName(metric.Name), MetricName(metric)}
	if kept, err := keepingNamer.Build(metric); err == nil {
		names = append(names, kept)
	}
	return names
}

// ScrapedName returns the name of a metric that was scraped, which is a Prometheus name already. It returns "" if
// no character of the name can be kept.
func ScrapedName(name string) string {
	scraped, err := scrapedNamer.Build(otlptranslator.Metric{Name: name})
	if err != nil {
		return ""
	}
	return scraped
}

// LabelName returns the name of an attribute's label in Prometheus. It adds a prefix to names that
// begin with __, which Prometheus reserves, to names of underscores only, and to names that begin
// with a digit.
func LabelName(key string) string {
	name, err := labelNamer.Build(key)
	if err != nil {
		name = strings.Repeat("_", max(utf8.RuneCountInString(key), 1))
	}
	if err != nil || strings.HasPrefix(name, "__") {
		return "key" + name
	}
	return name
}
