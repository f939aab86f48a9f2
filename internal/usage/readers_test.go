// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// What the cases of testdata/readers.yaml read.
func TestReaders(t *testing.T) {
	for _, c := range testfiles.Cases[struct {
		About                           string
		Metrics                         []conformance.Metric
		Costs                           []conformance.Cost
		Files, Queries, Variables, Each []string
		Free, Keys                      map[string][]string
		Functions                       map[string]string
		Unread, Undecided               []string
	}](t, "testdata/readers.yaml") {
		for _, query := range append(c.Each, "")[:max(len(c.Each), 1)] {
			panel, variables := []any{map[string]any{"expr": query}}, []any{}
			for _, query := range c.Queries {
				panel = append(panel, map[string]any{"expr": query})
			}
			for _, query := range c.Variables {
				variables = append(variables, map[string]any{"name": "v", "type": "query", "query": query})
			}
			dashboard, err := json.Marshal(map[string]any{
				"panels": []any{map[string]any{"targets": panel}}, "templating": map[string]any{"list": variables},
			})
			require.NoError(t, err)
			r := NewReadings()
			for _, text := range append(c.Files, string(dashboard)) {
				r.Add(places.NewSource("dashboard.json", text))
			}
			require.Empty(t, r.Faults())
			series, err := FromReport(&conformance.Report{Metrics: c.Metrics, Explorer: conformance.Explorer{Shared: true, Metrics: c.Costs}})
			require.NoError(t, err)

			u, free, keys, functions := Analyse(r, series), map[string][]string{}, map[string][]string{}, map[string]string{}
			for _, m := range u.Metrics {
				free[m.Name] = slices.Sorted(maps.Keys(m.Free()))
				for _, a := range m.Attributes {
					keys[m.Name] = append(keys[m.Name], a.Key)
				}
				functions[m.Name] = m.Function
			}
			for name, want := range c.Free {
				require.Contains(t, free, name, c.About)
				assert.ElementsMatch(t, want, free[name], "%s: %s %s", c.About, name, query)
			}
			for name, want := range c.Keys {
				assert.Equal(t, want, keys[name], c.About)
			}
			for name, want := range c.Functions {
				assert.Equal(t, want, functions[name], c.About)
			}
			var unread, undecided []string
			for _, m := range u.Unread {
				unread = append(unread, m.Name)
			}
			for _, reading := range u.Undecided {
				undecided = append(undecided, reading.Title)
			}
			assert.Equal(t, c.Unread, unread, c.About)
			if c.Free == nil {
				assert.Equal(t, c.Undecided, undecided, c.About)
			}
		}
	}
}
