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

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// usesCluster finds the commands that ask an API server.
var usesCluster = regexp.MustCompile(`(?m)^(kubectl|helm) |^otelcol-tc --config builtin:agent +#`)

// Commands in blocks of the kind "sh" run as they are written, block after block of a page in one shell, and write
// what the page shows. Those of the kind "shell" need what the tests do not have, such as nodes, or take minutes.
func TestDocumentedCommandsRun(t *testing.T) { runDocumented(t, nil) }

// So do those of the pages that use a cluster.
func TestDocumentedKubernetesCommandsRun(t *testing.T) { runDocumented(t, kubeserver.Start(t)) }

// runDocumented runs the commands of the pages that use a cluster, or without one of the others.
func runDocumented(t *testing.T, cluster *kubeserver.Server) {
	for _, path := range append(documents(t), "README.md") {
		p := readPage(t, path)
		if usesCluster.MatchString(p.commands()) != (cluster != nil) {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			shown, texts := commandsOf(t, p)
			for attempt := 1; ; attempt++ {
				s := newSession(t, p)
				if cluster != nil {
					s.env = append(s.env, "KUBECONFIG="+cluster.Kubeconfig, "OTELCOL_TC_KUBERNETES_AUTH=kubeConfig", "OTELCOL_TC_NODE=node-1")
				}
				s.prepare(t, p)
				switch p.path { // what is there to change
				case "docs/upgrade.md":
					cluster.Kubectl(t, "apply", "-k", kubeserver.KustomizeNamespaces)
					cluster.Kubectl(t, "apply", "-k", kubeserver.KustomizeBase)
				case "docs/kubernetes-tls.md":
					cluster.Kubectl(t, "apply", "-k", kubeserver.KustomizeNamespaces)
					cluster.Helm(t, "upgrade", "--install", "otelcol-tc", kubeserver.HelmChart, "--namespace", kubeserver.GatewayNamespace, "--take-ownership")
				}
				results, err := s.run(t, texts)
				if err == nil {
					compareOutput(t, p, results)
					return
				}
				last := len(results) - 1
				// Another process may have taken a port.
				if attempt == 3 || !strings.Contains(results[last].stderr, "address already in use") {
					t.Fatalf("%s:%d: %v\n%s\n%s%s", path, shown[last].line, err, texts[last], results[last].stdout, results[last].stderr)
				}
			}
		})
	}
}

// commandsOf returns the blocks of commands that are run.
func commandsOf(t *testing.T, p page) (shown []block, texts []string) {
	t.Helper()
	for i, b := range p.blocks {
		switch b.kind {
		case "sh":
			shown = append(shown, b)
			texts = append(texts, ":\n"+b.text)
		case "text":
			require.Equal(t, "sh", p.blocks[max(0, i-1)].kind, "%s:%d shows what no command before it writes", p.path, b.line)
		}
	}
	return shown, texts
}

// prepare writes the configurations of the page, and what else its commands need.
func (s *session) prepare(t *testing.T, p page) {
	t.Helper()
	for _, c := range configurations(t, p) {
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, c.file), []byte(s.here(c.text)), 0o600))
	}
	if p.path == hostPage {
		s.archive(t)
	}
	if p.path == "README.md" {
		// Changes of the reader's own.
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, "my.yaml"), []byte("exporters: {debug: }"), 0o600))
	}
}

// compareOutput compares what commands wrote with the blocks that show it.
func compareOutput(t *testing.T, p page, results []ran) {
	t.Helper()
	for i, b := range p.blocks {
		if b.kind == "text" {
			before := 0
			for _, earlier := range p.blocks[:i-1] {
				if earlier.kind == "sh" {
					before++
				}
			}
			got := results[before]
			assert.Regexp(t, outputPattern(b.text), got.stdout, "%s:%d\n%s", p.path, b.line, got.stderr)
		}
	}
}

// outputPattern matches text in which "…" stands for anything, on a line of its own also
// for several lines and none.
func outputPattern(text string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(strings.TrimSpace(text))
	quoted = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(quoted, `(?s:.*)`)
	quoted = regexp.MustCompile(`\n…$`).ReplaceAllString(quoted, `(?s:.*)`)
	quoted = strings.ReplaceAll(quoted, "…", ".*")
	return regexp.MustCompile(`^` + quoted + `\s*$`)
}

// configuration is a block that is one: of a comment that names the file and what it is
// merged over, and of settings.
type configuration struct {
	block
	file string
	over []string
}

var configurationComment = regexp.MustCompile(`^# ([a-z-]+\.yaml)(?:, merged over ((?:builtin:[a-z/-]+(?:, | and )?)+))?\n`)

func configurations(t *testing.T, p page) (all []configuration) {
	t.Helper()
	for _, b := range p.blocks {
		if b.kind != "yaml" || p.path == "README.md" {
			continue
		}
		match := configurationComment.FindStringSubmatch(b.text)
		require.NotNil(t, match, "%s:%d must begin with a comment such as \"# my.yaml, merged over builtin:gateway\"", p.path, b.line)
		c := configuration{block: b, file: match[1], over: regexp.MustCompile(`builtin:[a-z/-]+`).FindAllString(match[2], -1)}
		require.False(t, slices.ContainsFunc(all, func(other configuration) bool { return other.file == c.file }), "%s:%d: %s is there twice", p.path, b.line, c.file)
		all = append(all, c)
	}
	return all
}

// The configurations of the documents are valid, and doctor has nothing to say of them but
// that they leave parts of a profile unused.
func TestDocumentedConfigurationsAreValid(t *testing.T) {
	f := func(t *testing.T, text string, over ...string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "my.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		var args []string
		for _, config := range append(over, file) {
			args = append(args, "--config", config)
		}
		result := collectortest.Run(t, append([]string{"validate"}, args...)...)
		require.Equal(t, 0, result.Code, result.Stderr)
		result = collectortest.Run(t, append([]string{"doctor"}, args...)...)
		for finding := range strings.Lines(result.Stdout) {
			assert.Regexp(t, `: (warning|note) unused: |: note `, finding)
		}
		assert.Less(t, result.Code, 2, result.Stderr)
	}
	for _, path := range documents(t) {
		p := readPage(t, path)
		for _, c := range configurations(t, p) {
			t.Run(filepath.Base(path)+"/"+c.file, func(t *testing.T) { f(t, c.text, c.over...) })
		}
	}
	for _, b := range readPage(t, "README.md").blocks {
		if b.kind == "yaml" {
			t.Run("README.md", func(t *testing.T) { f(t, b.text) })
		}
	}
}

// A session that could not fail would prove nothing.
func TestSessionSeesFailures(t *testing.T) {
	s := newSession(t, page{})
	results, err := s.run(t, []string{"x=1\ncd /\n", "echo $x $PWD\n", "echo late >&2; false\necho later\n", "echo never\n"})
	require.Error(t, err)
	require.Len(t, results, 3)
	assert.Equal(t, "1 /\n", results[1].stdout)
	assert.Equal(t, ran{"", "late\n"}, results[2])
	_, err = s.run(t, []string{"echo $undefined\n"})
	require.ErrorContains(t, err, "exit status")
	assert.Equal(t, "A=b in_foreground otelcol-tc --config builtin:dev", withServers("A=b otelcol-tc --config builtin:dev   # says"))
	assert.Equal(t, "otelcol-tc --config builtin:dev &", withServers("otelcol-tc --config builtin:dev &"))
}
