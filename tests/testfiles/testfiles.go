// SPDX-License-Identifier: Apache-2.0

// Package testfiles reads and writes the files of a test: its cases, and what it expects.
package testfiles

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Cases reads the cases of a test, a list in YAML.
func Cases[T any](t testing.TB, file string) []T {
	t.Helper()
	cases := Read[[]T](t, file)
	require.NotEmpty(t, cases, file)
	return cases
}

// Read reads a file in YAML. A key that is spelled wrong fails the test.
func Read[T any](t testing.TB, file string) (content T) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&content), file)
	return content
}

// Save writes a file into a new directory, and returns its path.
func Save(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Golden compares a text with a golden file. With UPDATE_GOLDEN=1 it writes the file first.
func Golden(t testing.TB, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "UPDATE_GOLDEN=1 writes it")
	assert.Equal(t, string(want), got, "%s: UPDATE_GOLDEN=1 writes it", file)
}

// Section compares a part of a document, between two lines, with what it has to be. With UPDATE_GOLDEN=1 it writes the
// part first.
func Section(t testing.TB, file, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, begins := strings.Cut(string(text), begin)
	_, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "%s: no part from %q to %q", file, begin, end)
	Golden(t, file, before+begin+want+end+after)
}
