// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
)

// Problem is a fault of a pack.
type Problem struct {
	// Line is the line in the pack's file, or 0 if the problem has none.
	Line int
	// Text begins with the key.
	Text string
	// Warning means that the pack can be loaded, but may take telemetry of others.
	Warning bool
}

// Problems returns the problems of a pack's text, ordered by line: its errors or, without these, what owns telemetry
// that may be of others. Of errors, those that the schema knows come first: without these, all others are returned.
func Problems(text []byte) []Problem {
	root, err := document.Read("a pack", text)
	if err != nil {
		return problemsOf(err, false)
	}
	pack, err := parse(root, "")
	problems := problemsOf(err, false)
	if err == nil {
		problems = problemsOf((&checker{Pack: pack, root: root}).resemblances().Sorted(), true)
	}
	// The schema's faults come in no order.
	slices.SortFunc(problems, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Text, b.Text)) })
	return problems
}

func problemsOf(err error, warning bool) (all []Problem) {
	var faults document.Faults
	var invalid *yaml.TypeError
	switch {
	case err == nil:
	case errors.As(err, &faults):
		for _, fault := range faults {
			all = append(all, Problem{fault.Line, fault.Err.Error(), warning})
		}
	case errors.As(err, &invalid):
		for _, text := range invalid.Errors {
			all = append(all, yamlProblem(text))
		}
	default:
		all = append(all, yamlProblem(err.Error()))
	}
	return all
}

// yamlLine is how the YAML parser begins its errors.
var yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)

func yamlProblem(text string) Problem {
	m := yamlLine.FindStringSubmatch(text)
	if m == nil {
		return Problem{Text: text}
	}
	line, _ := strconv.Atoi(m[1]) // digits
	return Problem{Line: line, Text: text[len(m[0]):]}
}
