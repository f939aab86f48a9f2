package labels

import (
	"strings"
	"unicode/utf8"

	"github.com/prometheus/otlptranslator"
)

const (
	maxNames = 16384 // that are kept, of metrics and of labels
	maxKey   = 255   // bytes of a name that is kept
)

// Names translates names as the strategy UnderscoreEscapingWithSuffixes does, and remembers
// them. It is not safe for concurrent use.
type Names struct {
	metrics map[otlptranslator.Metric]string
	labels  map[string]string
}

// NewNames returns an empty Names.
func NewNames() *Names {
	return &Names{metrics: map[otlptranslator.Metric]string{}, labels: map[string]string{}}
}

var (
	metricNamer = otlptranslator.MetricNamer{WithMetricSuffixes: true}
	// As the prometheus exporter, which keeps a..b and a.b apart.
	labelNamer = otlptranslator.LabelNamer{PreserveMultipleUnderscores: true}
)

// Metric returns a metric's name in Prometheus, with its unit and _total. It is empty when
// nothing is left of the name.
func (n *Names) Metric(metric otlptranslator.Metric) string {
	if name, ok := n.metrics[metric]; ok {
		return name
	}
	name, err := metricNamer.Build(metric)
	if err != nil {
		name = ""
	}
	if len(metric.Name) <= maxKey && len(metric.Unit) <= maxKey {
		if len(n.metrics) >= maxNames {
			clear(n.metrics)
		}
		// The strings are parts of a request.
		metric.Name, metric.Unit = strings.Clone(metric.Name), strings.Clone(metric.Unit)
		n.metrics[metric] = name
	}
	return name
}

// Label returns an attribute's name in Prometheus.
func (n *Names) Label(key string) string {
	if name, ok := n.labels[key]; ok {
		return name
	}
	name := labelName(key)
	if len(key) <= maxKey {
		if len(n.labels) >= maxNames {
			clear(n.labels)
		}
		n.labels[strings.Clone(key)] = strings.Clone(name)
	}
	return name
}

// labelName returns a name that is valid. Those that begin with __ are Prometheus's own, and those
// of underscores alone are no names: both get a prefix, as those that begin with a digit.
func labelName(key string) string {
	name, err := labelNamer.Build(key)
	if err != nil {
		name = strings.Repeat("_", max(utf8.RuneCountInString(key), 1))
	}
	if err != nil || strings.HasPrefix(name, "__") {
		return "key" + name
	}
	return name
}
