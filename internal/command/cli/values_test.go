// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/otelcol"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// resolved returns the values of a configuration, and the error of resolving it.
func resolved(t *testing.T, config string) (*Values, error) {
	t.Helper()
	nop, err := otelcol.MakeFactoryMap[exporter.Factory](exportertest.NewNopFactory())
	require.NoError(t, err)
	values := NewValues(func() (otelcol.Factories, error) { return otelcol.Factories{Exporters: nop}, nil })
	path := testfiles.Save(t, "my.yaml", config)
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{URIs: []string{path}, DefaultScheme: "env", ProviderFactories: values.Wrap([]confmap.ProviderFactory{
		envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory(),
	})})
	require.NoError(t, err)
	_, err = resolver.Resolve(t.Context())
	values.Give(path)
	return values, err
}

func TestHide(t *testing.T) {
	file := testfiles.Save(t, "part.yaml", "key_of_part: first line\nlist: [from-the-list, 47114711]\n")
	t.Setenv("HIDE_TOKEN", "s3cret-token/1")
	t.Setenv("HIDE_LINES", "-----BEGIN\nline-of-a-key\n")
	t.Setenv("HIDE_SHORT", "4317")
	t.Setenv("HIDE_NAME", "HIDE_SHORT")
	t.Setenv("HIDE_WORD", "written")
	t.Setenv("HIDE_TYPE", "nop/2")
	t.Setenv("HIDE_SET", "its value")
	t.Setenv("HIDE_URL", "https://user:other-token@host")
	t.Setenv("HIDE_LOCAL", "127.0.0.1:23133")
	t.Setenv("HIDE_PATH", "/var/lib/without_journalctl")
	t.Setenv("HIDE_BASE64", "/bW9yZSB0aGFuIGEgcGF0aA+/x==")
	t.Setenv("HIDE_REMOTE", "gateway.example:23133")
	values, err := resolved(t, `a: "${HIDE_TOKEN} ${HIDE_LINES} ${HIDE_SHORT} ${HIDE_WORD} ${HIDE_TYPE} ${HIDE_LOCAL} ${HIDE_PATH} ${HIDE_BASE64} ${HIDE_REMOTE} ${HIDE_URL} ${env:HIDE_SET:-default} ${env:HIDE_UNSET:-memory}"
written: ${file:`+file+`}
b: ${env:${HIDE_NAME}}
c: "${yaml:in-the-text}"
`)
	require.NoError(t, err)
	for _, row := range testfiles.Cases[[2]string](t, "testdata/hide.yaml") {
		assert.Equal(t, strings.ReplaceAll(row[1], "FILE", file), values.Hide(row[0]))
	}
}

// Copying very deep settings takes the collector minutes.
func TestDeepSettings(t *testing.T) {
	for _, nested := range []string{strings.Repeat("{a: ", 100) + "1" + strings.Repeat("}", 100), strings.Repeat("a::", 100) + "a: 1"} {
		_, err := resolved(t, "b: "+strings.Replace(nested, "a::", "{a::", 1)+strings.Repeat("}", strings.Count(nested, "a::")/100))
		assert.ErrorContains(t, err, "my.yaml: must have at most 100 levels of settings (got 10")
	}
}
