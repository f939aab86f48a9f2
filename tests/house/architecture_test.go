// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const page = "docs/architecture.md"

// step is a row of a walk: | `file` | `function` | what happens |.
var step = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| [^|]+ \\|$")

// Each walk of the page names files and functions that exist, and at most five files.
func TestArchitectureNamesWhatExists(t *testing.T) {
	walks := 0
	for _, section := range strings.Split(readFile(t, page), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		if !strings.HasPrefix(title, "Follow ") {
			continue
		}
		walks++
		steps := step.FindAllStringSubmatch(body, -1)
		assert.Len(t, steps, strings.Count(body, "\n|")-2, "%s: %q: each row is | `file` | `function` | what happens |", page, title)
		files := map[string]bool{}
		for _, s := range steps {
			files[s[1]] = true
			assert.True(t, declares(t, s[1], s[2]), "%s: %q: %s has no %s", page, title, s[1], s[2])
		}
		assert.LessOrEqual(t, len(files), 5, "%s: %q: files", page, title)
	}
	assert.Equal(t, 3, walks, "%s: walks", page)
}

// The tree's folders and files exist.
func TestArchitectureShowsTheTree(t *testing.T) {
	_, tree, found := strings.Cut(readFile(t, page), "## The tree\n\n```\n")
	require.True(t, found)
	tree, _, _ = strings.Cut(tree, "```")
	for line := range strings.Lines(tree) {
		_, err := os.Stat(filepath.Join(repository, strings.Fields(line)[0]))
		assert.NoError(t, err, page)
	}
}

// declares reports whether a Go file has a function, a method as type.name, or a YAML file a
// key as section::name.
func declares(t *testing.T, file, name string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, file))
	if !assert.NoError(t, err, page) {
		return true // reported
	}
	if strings.HasSuffix(file, ".yaml") {
		var sections map[string]map[string]any
		require.NoError(t, yaml.Unmarshal(text, &sections), file)
		section, key, _ := strings.Cut(name, "::")
		_, ok := sections[section][key]
		return ok
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, declaration := range parsed.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && receiver(function)+function.Name.Name == name {
			return true
		}
	}
	return false
}

// receiver returns a method's type and a dot, or nothing.
func receiver(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	for receiver := function.Recv.List[0].Type; ; {
		switch typ := receiver.(type) {
		case *ast.StarExpr:
			receiver = typ.X
		case *ast.IndexExpr:
			receiver = typ.X
		case *ast.IndexListExpr:
			receiver = typ.X
		case *ast.Ident:
			return typ.Name + "."
		default:
			return ""
		}
	}
}
