// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// fill returns one part of a name: the text itself, or its placeholder's group in PascalCase
// without ids.
func fill(text string, match *regexp.Regexp, groups []string) (part string, ids []string) {
	group, ok := conventions.Placeholder(text).Group()
	if !ok {
		return text, nil
	}
	rest, ids := splitIDs(withoutValues(groups[match.SubexpIndex(group)]))
	return operationOf(rest), ids
}

// placeholderValues returns the attributes that a match fills, sorted by key. A path with ids or values is
// no route.
func placeholderValues(rules map[string]conventions.Placeholder, match *regexp.Regexp, groups []string) []Attribute {
	var filled []Attribute
	for key, text := range rules {
		group, _ := text.Group()
		value := groups[match.SubexpIndex(group)]
		if value != "" && (key != httpRouteKey || isRoute(value)) {
			filled = append(filled, Attribute{key, strings.Clone(value)})
		}
	}
	slices.SortFunc(filled, func(a, b Attribute) int { return strings.Compare(a.Key, b.Key) })
	return filled
}
