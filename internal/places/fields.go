// SPDX-License-Identifier: Apache-2.0

package places

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/places/document"
)

// fieldsOf returns the texts of a panel that can name its fields, which are metrics and labels of its queries: those of
// transformations, overrides, mappings, options and links. In the second schema of dashboards two objects have them.
func fieldsOf(panel *document.Node) (all []*document.Node) {
	shown, transformations := panel, panel.Get("transformations")
	switch {
	case panel.Get("vizConfig") != nil:
		shown, transformations = panel.Get("vizConfig", "spec"), panel.Get("data", "spec", "transformations")
	case panel.Get("targets") == nil:
		return nil
	}
	all = texts(all, transformations, false)
	for _, override := range shown.Get("fieldConfig", "overrides").Elements() {
		all = texts(all, override.Get("matcher", "options"), false)
		all = texts(all, override.Get("properties"), false)
	}
	for _, mapping := range shown.Get("fieldConfig", "defaults", "mappings").Elements() {
		all = texts(all, mapping.Get("options"), true)
	}
	for _, keys := range [][]string{
		{"fieldConfig", "defaults", "links"}, {"fieldConfig", "defaults", "displayName"}, {"options"}, {"links"},
		{"seriesOverrides"}, {"styles"}, // of the first panels
	} {
		all = texts(all, shown.Get(keys...), false)
	}
	return texts(all, panel.Get("aliasColors"), true)
}

// texts adds all texts of a node, and the keys of mappings by field.
func texts(all []*document.Node, node *document.Node, byField bool) []*document.Node {
	switch {
	case node.String() != "":
		all = append(all, node)
	case node != nil:
		for i, item := range node.Items {
			mapped := false
			if node.Kind == document.Object {
				if byField {
					all = append(all, node.Keys[i])
				}
				mapped = strings.HasSuffix(node.Keys[i].Text, "ByName") || node.Keys[i].Text == "fields"
			}
			all = texts(all, item, mapped)
		}
	}
	return all
}

// annotationsOf returns the annotations and labels of an alerting rule of Grafana, whose queries are below it.
func annotationsOf(rule *document.Node) []*document.Node {
	if rule.Get("data").Elements() == nil || rule.Get("condition") == nil {
		return nil
	}
	all := texts(nil, rule.Get("annotations"), false)
	all = texts(all, rule.Get("labels"), false)
	return texts(all, rule.Get("notification_settings", "group_by"), false)
}
