// SPDX-License-Identifier: Apache-2.0

package places

import (
	"path"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/document"
)

// autoscaler adds the names of metrics, and of their labels, of a HorizontalPodAutoscaler.
func (f *finder) autoscaler(root *document.Node, c context) {
	for i, metric := range root.Get("spec", "metrics").Elements() {
		for _, source := range []string{"pods", "object", "external"} {
			of := metric.Get(source, "metric")
			name := of.Get("name")
			if name.String() == "" {
				continue
			}
			c := c.key("spec.metrics").index(i).key(source).key("metric")
			f.add(Metric, name, c.key("name"))
			if labels := of.Get("selector", "matchLabels"); labels != nil && labels.Kind == document.Object {
				for _, label := range labels.Keys {
					f.add(Label, label, c.key("selector.matchLabels").key(label.Text)).Of = name.Text
				}
			}
			for i, expression := range of.Get("selector", "matchExpressions").Elements() {
				if key := expression.Get("key"); key.String() != "" {
					f.add(Label, key, c.key("selector.matchExpressions").index(i).key("key")).Of = name.Text
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

// files finds the places of the files in a ConfigMap or a Secret.
func (f *finder) files(root *document.Node, key string, c context) {
	data := root.Get(key)
	if data == nil || data.Kind != document.Object {
		return
	}
	for i, name := range data.Keys {
		text := data.Items[i]
		c := c.key(key).key(name.Text)
		switch path.Ext(name.Text) {
		case ".json":
			f.embedded(text, document.JSON, c)
		case ".yaml", ".yml", ".rules":
			f.embedded(text, document.YAML, c)
		default:
			if strings.HasPrefix(strings.TrimSpace(text.String()), "{") {
				f.embedded(text, document.JSON, c)
			}
		}
	}
}

// alertmanager adds the labels of Alertmanager's configuration, or of an AlertmanagerConfig.
func (f *finder) alertmanager(root *document.Node, c context) {
	if root == nil {
		return
	}
	f.route(root.Get("route"), c.key("route"))
	for _, text := range texts(nil, root.Get("receivers"), false) {
		if strings.Contains(text.Text, "Labels.") {
			f.add(Message, text, c.key("receivers"))
		}
	}
	for _, key := range []string{"inhibit_rules", "inhibitRules"} {
		for i, rule := range root.Get(key).Elements() {
			c := c.key(key).index(i)
			for _, side := range []string{"source", "target"} {
				f.matchers(rule, c, side+"_matchers", side+"_match", side+"_match_re", side+"Match")
			}
			f.labels(rule.Get("equal"), c.key("equal"))
		}
	}
}

func (f *finder) route(route *document.Node, c context) {
	if route == nil {
		return
	}
	f.matchers(route, c, "matchers", "match", "match_re")
	f.labels(route.Get("group_by"), c.key("group_by"))
	f.labels(route.Get("groupBy"), c.key("groupBy"))
	for i, inner := range route.Get("routes").Elements() {
		f.route(inner, c.key("routes").index(i))
	}
}

// labels adds a list of labels.
func (f *finder) labels(list *document.Node, c context) {
	for i, label := range list.Elements() {
		if label.String() != "" && label.Text != "..." {
			f.add(Alert, label, c.index(i))
		}
	}
}

// matchers adds matchers: texts, objects with a name, or the keys of a mapping.
func (f *finder) matchers(node *document.Node, c context, keys ...string) {
	for _, key := range keys {
		matchers, c := node.Get(key), c.key(key)
		for i, m := range matchers.Elements() {
			if m.String() != "" {
				f.add(Matcher, m, c.index(i))
			} else if name := m.Get("name"); name.String() != "" {
				f.add(Alert, name, c.index(i).key("name"))
			}
		}
		if matchers != nil && matchers.Kind == document.Object {
			for _, label := range matchers.Keys {
				f.add(Alert, label, c.key(label.Text))
			}
		}
	}
}
