package doctor

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// includedBy returns the URI of a value that is another text's, as `${file:queue.yaml}` is.
// What comes from a variable has no lines of its own.
func (s *sources) includedBy(value string) (string, bool) {
	inner, opened := strings.CutPrefix(value, "${")
	uri, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed || !hasLines(uri) {
		return "", false
	}
	_, read := s.recorder.retrieved[uri]
	return uri, read
}

// hasLines reports whether somebody can open what a URI names.
func hasLines(uri string) bool { return strings.Contains(uri, ":") && !strings.HasPrefix(uri, "env:") }

// included returns where the texts that settings include refer to a variable.
func (s *sources) included(variable string) []Position {
	var places []Position
	for _, uri := range slices.Sorted(maps.Keys(s.recorder.retrieved)) {
		if hasLines(uri) && !slices.Contains(s.uris, uri) {
			walkNodes(s.root(uri), func(node *yaml.Node) {
				if refersTo(node.Value, variable) {
					places = append(places, Position{File: displayName(uri), Line: node.Line, order: len(s.uris)})
				}
			})
		}
	}
	return places
}

// walkNodes visits what is written, so an alias is not followed.
func walkNodes(node *yaml.Node, visit func(*yaml.Node)) {
	if node == nil {
		return
	}
	visit(node)
	for _, inner := range node.Content {
		walkNodes(inner, visit)
	}
}
