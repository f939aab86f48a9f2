// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	_ "embed"
	"io/fs"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/configs"
)

//go:embed backend.yaml
var backend string

// PlainBackend is a configuration that writes received data to files.
var PlainBackend = "yaml:" + backend

// goesWith contains the fragments that a fragment is merged over.
var goesWith = map[string][]string{
	"agent-bearer":       {"agent-tls"},
	"agent-kafka-sasl":   {"agent-kafka"},
	"gateway-kafka-sasl": {"gateway-kafka"},
}

// ProfileOf returns the configuration that a fragment is merged over.
func ProfileOf(fragment string) string {
	profile, _, _ := strings.Cut(fragment, "-")
	return profile
}

// included are files of fragments/ that configurations include, and that nobody merges.
var included = []string{"span-metrics", "genai-metrics", "nccl-metrics", "conversation-links", "request-links"}

// Fragments returns the names of all fragments to merge.
func Fragments(t testing.TB) (names []string) {
	t.Helper()
	files, err := fs.Glob(configs.FS, "fragments/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no fragments: ", err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(path.Base(file), ".yaml"); !slices.Contains(included, name) {
			names = append(names, name)
		}
	}
	return names
}

// WithFragments returns the values of --config: the profile, and each fragment after the fragments it is
// merged over.
func WithFragments(fragments ...string) []string {
	uris := []string{"builtin:" + ProfileOf(fragments[0])}
	for _, fragment := range fragments {
		for _, name := range append(goesWith[fragment], fragment) {
			if uri := "builtin:fragments/" + name; !slices.Contains(uris, uri) {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}

// RunBare runs a command of the binary on configurations, with only the given variables.
func RunBare(t *testing.T, env map[string]string, command string, uris []string) (output string, err error) {
	t.Helper()
	args := []string{command}
	for _, uri := range uris {
		args = append(args, "--config", uri)
	}
	cmd := exec.CommandContext(t.Context(), Binary(t), args...)
	cmd.Env = []string{} // nil would mean the test's own environment
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	all, err := cmd.CombinedOutput()
	return string(all), err
}

// FileGateway starts a gateway that writes received data to files.
func FileGateway(t *testing.T, env map[string]string, more ...string) (gateway, files *Collector) {
	t.Helper()
	dir := t.TempDir()
	env["OTELCOL_TC_FILES"] = dir
	gateway = Start(t, Options{
		Configs: append(WithFragments("gateway-json-file"), more...), Env: env,
	})
	return gateway, OutputOf(dir)
}

// OutputOf reads files from a directory other than the collector's own.
func OutputOf(dir string) *Collector { return &Collector{DataDir: dir} }
