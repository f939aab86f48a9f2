// SPDX-License-Identifier: Apache-2.0

package example

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// show records rules that an example showed.
func (r *runner) show(sources []naming.Source) {
	for _, source := range sources {
		r.shown[joined(source.Path())] = true
	}
}

// joined returns the text of a key, in which no step can be confused with two.
func joined(key []string) string { return strings.Join(key, "\x00") }

// ruleKeys returns the keys of the rules that decide names, units, aggregates, prefixes and formats.
func ruleKeys(pack *conventions.Pack) (all [][]string) {
	items := func(n int, list ...string) {
		for i := range n {
			all = append(all, append(slices.Clone(list), strconv.Itoa(i)))
		}
	}
	m := pack.Metrics
	items(len(m.Rules), "metrics", "rules")
	for _, from := range sortedKeys(m.Rename) {
		all = append(all, []string{"metrics", "rename", from})
	}
	for _, from := range sortedKeys(m.Prefixes) {
		all = append(all, []string{"metrics", "prefixes", from})
	}
	for _, from := range sortedKeys(m.Units) {
		all = append(all, []string{"metrics", "units", from})
	}
	items(len(m.Gauges), "metrics", "gauges")
	items(len(m.Also), "metrics", "also")
	components := pack.Spans.Components
	items(len(components.Services), "spans", "components", "services")
	items(len(components.Scopes), "spans", "components", "scopes")
	if components.Default != "" {
		all = append(all, []string{"spans", "components", "default"})
	}
	items(len(pack.Spans.Rules), "spans", "rules")
	items(len(pack.Attributes), "attributes")
	for i, rule := range pack.Attributes {
		items(len(rule.Also), "attributes", strconv.Itoa(i), "also")
		for _, field := range rule.AlsoFields {
			items(len(field.Copies), "attributes", strconv.Itoa(i), "also_fields", field.Field)
		}
	}
	items(len(pack.Messages), "messages")
	items(len(pack.Logs.Prefixes), "logs", "prefixes")
	items(len(pack.Logs.Formats), "logs", "formats")
	return all
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
