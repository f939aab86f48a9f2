// SPDX-License-Identifier: Apache-2.0

package docs

import (
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
	for _, path := range below(t, ".md") {
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

// Documents name no variable that neither a configuration nor the process reads.
func TestDocumentsNameVariablesThatAreRead(t *testing.T) {
	known := []string{"OTELCOL_TC_GARBAGE"}
	for _, pattern := range []string{"configs/*.yaml", "configs/fragments/*.yaml"} {
		for _, file := range matching(t, pattern) {
			for _, name := range regexp.MustCompile(`env:(\w+)`).FindAllStringSubmatch(read(t, file), -1) {
				known = append(known, name[1])
			}
		}
	}
	named := 0
	for _, path := range documents(t) {
		for _, name := range profileVariable.FindAllString(read(t, path), -1) {
			named++
			assert.Contains(t, known, name, path)
		}
	}
	assert.NotZero(t, named)
}

// Documents name no metric that neither a dashboard, an alert nor a component's own
// documentation knows.
func TestDocumentsNameMetricsThatExist(t *testing.T) {
	known := ""
	for _, pattern := range []string{"dashboards/*.json", "dashboards/alerts.yaml", "*/*/documentation.md"} {
		for _, file := range matching(t, pattern) {
			known += read(t, file)
		}
	}
	exist := regexp.MustCompile(`\botelcol_\w+`).FindAllString(known, -1)
	for _, path := range documents(t) {
		for _, match := range regexp.MustCompile(`\b(otelcol_[a-z_]*[a-z])(_\*)?`).FindAllStringSubmatch(read(t, path), -1) {
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
	alerts := read(t, "dashboards/alerts.yaml")
	named := regexp.MustCompile("(?m)^\\| (`[A-Z][^|]+) \\|").FindAllStringSubmatch(readPage(t, "docs/sizing.md").text, -1)
	require.NotEmpty(t, named)
	for _, cell := range named {
		for _, name := range regexp.MustCompile("`([A-Za-z0-9]+)`").FindAllStringSubmatch(cell[1], -1) {
			assert.Contains(t, alerts, "- alert: "+name[1]+"\n")
		}
	}
}

// The tests that docs/security.md names for each attack exist.
func TestSecurityTableNamesTests(t *testing.T) {
	exist := map[string]bool{}
	for _, path := range below(t, "_test.go") {
		for _, name := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(read(t, path), -1) {
			exist[name[1]] = true
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(read(t, "docs/security.md"), -1)
	require.NotEmpty(t, named)
	for _, name := range named {
		assert.True(t, exist[name[1]], "docs/security.md names %s", name[1])
	}
}
