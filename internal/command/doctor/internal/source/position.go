// SPDX-License-Identifier: Apache-2.0

package source

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

// Position is a line of a configuration.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line"`

	// Order is that of the file on the command line.
	Order int `json:"-"`
}

// Position returns the line that set a setting last. If no file sets it, it returns the line of the
// nearest enclosing setting.
func (s *Sources) Position(path []string) Position {
	for depth := len(path); depth > 0; depth-- {
		if found, ok := s.Exact(path[:depth]); ok {
			return found
		}
	}
	return Position{File: cli.DisplayName(s.URIs[0]), Line: 1}
}

// Exact returns the line that set a setting last.
func (s *Sources) Exact(path []string) (Position, bool) {
	for order, uri := range slices.Backward(s.URIs) {
		if found, ok := s.find(uri, s.values.Root(uri), path); ok {
			found.Order = order
			return found, true
		}
	}
	return Position{}, false
}

// find finds a setting below a node. It follows aliases and included files.
func (s *Sources) find(uri string, node *yaml.Node, path []string) (Position, bool) {
	switch {
	case node == nil || len(path) == 0:
		return Position{}, false
	case node.Kind == yaml.AliasNode:
		return s.find(uri, node.Alias, path)
	case node.Kind == yaml.MappingNode:
		return s.findKey(uri, node, path)
	case node.Kind == yaml.SequenceNode:
		return s.findItem(uri, node, path)
	}
	if other, ok := s.includedBy(node.Value); ok && other != uri {
		return s.find(other, s.values.Root(other), path)
	}
	return Position{}, false
}

// findKey searches a mapping. A key can contain several steps of a path: `a::b: 1` is `a: {b: 1}`.
func (s *Sources) findKey(uri string, mapping *yaml.Node, path []string) (Position, bool) {
	for _, i := range s.entries(mapping, path[0]) {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if key.Tag == "!!merge" {
			if found, ok := s.findMerged(uri, value, path); ok {
				return found, true
			}
			continue
		}
		steps := strings.Split(key.Value, confmap.KeyDelimiter)
		common := min(len(steps), len(path))
		if !slices.Equal(steps[:common], path[:common]) {
			continue
		}
		if common == len(path) {
			return Position{File: cli.DisplayName(uri), Line: key.Line}, true
		}
		if found, ok := s.find(uri, value, path[common:]); ok {
			return found, true
		}
	}
	return Position{}, false
}

// entries returns the indices of the keys of a mapping that begin with a step, and of merged mappings; or those of the
// items of a list that have this text, or this index. It reads a node once: there can be a finding for each key.
func (s *Sources) entries(node *yaml.Node, step string) []int {
	index, ok := s.indices[node]
	if !ok {
		index = map[string][]int{}
		for i, inner := range node.Content {
			first := inner.Value
			if node.Kind == yaml.MappingNode {
				if i%2 == 1 {
					continue
				}
				first, _, _ = strings.Cut(first, confmap.KeyDelimiter)
			} else {
				if inner.Kind == yaml.AliasNode {
					first = inner.Alias.Value
				}
				if number := strconv.Itoa(i); number != first {
					index[number] = append(index[number], i)
				}
			}
			index[first] = append(index[first], i)
		}
		s.indices[node] = index
	}
	if merged := index["<<"]; len(merged) > 0 && node.Kind == yaml.MappingNode && step != "<<" {
		return slices.Sorted(slices.Values(slices.Concat(index[step], merged)))
	}
	return index[step]
}

// findMerged searches the mapping or mappings that `<<` merges.
func (s *Sources) findMerged(uri string, merged *yaml.Node, path []string) (Position, bool) {
	if merged.Kind != yaml.SequenceNode {
		return s.find(uri, merged, path)
	}
	for _, mapping := range merged.Content {
		if found, ok := s.find(uri, mapping, path); ok {
			return found, true
		}
	}
	return Position{}, false
}

// findItem searches a list. A step is the item's text, such as the name of a component, or its index.
func (s *Sources) findItem(uri string, list *yaml.Node, path []string) (Position, bool) {
	entries := s.entries(list, path[0])
	if len(entries) == 0 {
		return Position{}, false
	}
	item := list.Content[entries[0]]
	if item.Kind == yaml.AliasNode {
		item = item.Alias
	}
	if len(path) == 1 {
		return Position{File: cli.DisplayName(uri), Line: item.Line}, true
	}
	return s.find(uri, item, path[1:])
}

// includedBy returns the URI of the text that a value includes, such as `${file:queue.yaml}`. Values of
// variables have no lines.
func (s *Sources) includedBy(value string) (string, bool) {
	inner, opened := strings.CutPrefix(value, "${")
	uri, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed || !hasLines(uri) {
		return "", false
	}
	_, read := s.values.Text(uri)
	return uri, read
}

// hasLines reports whether a URI names a text with lines.
func hasLines(uri string) bool { return strings.Contains(uri, ":") && !strings.HasPrefix(uri, "env:") }

// References returns the positions that refer to each variable: in the texts of the command line, and behind them in
// those that they include.
func (s *Sources) References() map[string][]Position {
	places := map[string][]Position{}
	uris := slices.Clone(s.URIs)
	for _, uri := range s.values.URIs() {
		if hasLines(uri) && !slices.Contains(s.URIs, uri) {
			uris = append(uris, uri)
		}
	}
	for order, uri := range uris {
		walk(s.values.Root(uri), func(node *yaml.Node) {
			for _, name := range slices.Compact(slices.Sorted(slices.Values(Variables(node.Value)))) {
				places[name] = append(places[name], Position{File: cli.DisplayName(uri), Line: node.Line, Order: order})
			}
		})
	}
	return places
}

// walk calls use with each node. It does not follow aliases.
func walk(node *yaml.Node, use func(*yaml.Node)) {
	if node == nil {
		return
	}
	use(node)
	for _, inner := range node.Content {
		walk(inner, use)
	}
}

// reference matches a variable without a default. $$ before it escapes it.
var reference = regexp.MustCompile(`(\$*)\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}`)

// Variables returns the variables that a text refers to without a default.
func Variables(text string) (names []string) {
	if !strings.Contains(text, "${") {
		return nil
	}
	for _, match := range reference.FindAllStringSubmatch(text, -1) {
		if len(match[1])%2 == 0 {
			names = append(names, match[2])
		}
	}
	return names
}
