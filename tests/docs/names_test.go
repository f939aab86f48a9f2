// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link            = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	profileVariable = regexp.MustCompile(`\bOTELCOL_TC_[A-Z_]+\b`)
)

// Links of all documents lead to files and headings that exist.
func TestDocumentsLinkToWhatExists(t *testing.T) {
	links := 0
	for _, path := range allMarkdown(t) {
		p := readPage(t, path)
		for _, match := range link.FindAllStringSubmatch(p.text, -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			links++
			to := path
			if target != "" {
				to = filepath.Join(filepath.Dir(path), target)
			}
			info, err := os.Stat(filepath.Join(repository, to))
			if !assert.NoError(t, err, "%s links to %s", path, match[1]) {
				continue
			}
			if info.IsDir() {
				to = filepath.Join(to, "README.md")
			}
			if anchor != "" {
				assert.Contains(t, readPage(t, to).anchors(), anchor, "%s links to %s", path, match[1])
			}
		}
	}
	assert.Greater(t, links, 100)
}

// The index leads to each page.
func TestIndexListsAllPages(t *testing.T) {
	const index = "docs/README.md"
	text := readPage(t, index).text
	for _, path := range documents(t) {
		if path != index {
			assert.Contains(t, text, "]("+filepath.Base(path)+")", "%s does not link to %s", index, path)
		}
	}
}

// allMarkdown are the documents of the whole repository.
func allMarkdown(t *testing.T) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(repository, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		// What tools and other programs brought along is not ours.
		if entry.IsDir() && file != repository && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if filepath.Ext(file) == ".md" {
			path, err := filepath.Rel(repository, file)
			paths = append(paths, path)
			return err
		}
		return nil
	}))
	return paths
}

// Documents name no variable that neither a configuration nor the process reads.
func TestDocumentsNameVariablesThatAreRead(t *testing.T) {
	read := []string{"OTELCOL_TC_GARBAGE"}
	for _, pattern := range []string{"configs/*.yaml", "configs/fragments/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(repository, pattern))
		require.NoError(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, name := range regexp.MustCompile(`env:(\w+)`).FindAllStringSubmatch(string(content), -1) {
				read = append(read, name[1])
			}
		}
	}
	named := 0
	for _, path := range documents(t) {
		content, err := os.ReadFile(filepath.Join(repository, path))
		require.NoError(t, err)
		for _, name := range profileVariable.FindAllString(string(content), -1) {
			named++
			assert.Contains(t, read, name, path)
		}
	}
	assert.NotZero(t, named)
}

// Documents name no metric that neither a dashboard, an alert nor a component's own
// documentation knows.
func TestDocumentsNameMetricsThatExist(t *testing.T) {
	known := ""
	for _, pattern := range []string{"dashboards/*.json", "dashboards/alerts.yaml", "*/*/documentation.md"} {
		files, err := filepath.Glob(filepath.Join(repository, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			known += string(content)
		}
	}
	exist := regexp.MustCompile(`\botelcol_\w+`).FindAllString(known, -1)
	for _, path := range documents(t) {
		content, err := os.ReadFile(filepath.Join(repository, path))
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`\b(otelcol_[a-z_]*[a-z])(_\*)?`).FindAllStringSubmatch(string(content), -1) {
			// A star stands for the signals.
			found := slices.ContainsFunc(exist, func(name string) bool {
				return name == match[1] || match[2] != "" && strings.HasPrefix(name, match[1]+"_")
			})
			assert.True(t, found, "%s names %s, which nothing else knows", path, match[0])
		}
	}
}

// The alerts in the table of docs/sizing.md exist.
func TestSizingNamesAlertsThatExist(t *testing.T) {
	alerts, err := os.ReadFile(filepath.Join(repository, "dashboards", "alerts.yaml"))
	require.NoError(t, err)
	named := regexp.MustCompile("(?m)^\\| (`[A-Z][^|]+) \\|").FindAllStringSubmatch(readPage(t, "docs/sizing.md").text, -1)
	require.NotEmpty(t, named)
	for _, cell := range named {
		for _, name := range regexp.MustCompile("`([A-Za-z0-9]+)`").FindAllStringSubmatch(cell[1], -1) {
			assert.Contains(t, string(alerts), "- alert: "+name[1]+"\n")
		}
	}
}

// The tests that docs/security.md names for each attack exist.
func TestSecurityTableNamesTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, "docs", "security.md"))
	require.NoError(t, err)
	exist := testsOfRepository(t)
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(page, -1)
	require.NotEmpty(t, named)
	for _, name := range named {
		assert.True(t, exist[string(name[1])], "docs/security.md names %s", name[1])
	}
}

// testsOfRepository are all tests, by name.
func testsOfRepository(t *testing.T) map[string]bool {
	t.Helper()
	exist := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	require.NoError(t, filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != repository:
			return fs.SkipDir // .git, .tools and the like
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, name := range declared.FindAllSubmatch(source, -1) {
			exist[string(name[1])] = true
		}
		return err
	}))
	return exist
}
