// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/rules"
)

// TestRules checks the files of testdata. `# want:` at the end of a line names the rules with a finding in
// it; no other line may have findings.
func TestRules(t *testing.T) {
	t.Setenv("DOCTOR_TEST_LIMIT", "64")
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[string]bool{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := wanted(t, file)
			findings, err := diagnose(t.Context(), settings(t), []string{file})
			require.NoError(t, err)
			got := map[int][]string{}
			for _, f := range findings {
				assert.Equal(t, file, f.File)
				got[f.Line] = append(got[f.Line], f.Rule)
				seen[f.Rule] = true
			}
			for line, ids := range got {
				slices.Sort(ids)
				got[line] = slices.Compact(ids)
			}
			assert.Equal(t, want, got, "%v", findings)
		})
	}
	var all []string
	for _, rule := range rules.All() {
		all = append(all, rule.ID)
	}
	assert.ElementsMatch(t, all, slices.Collect(maps.Keys(seen)), "each rule has a case")
}

func wanted(t *testing.T, file string) map[int][]string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	want := map[int][]string{}
	for i, line := range strings.Split(string(content), "\n") {
		if _, rules, ok := strings.Cut(line, "# want: "); ok {
			want[i+1] = slices.Sorted(slices.Values(strings.Fields(rules)))
		}
	}
	return want
}
