// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"

	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/tests/clitest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// run runs the command and returns its exit code.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return clitest.Run(t, NewCommand(Settings{Providers: []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory()}}), args...)
}

const packs = "--packs=testdata/pack.yaml,builtin"

// goldenFiles are files of all kinds.
var goldenFiles = []string{"dashboard.json", "fields.json", "rules.yaml", "alerts.yaml", "kubernetes.yaml", "adapter.yaml"}

// The diff of files of all kinds, and what is not decided in them, are those of testdata/*.txt.
func TestGolden(t *testing.T) {
	for _, name := range goldenFiles {
		t.Run(name, func(t *testing.T) {
			input := filepath.Join("testdata", name)
			got, _, code := run(t, packs, input)
			assert.Zero(t, code)
			testfiles.Golden(t, filepath.Join("testdata", strings.TrimSuffix(name, filepath.Ext(name))+".txt"), got)
		})
	}
}

// After --write nothing changes anymore, whatever is left undecided.
func TestWriteOnce(t *testing.T) {
	dir := t.TempDir()
	for _, name := range goldenFiles {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o640))
	}
	_, _, code := run(t, packs, "--check", dir)
	assert.Equal(t, 1, code)
	_, _, code = run(t, packs, "--write", dir)
	assert.Zero(t, code)
	info, err := os.Stat(filepath.Join(dir, "rules.yaml"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	again, _, _ := run(t, packs, dir)
	assert.NotContains(t, again, "+++")
	assert.Contains(t, again, "\n0 of ")
}

// A directory can be a ConfigMap's, whose files are links. A file that is too large stops nothing.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "..data")
	require.NoError(t, os.Mkdir(data, 0o700))
	rule := filepath.Join(data, "rule.yaml")
	require.NoError(t, os.WriteFile(rule, []byte("expr: rate(vllm:x_total[5m])\n"), 0o600))
	link := filepath.Join(dir, "rule.yaml")
	require.NoError(t, os.Symlink(filepath.Join("..data", "rule.yaml"), link))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "loop.yaml")))
	large := filepath.Join(dir, "large.json")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, 17<<20))
	out, errs, code := run(t, packs, "--write", dir)
	assert.Zero(t, code, errs)
	assert.Contains(t, out, large+": not decided\n    the file cannot be read: must have at most 16 MiB")
	assert.Contains(t, out, "1 of 1 queries change in 1 files")
	text, err := os.ReadFile(rule)
	require.NoError(t, err)
	assert.Equal(t, "expr: rate(tc_vllm_x_total[5m])\n", string(text))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, info.Mode().Type())
}

// A text that several rules have by an alias is changed once.
func TestSharedTemplate(t *testing.T) {
	other := testfiles.Save(t, "other.txt", "system: other\nowns: {metrics: [other_*]}\nmetrics: {prefixes: {other_: tc_other_}}\n"+
		"attributes: [{key: model_name, rename: tc.other}]\n")
	rules := testfiles.Save(t, "rules.yaml", "groups:\n- rules:\n"+
		"  - {alert: A, expr: 'rate(vllm:x_total[5m])', annotations: {text: &text '{{ $labels.model_name }}'}}\n"+
		"  - {alert: B, expr: 'rate(vllm:y_total[5m])', annotations: {text: *text}}\n"+
		"  - {alert: C, expr: 'rate(other_total[5m])', annotations: {text: *text}}\n")
	out, errs, code := run(t, packs+","+other, "--write", rules)
	assert.Zero(t, code, errs)
	assert.Contains(t, out, "it belongs to several queries")
	text, err := os.ReadFile(rules)
	require.NoError(t, err)
	assert.Contains(t, string(text), "&text '{{ $labels.tc_model_name }}'}")
}

// Queries of attributes that are owners, and of what they multiply, are listed if the configuration takes owners off.
func TestQueriesOfOwners(t *testing.T) {
	config := testfiles.Save(t, "agent.yaml", "extensions: {conventions: {owners: [dcgm]}}\nservice: {extensions: [conventions]}\n")
	rules := testfiles.Save(t, "rules.yaml", "groups:\n- rules:\n"+
		"  - {record: pod, expr: sum by (pod) (DCGM_FI_DEV_GPU_UTIL)}\n"+
		"  - {record: hot, expr: max by (UUID) (DCGM_FI_DEV_GPU_TEMP)}\n")
	out, _, _ := run(t, "--config", config, rules)
	assert.Contains(t, out, "rule pod")
	assert.NotContains(t, out, "rule hot")
	out, _, _ = run(t, rules)
	assert.Contains(t, out, "0 things are not decided")
}

