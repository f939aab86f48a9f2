// SPDX-License-Identifier: Apache-2.0

// Package pages has the metrics pages of systems as their shape, and writes them out.
package pages

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml
var files embed.FS

// Page is the shape of a page.
type Page []struct {
	Type  string    `yaml:"type"`
	Names []string  `yaml:"names"`
	LE    []float64 `yaml:"le"` // bounds of a histogram's buckets
	// Series are the labels of the series of each name. {a,b} and {0..7} in a value make a series each.
	Series []string `yaml:"series"`
	// Values are those of gauges by steps, the last one from then on. Without them the number of a series makes its values.
	Values []float64 `yaml:"values"`
	// Times repeats the series, with the number of the repetition in place of #.
	Times int `yaml:"times"`
}

// Read reads the shape of a page.
func Read(t *testing.T, name string) (page Page) {
	t.Helper()
	text, err := files.ReadFile(name + ".yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &page), name)
	return page
}

// Text returns the page at a step, in Prometheus' text format. Counters and histograms grow from step to step.
func (p Page) Text(step int) string {
	samples, types := map[string]*strings.Builder{}, map[string]string{}
	n := 0
	for _, group := range p {
		for _, name := range group.Names {
			if types[name] == "" {
				types[name], samples[name] = group.Type, &strings.Builder{}
			}
			for i := range max(group.Times, 1) {
				for _, shape := range group.Series {
					for _, labels := range expand(strings.ReplaceAll(shape, "#", strconv.Itoa(i))) {
						n++
						if len(group.Values) > 0 {
							fmt.Fprintf(samples[name], "%s{%s} %v\n", name, labels, group.Values[min(step, len(group.Values)-1)])
							continue
						}
						write(samples[name], name, labels, group.Type, group.LE, n, step)
					}
				}
			}
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(types)) {
		fmt.Fprintf(&text, "# TYPE %s %s\n%s", name, types[name], samples[name])
	}
	return text.String()
}

// write writes the samples of one series, whose number makes its values.
func write(to *strings.Builder, name, labels, kind string, bounds []float64, n, step int) {
	count := (step + 100) * (n%13 + 1)
	switch kind {
	case "histogram":
		comma := ""
		if labels != "" {
			comma = ","
		}
		for i, bound := range bounds {
			fmt.Fprintf(to, "%s_bucket{%s%sle=\"%v\"} %d\n", name, labels, comma, bound, count*i)
		}
		count *= len(bounds)
		fmt.Fprintf(to, "%[1]s_bucket{%[2]s%[3]sle=\"+Inf\"} %[4]d\n%[1]s_sum{%[2]s} %[5]v\n%[1]s_count{%[2]s} %[4]d\n", name, labels, comma, count, float64(count)/2)
	case "counter":
		fmt.Fprintf(to, "%s{%s} %d\n", name, labels, count)
	default:
		fmt.Fprintf(to, "%s{%s} %d\n", name, labels, (7*n+step*(n+3))%50)
	}
}

// expand returns the texts that a text with {a,b} and {0..7} stands for.
func expand(text string) (all []string) {
	before, rest, ok := strings.Cut(text, "{")
	list, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return []string{text}
	}
	values := strings.Split(list, ",")
	if from, to, ok := strings.Cut(list, ".."); ok {
		first, _ := strconv.Atoi(from)
		last, _ := strconv.Atoi(to)
		values = nil
		for i := first; i <= last; i++ {
			values = append(values, strconv.Itoa(i))
		}
	}
	for _, value := range values {
		for _, end := range expand(after) {
			all = append(all, before+value+end)
		}
	}
	return all
}
