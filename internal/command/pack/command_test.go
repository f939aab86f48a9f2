// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/tests/clitest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// run runs the command and returns its exit code, output and error output.
func run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	out, errOut, code = clitest.Run(t, NewCommand(Settings{Providers: []confmap.ProviderFactory{
		envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory(),
	}, Naming: namingprocessor.NewFactory()}), args...)
	return code, out, errOut
}

// golden compares what the command does with testdata/<name>.txt.
func golden(t *testing.T, name string, args ...string) {
	t.Helper()
	code, out, errOut := run(t, args...)
	testfiles.Golden(t, filepath.Join("testdata", name+".txt"), fmt.Sprintf("%s%sexit code %d\n", out, errOut, code))
}

func TestCheck(t *testing.T) {
	golden(t, "check_good", "check", "testdata/shop.yaml")
	golden(t, "check_errors", "check", "testdata/errors.yaml", "testdata/shop.yaml")
	golden(t, "check_wrong", "check", "testdata/wrong.yaml")
	golden(t, "check_strangers", "check", "testdata/strangers.yaml")
	golden(t, "check_clash", "check", "testdata/clash.yaml")
	golden(t, "check_nothing", "check")
	golden(t, "check_missing", "check", "/nosuch/pack.yaml")
}

// A file without the ending .yaml is no built-in pack.
func TestCheckTakesAnyFileName(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("tuft", []byte("system: mine\nowns: {scopes: [x]}\n"), 0o600))
	code, out, _ := run(t, "check", "tuft")
	assert.Equal(t, []any{0, "tuft: no problems\n"}, []any{code, out})
}

func TestTest(t *testing.T) {
	golden(t, "test_good", "test", "testdata/shop.yaml")
	golden(t, "test_wrong", "test", "testdata/wrong.yaml")
	golden(t, "test_errors", "test", "testdata/errors.yaml")

	code, out, errOut := run(t, "test")
	assert.Equal(t, 0, code, out+errOut)
	assert.Contains(t, out, "builtin/tuft.yaml: ")
	assert.NotRegexp(t, `; [1-9]\d* of \d+ rules have no example`, out, "each rule for a name, a unit, an aggregate, an attribute or a log format has one")
}

func TestExplain(t *testing.T) {
	for _, c := range testfiles.Cases[struct {
		Name string
		Args []string
	}](t, "testdata/explain.yaml") {
		golden(t, "explain_"+c.Name, append([]string{"explain"}, c.Args...)...)
	}
}
