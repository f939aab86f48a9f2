// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/rules"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

const healthy = `receivers: {nop: }
processors: {memory_limiter: {check_interval: 1s, limit_mib: 64}}
exporters: {nop: , file: {path: traces.json}}
service: {pipelines: {traces: {receivers: [nop], processors: [memory_limiter], exporters: [nop, file]}}}
`

// save writes a configuration and returns its path.
func save(t *testing.T, content string) string {
	t.Helper()
	return testfiles.Save(t, "my.yaml", content)
}

func TestNothingFound(t *testing.T) {
	path := save(t, healthy)
	code, out, errOut := run(t, "--config", path)
	assert.Equal(t, []any{0, "", ""}, []any{code, out, errOut})

	code, out, _ = run(t, "--config="+path, "--format=json")
	assert.Equal(t, 0, code)
	assert.JSONEq(t, "[]", out)
}

func TestWarning(t *testing.T) {
	path := save(t, healthy)
	const set = "processors.memory_limiter.check_interval=5s"
	code, out, _ := run(t, "--config", path, "--set", set)
	assert.Equal(t, 1, code)
	assert.Equal(t, `yaml:processors::memory_limiter::check_interval:1: warning memory-limiter-slow: "memory_limiter" looks at the memory every 5s (check_interval: 1s)`+"\n", out)

	code, out, _ = run(t, "--config", path, "--set", set, "--format", "json")
	assert.Equal(t, 1, code)
	var got []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.Equal(t, []map[string]any{{
		"file": "yaml:processors::memory_limiter::check_interval", "line": 1.0, "severity": "warning",
		"rule": "memory-limiter-slow", "text": `"memory_limiter" looks at the memory every 5s`, "fix": "check_interval: 1s",
	}}, got)
}

func TestEmptyConfiguration(t *testing.T) {
	for _, content := range []string{"", "# nothing yet\n"} {
		path := save(t, content)
		code, out, _ := run(t, "--config", path)
		assert.Equal(t, 1, code)
		assert.Equal(t, path+":1: warning invalid: the configuration is empty (`otelcol-tc validate` refuses it)\n", out)
		code, out, _ = run(t, "--config", path, "--config", save(t, healthy))
		assert.Equal(t, []any{0, ""}, []any{code, out})
	}
}

// TestNote checks that notes do not fail a CI pipeline.
func TestNote(t *testing.T) {
	code, out, _ := run(t, "--config", save(t, healthy), "--config",
		"yaml:{extensions: {health_check: {endpoint: ':13133'}}, service: {extensions: [health_check]}}")
	assert.Equal(t, 0, code)
	assert.Contains(t, out, `note open-endpoint: extensions::health_check::endpoint: ":13133" is on all interfaces without authentication and without TLS`)
}

// TestOrder checks that findings have the order of the command line, not of the file names.
func TestOrder(t *testing.T) {
	z, a := testfiles.Save(t, "z.yaml", "exporters: {nop/z: }"), testfiles.Save(t, "a.yaml", healthy+"connectors: {forward: }")
	_, out, _ := run(t, "--config", z, "--config", a)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 2, out)
	assert.Contains(t, lines[0], z+":1: note unused: exporters::nop/z", "a configuration that is merged over it may not use it")
	assert.Contains(t, lines[1], a+":5: note unused: connectors::forward")
}

// TestUnreadable checks that errors of reading name the file, the key and the value.
func TestUnreadable(t *testing.T) {
	f := func(args []string, wantInError ...string) {
		t.Helper()
		code, out, errOut := run(t, args...)
		assert.Equal(t, 2, code, out)
		for _, want := range wantInError {
			assert.Contains(t, errOut, want)
		}
	}
	f(nil, "--config")
	f([]string{"my.yaml"}, "my.yaml", "--config")
	f([]string{"--config", "a.yaml", "--format", "xml"}, "--format", "xml")
	f([]string{"--config", "a.yaml", "--set", "b"}, "b", "key=value")
	f([]string{"--configs", "a.yaml"}, "configs")
	f([]string{"--config", "/no/such/file.yaml"}, "/no/such/file.yaml")
	f([]string{"--config", "vault:secret"}, "vault:secret")

	broken := save(t, "receivers:\n  nop:\n\t- x\n")
	f([]string{"--config", save(t, healthy), "--config", broken}, broken+":3: at or after receivers::nop: yaml")
	chart := save(t, "exporters:\n  otlp_http:\n    endpoint: {{ .Values.backend }}:4318\n")
	f([]string{"--config", chart}, chart+":2: at or after exporters::otlp_http: yaml", "helm template")
	list := save(t, "- a\n- b\n")
	f([]string{"--config", list}, list, "mapping")
	twice := save(t, "receivers:\nreceivers:\n")
	f([]string{"--config", twice}, twice, "receivers", "line 2")

	f([]string{"--config", save(t, healthy), "--set", "exporters.nop=${file:/no/such/part.yaml}"}, "/no/such/part.yaml")
}

