// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// unsetVariable is a rule that checks lines instead of settings. It needs no readable configuration, so it
// can explain why the configuration is unreadable.
const (
	unsetVariable    = "unset-variable"
	whyUnsetVariable = "The setting is empty and has its default, which may differ from the intended value."
)

// reference matches a variable without a default. $$ before it escapes it.
var reference = regexp.MustCompile(`(\$*)\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}`)

// refersTo reports whether a text refers to the variable.
func refersTo(text, variable string) bool {
	return slices.ContainsFunc(reference.FindAllStringSubmatch(text, -1), func(match []string) bool {
		return len(match[1])%2 == 0 && match[2] == variable
	})
}

// findUnsetVariables reports each variable that the resolver requested once, as a note: it may be set where the
// collector will run. The line is that of the first merged setting that refers to it, or else of an included text. The resolver does not request variables in settings that a later
// file replaces.
func findUnsetVariables(c *configuration) []Finding {
	var findings []Finding
	for _, name := range slices.Sorted(maps.Keys(c.sources.recorder.unset)) {
		places := c.placesOf(name)
		if len(places) == 0 {
			places = c.sources.included(name)
		}
		if len(places) == 0 {
			continue
		}
		text := fmt.Sprintf("the variable %s is not set and has no default", name)
		if len(places) > 1 {
			text += fmt.Sprintf(" (%d settings)", len(places))
		}
		findings = append(findings, Finding{
			Position: sortedPositions(places)[0],
			Severity: Note,
			Rule:     unsetVariable,
			Text:     text,
			Fix:      fmt.Sprintf("set it, or write ${env:%s:-default}", name),
		})
	}
	return findings
}

// sortedPositions returns positions in the order of the command line and of the lines.
func sortedPositions(places []Position) []Position {
	slices.SortFunc(places, func(a, b Position) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return places
}

// placesOf returns the positions of merged settings that refer to a variable.
func (c *configuration) placesOf(variable string) []Position {
	if c.written == nil {
		return nil
	}
	var places []Position
	walkTexts(c.written.ToStringMap(), nil, func(path []string, text string) {
		if refersTo(text, variable) {
			places = append(places, c.sources.position(path))
		}
	})
	return places
}

// walkTexts calls use with each text of a configuration and its path.
func walkTexts(value any, path []string, use func(path []string, text string)) {
	switch value := value.(type) {
	case string:
		use(path, value)
	case []any:
		for i, item := range value {
			walkTexts(item, below(path, strconv.Itoa(i)), use)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			walkTexts(value[key], below(path, key), use)
		}
	}
}
