// SPDX-License-Identifier: Apache-2.0

package places

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/migrate/internal/document"
)

// fieldsOf returns the texts of a panel that can name fields, which are labels of its queries: those of
// transformations, overrides and links.
func fieldsOf(panel *document.Node) []*document.Node {
	if panel.Get("targets") == nil {
		return nil
	}
	all := texts(nil, panel.Get("transformations"), false)
	for _, override := range panel.Get("fieldConfig", "overrides").Elements() {
		all = texts(all, override.Get("matcher", "options"), false)
		all = texts(all, override.Get("properties"), false)
	}
	for _, keys := range [][]string{{"fieldConfig", "defaults", "links"}, {"fieldConfig", "defaults", "displayName"}, {"options", "sortBy"}, {"links"}} {
		all = texts(all, panel.Get(keys...), false)
	}
	return all
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