// If one file cannot be written, none is.
func TestWriteAllOrNone(t *testing.T) {
	const old = "expr: rate(vllm:x_total[5m])\n"
	first, second := testfiles.Save(t, "a.yaml", old), testfiles.Save(t, "b.yaml", old)
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	by, err := (&options{packs: []string{"testdata/pack.yaml"}}).names(cmd, Settings{})
	require.NoError(t, err)
	all, err := places.Read([]string{first, second})
	require.NoError(t, err)
	m := migrate(all, by)
	require.Len(t, m.changed, 2)
	require.NoError(t, os.Remove(second))
	require.ErrorContains(t, m.write(), "no file is changed")
	text, err := os.ReadFile(first)
	require.NoError(t, err)
	assert.Equal(t, old, string(text))
}

// Our own dashboards and alerts have the names of our page.
func TestOwnDashboardsStay(t *testing.T) {
	out, errs, code := run(t, "--check", "../../../dashboards")
	assert.Zero(t, code, "%s%s", out, errs)
	assert.True(t, strings.HasPrefix(out, "0 of "), out)
}

// A page, as a file or from a server, shows what queries do not.
func TestMetrics(t *testing.T) {
	const text = "# TYPE vllm:of_no_known_type gauge\nvllm:of_no_known_type 1\n"
	page := clitest.ServeBy(t, func(*http.Request) string { return text })
	metadata := testfiles.Save(t, "metadata.json", `{"data": {"vllm:of_no_known_type": [{"type": "counter"}]}}`)
	for from, want := range map[string]string{page: `"tc_vllm_of_no_known_type"`, metadata: `"tc_vllm_of_no_known_type_total"`} {
		out, _, code := run(t, packs, "--metrics", from, "testdata/dashboard.json")
		assert.Zero(t, code)
		assert.Contains(t, out, want)
	}
}

// The settings of a configuration apply. Without enforcement its page has the old names.
func TestConfig(t *testing.T) {
	config := testfiles.Save(t, "agent.yaml", "extensions: {conventions: {mode: audit, prefix: my_, unowned: repair}}\nservice: {extensions: [conventions]}\n")
	rule := testfiles.Save(t, "rule.yaml", "expr: rate(fastdeploy:x_total[5m]) + on () rate(shop_orders_total[5m])\n")
	out, errs, code := run(t, "--config", config, rule)
	assert.Zero(t, code)
	assert.Contains(t, out, "+expr: rate(my_fastdeploy_x_total[5m]) + on () rate(my_shop_orders_total[5m])\n")
	assert.Contains(t, errs, "mode: audit")
}

func TestErrors(t *testing.T) {
	broken := testfiles.Save(t, "broken.yaml", "a: b\nc: [")
	dir := filepath.Dir(broken)
	f := func(want string, args ...string) {
		t.Helper()
		_, errs, code := run(t, args...)
		assert.Equal(t, 2, code)
		assert.Contains(t, errs, want)
	}
	f("no files: name dashboards, rules or directories of them")
	f("absent.json", "absent.json")
	f("--write and --check exclude each other", "--write", "--check", dir)
	f("unknown flag: --unknown", "--unknown")
	f("--metrics absent.txt", "--metrics", "absent.txt", dir)
	f("packs[0]", "--packs", "./absent.yaml", dir)
	f("--metrics "+broken+": text format parsing error in line 1", "--metrics", broken, dir)
	open := testfiles.Save(t, "open.txt", "# TYPE x counter\nx_total 1\n# EOF\n")
	f("--metrics "+open+": the page is in OpenMetrics", "--metrics", open, dir)

	out, _, code := run(t, "--check", dir)
	assert.Equal(t, 1, code)
	assert.Contains(t, out, broken+": not decided\n    the file cannot be read: line 2: ")
}
