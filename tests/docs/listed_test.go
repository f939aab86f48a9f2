// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// listed is a command that is not run as the documents write it: the test that runs what it does, or what it needs that
// no test has, with the recipe to try it by hand.
type listed struct {
	Command, Test, Needs, Recipe string
}

var (
	program = regexp.MustCompile(`^(?:kubectl|helm|otelcol-tc|make|go|docker|podman|skopeo|apt|dnf|systemctl|journalctl|curl|openssl) `)
	inline  = regexp.MustCompile("`([^`\n]+)`")
	comment = regexp.MustCompile(`\s+#.*$`)
	// named is a command that only names what it runs: such a sub-command, package or target exists.
	named = regexp.MustCompile(`^(?:(?:otelcol-tc|kubectl|helm|apt) (?:pack )?[a-z-]+|go (?:run|test|generate) \.\S*(?: --.*)?|make( [a-zA-Z_=0-9.…-]+)+)$`)
)

// Every command of the documents, of deploy/ and of the chart's notes is run by a test, or listed with the test that
// runs what it does, or with what it needs and how to try it by hand. What is listed is in the documents.
func TestCommandsAreRunOrListed(t *testing.T) {
	content, err := os.ReadFile("testdata/commands.yaml")
	require.NoError(t, err)
	var list []listed
	decoder := yaml.NewDecoder(strings.NewReader(string(content)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&list))
	tests := testsOfRepository(t)
	missing := map[string]string{} // by command, where it is
	for where, commands := range commandsThatDoNotRun(t) {
		for _, command := range commands {
			missing[command] = where
		}
	}
	for _, l := range list {
		assert.Contains(t, missing, l.Command, "is in no document")
		delete(missing, l.Command)
		if l.Test != "" {
			assert.Contains(t, tests, l.Test, l.Command)
			continue
		}
		assert.True(t, l.Needs != "" && l.Recipe != "", "%s: has neither a test nor needs and a recipe", l.Command)
	}
	for command, where := range missing {
		if !named.MatchString(command) {
			assert.Fail(t, "nothing runs this command, and testdata/commands.yaml does not list it", "%s: %s", where, command)
			continue
		}
		requireExists(t, command)
	}
}

// requireExists checks what a command names. Targets of make are checked for all documents in tests/house.
func requireExists(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(command)
	switch words[0] {
	case "otelcol-tc":
		result := collectortest.Run(t, append(words[1:], "--help")...)
		assert.Zero(t, result.Code, "%s\n%s", command, result.Stderr)
		assert.Contains(t, result.Stdout+result.Stderr, "otelcol-tc "+strings.Join(words[1:], " "), command)
	case "kubectl", "helm":
		if tool := filepath.Join(collectortest.Root(t), ".tools", words[0]); exists(tool) {
			out, err := exec.CommandContext(t.Context(), tool, append(words[1:], "--help")...).CombinedOutput()
			assert.NoError(t, err, "%s\n%s", command, out)
			assert.Contains(t, string(out), command)
		}
	case "go":
		_, err := os.Stat(filepath.Join(repository, strings.TrimSuffix(words[2], "/...")))
		assert.NoError(t, err, command)
	}
}

// commandsThatDoNotRun returns by document the commands that TestDocumentedCommandsRun does not run.
func commandsThatDoNotRun(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	add := func(path, command string) {
		if command = strings.TrimSpace(comment.ReplaceAllString(command, "")); command != "" {
			all[path] = append(all[path], command)
		}
	}
	run := append(documents(t), "README.md")
	for _, path := range allMarkdown(t) {
		if !slices.Contains(run, path) && !strings.HasPrefix(path, "deploy/") {
			continue
		}
		p := readPage(t, path)
		for _, b := range p.blocks {
			if b.kind == "shell" || b.kind == "sh" && !slices.Contains(run, path) {
				for command := range strings.SplitSeq(strings.ReplaceAll(b.text, "\\\n", ""), "\n") {
					add(path, strings.Join(strings.Fields(command), " "))
				}
			}
		}
		for _, match := range inline.FindAllStringSubmatch(p.text, -1) {
			if program.MatchString(match[1]) {
				add(path, match[1])
			}
		}
	}
	const notes = "deploy/helm/otelcol-tc/templates/NOTES.txt"
	content, err := os.ReadFile(filepath.Join(repository, notes))
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		if command := strings.TrimSpace(line); strings.HasPrefix(line, "  ") && program.MatchString(command) {
			add(notes, command)
		}
	}
	return all
}
