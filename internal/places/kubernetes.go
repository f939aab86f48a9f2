// SPDX-License-Identifier: Apache-2.0

package places

import (
	"path"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
)

// autoscaler adds the names of metrics, and of their labels, of a HorizontalPodAutoscaler.
func (f *finder) autoscaler(root *document.Node, c context) {
	for i, metric := range root.Get("spec", "metrics").Elements() {
		for _, source := range []string{"pods", "object", "external"} {
			identifier := metric.Get(source, "metric")
			name := identifier.Get("name")
			if name.String() == "" {
				continue
			}
			c := c.key("spec.metrics").index(i).key(source).key("metric")
			f.add(MetricName, name, c.key("name"))
			if labels := identifier.Get("selector", "matchLabels"); labels != nil && labels.Kind == document.Object {
				for _, label := range labels.Keys {
					f.add(Label, label, c.key("selector.matchLabels").key(label.Text)).Metric = name.Text
				}
			}
			for i, expression := range identifier.Get("selector", "matchExpressions").Elements() {
				if key := expression.Get("key"); key.String() != "" {
					f.add(Label, key, c.key("selector.matchExpressions").index(i).key("key")).Metric = name.Text
				}
			}
		}
	}
}

// scaledObject adds the queries of a KEDA object.
func (f *finder) scaledObject(root *document.Node, c context) {
	for i, trigger := range root.Get("spec", "triggers").Elements() {
		if query := trigger.Get("metadata", "query"); trigger.Get("type").String() == "prometheus" && query.String() != "" {
			f.add(Query, query, c.key("spec.triggers").index(i).key("metadata.query"))
		}
	}
}

// files finds the places of the files in a ConfigMap.
func (f *finder) files(root *document.Node, c context) {
	data := root.Get("data")
	if data == nil || data.Kind != document.Object {
		return
	}
	for i, name := range data.Keys {
		text, isFile := data.Items[i], slices.Contains([]string{".json", ".yaml", ".yml", ".rules"}, path.Ext(name.Text))
		if isFile || isJSON(text) {
			f.embedded(text, c.key("data").key(name.Text))
		}
	}
}

// isJSON reports whether a string is an object in JSON.
func isJSON(text *document.Node) bool {
	return strings.HasPrefix(strings.TrimSpace(text.String()), "{")
}
