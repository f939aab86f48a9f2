// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines returns the lines of a file that are no comments.
func lines(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var lines []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// Names and whether they are credentials, in the case of the file and in others.
func TestNames(t *testing.T) {
	for file, isCredential := range map[string]func(string) bool{
		"keys.txt":       func(name string) bool { return standard.Find(name) != "" },
		"parameters.txt": standard.isParameter,
	} {
		for _, line := range lines(t, file) {
			verdict, name, ok := strings.Cut(line, " ")
			require.True(t, ok, line)
			assert.Equal(t, verdict == "credential", isCredential(name), "%s of %s", name, file)
			if name == strings.ToLower(name) && strings.Contains(name, "header.") {
				assert.Equal(t, verdict == "credential", isCredential(strings.ReplaceAll(name, "-", "_")), name)
			}
		}
	}
}

func TestFacts(t *testing.T) {
	for _, value := range []string{"present", "absent", "mounted", "strict", "Lax", "none", "TRUE", "false", `["absent"]`} {
		assert.True(t, StatesFact(value), value)
	}
	for _, value := range []string{"", "hunter2", "Bearer x", "present and more", "[]"} {
		assert.False(t, StatesFact(value), value)
	}
}

func TestFurtherNames(t *testing.T) {
	v := NewVocabulary([]string{"badge", "page_token"}, []string{"Magic"})
	for _, key := range []string{"user.badge", "next_page_token"} {
		assert.NotEmpty(t, v.Find(key), key)
	}
	assert.Equal(t, "/x?magic=REDACTED&badge_1=REDACTED", v.Scrub(Address, "/x?magic=S&badge_1=S"))
}

func TestLongKeys(t *testing.T) {
	assert.Equal(t, "password", standard.Find(strings.Repeat("x", 300)+".password"))
}