// TestOutput checks what the command prints of each configuration of testdata/output: what this distribution cannot read
// is a finding, and the rest is checked; the rules say nothing about values that are unknown here.
func TestOutput(t *testing.T) {
	configs, err := filepath.Glob("testdata/output/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, configs)
	for _, config := range configs {
		code, out, errOut := run(t, "--config", config)
		testfiles.Golden(t, strings.TrimSuffix(config, ".yaml")+".txt", fmt.Sprintf("%s%sexit code %d\n", out, errOut, code))
	}
}

func TestUnsetVariables(t *testing.T) {
	// A setting that a later file replaces is not reported.
	path := save(t, strings.Replace(healthy, "check_interval: 1s", "check_interval: '${DOCTOR_TEST_UNSET}'", 1))
	code, out, _ := run(t, "--config", path, "--set", "processors.memory_limiter.check_interval=1s")
	assert.Equal(t, 0, code, out)

	// In an included file.
	part := save(t, "check_interval: 1s\nlimit_mib: 64\nspike_limit_mib: ${env:DOCTOR_TEST_UNSET}\n")
	_, out, _ = run(t, "--config", save(t, healthy), "--config", "yaml:processors: {memory_limiter: '${file:"+part+"}'}")
	assert.Contains(t, out, part+":3: note unset-variable")
}

func TestHelpListsTheRules(t *testing.T) {
	code, out, errOut := run(t, "--help")
	assert.Equal(t, 0, code)
	assert.Empty(t, errOut)
	for _, rule := range rules.All() {
		assert.Contains(t, out, "  "+rule.ID+" ")
	}
}

// TestRules checks the files of testdata. `# want:` at the end of a line names the rules with a finding in
// it; no other line may have findings.
func TestRules(t *testing.T) {
	t.Setenv("DOCTOR_TEST_LIMIT", "64")
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[string]bool{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := wanted(t, file)
			findings, err := diagnose(t.Context(), settings(t), []string{file})
			require.NoError(t, err)
			got := map[int][]string{}
			for _, f := range findings {
				assert.Equal(t, file, f.File)
				got[f.Line] = append(got[f.Line], f.Rule)
				seen[f.Rule] = true
			}
			for line, ids := range got {
				slices.Sort(ids)
				got[line] = slices.Compact(ids)
			}
			assert.Equal(t, want, got, "%v", findings)
		})
	}
	var all []string
	for _, rule := range rules.All() {
		all = append(all, rule.ID)
	}
	assert.ElementsMatch(t, all, slices.Collect(maps.Keys(seen)), "each rule has a case")
}

func wanted(t *testing.T, file string) map[int][]string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	want := map[int][]string{}
	for i, line := range strings.Split(string(content), "\n") {
		if _, rules, ok := strings.Cut(line, "# want: "); ok {
			want[i+1] = slices.Sorted(slices.Values(strings.Fields(rules)))
		}
	}
	return want
}

// FuzzDoctor checks that the command ends with one of its exit codes for any two configurations.
func FuzzDoctor(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(content), "service::pipelines: {traces: }")
	}
	f.Add("a: &a {b: *a}", "<<: [*a]")
	f.Add("receivers: ${yaml:{nop: }}", "service: {pipelines: {traces: {exporters: [forward], receivers: [forward]}}}")
	f.Add("connectors: {forward: }", "service: {pipelines: {traces: {exporters: [forward], receivers: [forward]}}}")

	set := settings(f)
	// Without providers that read files or use the network.
	set.Providers = set.Values.Wrap([]confmap.ProviderFactory{envprovider.NewFactory(), yamlprovider.NewFactory()})
	f.Fuzz(func(t *testing.T, first, second string) {
		code, _, errOut := runWith(t, set, "--config", "yaml:"+first, "--config", "yaml:"+second)
		assert.Contains(t, []int{0, 1, 2}, code)
		assert.Equal(t, code == 2, errOut != "")
	})
}
