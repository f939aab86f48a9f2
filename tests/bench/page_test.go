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
	p := page{Machine: "a machine", Tables: map[string]string{"gains": "<gains>", "latency": "<latency>"}}
	asked, err := suitesNamed(limited)
	require.NoError(t, err)
	for _, s := range asked {
		require.Contains(t, dataTables, s.name)
	}
	for _, name := range dataTables {
		p.Tables[name] = "As " + name + "\n\n| load | at most |\n| --- | ---: |\n| traces, files | 0.95: kept |"
	}
	path := filepath.Join(t.TempDir(), "page.md")
	read := func(path string) string {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(content)
	}
	require.NoError(t, p.write(path))
	text := read(path)
	require.Contains(t, text, "All limits were kept")
	// What a user gets comes first, what was missed last.
	require.Less(t, strings.Index(text, "<gains>"), strings.Index(text, "\n## "))
	require.Greater(t, strings.Index(text, "All limits were kept"), strings.LastIndex(text, "\n## "))
	for _, name := range dataTables {
		require.Contains(t, text, "(performance/"+name+".csv)")
		require.Equal(t, "load,at most\n\"traces, files\",0.95: kept\n", read(filepath.Join(filepath.Dir(path), "page", name+".csv")))
	}

	p.Missed = []string{"1.300 of at most 1.25"}
	require.NoError(t, p.write(path))
	require.Contains(t, read(path), "These limits were missed in this run:\n\n- 1.300 of at most 1.25\n")

	delete(p.Tables, "gains")
	require.Error(t, p.write(path))
}

func TestFieldOf(t *testing.T) {
	require.Equal(t, "AMD EPYC", fieldOf("processor\t: 0\nmodel name\t: AMD EPYC\nmodel name\t: other\n", "model name"))
	require.Equal(t, "unknown", fieldOf("", "MemTotal"))
}
