// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// No line that a layout matches lacks what the layout needs.
func TestNeedsExcludeNoMatch(t *testing.T) {
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	formats := builtin(t)
	var lines []string
	for _, records := range samples(t, formats) {
		lines = append(lines, records...)
	}
	for _, pack := range packs {
		source, err := conventions.Read(pack.System)
		require.NoError(t, err)
		for _, example := range source.Examples.Logs {
			line := WithoutColour(example.Line)
			end, _ := formats.prefixes.cut(line)
			lines = append(lines, line, line[end:])
		}
	}
	require.Greater(t, len(lines), 100)
	matched := 0
	for _, pack := range packs {
		for _, format := range pack.Logs.Formats {
			layouts, err := format.Layouts()
			require.NoError(t, err)
			for _, parts := range layouts {
				one := newCandidate(parts, false)
				for _, line := range lines {
					line, _, _ = strings.Cut(WithoutColour(line), "\n")
					if one.match(line, nil) {
						matched++
						assert.Empty(t, one.lacks(line, ""), "%s: %q", format.Name, line)
					}
				}
			}
		}
	}
	assert.Greater(t, matched, 30)
}
