// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// lines returns problems as lines of text. A warning begins with a question mark.
func lines(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		if p.Warning {
			b.WriteByte('?')
		}
		fmt.Fprintf(&b, "%d: %s\n", p.Line, p.Text)
	}
	return b.String()
}

// TestProblems checks the problems of the packs in testdata/problems.yaml, and that a pack with an error cannot be loaded.
func TestProblems(t *testing.T) {
	for _, test := range testfiles.Cases[struct{ Pack, Problems string }](t, "testdata/problems.yaml") {
		problems := Problems([]byte(test.Pack))
		assert.Equal(t, test.Problems, lines(problems), test.Pack)
		_, err := Parse("x.yaml", []byte(test.Pack))
		fails := slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning })
		assert.Equal(t, fails, err != nil, "%v\n%s", err, test.Pack)
	}
}

func TestBuiltinPacksHaveNoProblems(t *testing.T) {
	for _, name := range Builtin() {
		text, err := builtin.ReadFile(name + ".yaml")
		require.NoError(t, err)
		assert.Empty(t, lines(Problems(text)), name)
	}
}

// FuzzProblems checks that Problems finds an error in a text exactly if Parse does.
func FuzzProblems(f *testing.F) {
	for _, name := range Builtin() {
		text, err := builtin.ReadFile(name + ".yaml")
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("system: x\nowns: {scopes: [x]}\nlinks: [&a {name: a, hold: 1}, *a, {<<: *a, nam: b}]\nmetrics: {rules: [{match: '(['}, &b {match: a}, *b]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		problems := Problems(text)
		_, err := Parse("x.yaml", text)
		errors := 0
		for _, p := range problems {
			if !p.Warning {
				errors++
			}
		}
		assert.Equal(t, err != nil, errors > 0, "%v\n%s", err, lines(problems))
	})
}
