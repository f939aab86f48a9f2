// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPageHasAllTables(t *testing.T) {
	p := page{Machine: "a machine", Tables: map[string]string{"gains": "<gains>", "latency": "<latency>", "profiles": "<profiles>"}}
	asked, err := suitesNamed(limited)
	require.NoError(t, err)
	for _, s := range asked {
		p.Tables[s.name] = "<" + s.name + ">"
	}
	path := filepath.Join(t.TempDir(), "page.md")
	read := func() string {
		require.NoError(t, p.write(path))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(content)
	}
	text := read()
	for name, table := range p.Tables {
		require.Contains(t, text, "\n\n"+table+"\n", name)
	}
	require.Contains(t, text, "All limits were kept")

	p.Missed = []string{"1.300 of at most 1.25"}
	require.Contains(t, read(), "These limits were missed in this run:\n\n- 1.300 of at most 1.25\n")

	// What a user gets comes first, what was missed last.
	require.Less(t, strings.Index(text, "<gains>"), strings.Index(text, "\n## "))
	require.Greater(t, strings.Index(text, "All limits were kept"), strings.LastIndex(text, "\n## "))

	delete(p.Tables, "files")
	require.Error(t, p.write(path))
}

func TestFieldOf(t *testing.T) {
	require.Equal(t, "AMD EPYC", fieldOf("processor\t: 0\nmodel name\t: AMD EPYC\nmodel name\t: other\n", "model name"))
	require.Equal(t, "unknown", fieldOf("", "MemTotal"))
}
