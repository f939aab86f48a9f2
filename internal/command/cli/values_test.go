// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
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
)

// resolved returns the values of a configuration, and the error of resolving it.
func resolved(t *testing.T, config string) (*Values, error) {
	t.Helper()
	nop, err := otelcol.MakeFactoryMap[exporter.Factory](exportertest.NewNopFactory())
	require.NoError(t, err)
	values := NewValues(func() (otelcol.Factories, error) { return otelcol.Factories{Exporters: nop}, nil })
	path := filepath.Join(t.TempDir(), "my.yaml")
	require.NoError(t, os.WriteFile(path, []byte(config), 0o600))
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{URIs: []string{path}, DefaultScheme: "env", ProviderFactories: values.Wrap([]confmap.ProviderFactory{
		envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory(),
	})})
	require.NoError(t, err)
	_, err = resolver.Resolve(t.Context())
	values.Give(path)
	return values, err
}

func TestHide(t *testing.T) {
	file := filepath.Join(t.TempDir(), "part.yaml")
	require.NoError(t, os.WriteFile(file, []byte("key_of_part: first line\nlist: [from-the-list, 47114711]\n"), 0o600))
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
	for text, want := range map[string]string{
		`invalid duration "s3cret-token/1"`:               `invalid duration "${env:HIDE_TOKEN}"`,
		`parse "http://xs3cret-token%2F1y"`:               `parse "http://x${env:HIDE_TOKEN}y"`,
		`lookup s3cret-tok: no such host`:                 `lookup ${env:HIDE_TOKEN}: no such host`,
		"cannot unmarshal !!str `s3cret-...` into int":    "cannot unmarshal !!str `${env:HIDE_TOKEN}` into int",
		"invalid syntax near `[  s3cret-`":                "invalid syntax near `[  ${env:HIDE_TOKEN}`",
		"in \"/user:other-token@host\" id":                `in "${env:HIDE_URL}" id`,
		"listen tcp 127.0.0.1:28888: already in use":      "listen tcp 127.0.0.1:28888: already in use",
		"listen tcp 127.0.0.1:23133: already in use":      "listen tcp 127.0.0.1:23133: already in use",
		"dial tcp gateway.example:23133":                  "dial tcp ${env:HIDE_REMOTE}",
		"open /var/lib/without_journalctl/index: denied":  "open ${env:HIDE_PATH}/index: denied",
		`start journalctl: exec: "journalctl": not found`: `start journalctl: exec: "journalctl": not found`,
		"open /var/lib/without: no such file":             "open /var/lib/without: no such file",
		"illegal data near `/bW9yZSB0aG`, W9yZSB0aGFuIGE": "illegal data near `${env:HIDE_BASE64}`, ${env:HIDE_BASE64}",
		"its value in memory":                             "${env:HIDE_SET} in memory",
		`got "-----BEGIN\nline-of-a-key\n"`:               `got "${env:HIDE_LINES}\n"`,
		`pem: line-of-a-key`:                              `pem: ${env:HIDE_LINES}`,
		`listen tcp :4317: in use, in line 14317`:         `listen tcp :${…}: in use, in line 14317`,
		`variable "HIDE_SHORT" has an invalid name`:       `variable "${env:HIDE_NAME}" has an invalid name`,
		`has invalid keys: key_of_part (first line)`:      `has invalid keys: ${file:` + file + `} (${file:` + file + `})`,
		`got [from-the-list 47114711] in-the-text`:        `got [${file:` + file + `} ${file:` + file + `}] ${yaml:…}`,
		`exporters::nop/2: "written" is no nop in ` + "/": `exporters::nop/2: "written" is no nop in ` + "/",
	} {
		assert.Equal(t, want, values.Hide(text))
	}
}

// Copying very deep settings takes the collector minutes.
func TestDeepSettings(t *testing.T) {
	for _, nested := range []string{strings.Repeat("{a: ", 100) + "1" + strings.Repeat("}", 100), strings.Repeat("a::", 100) + "a: 1"} {
		_, err := resolved(t, "b: "+strings.Replace(nested, "a::", "{a::", 1)+strings.Repeat("}", strings.Count(nested, "a::")/100))
		assert.ErrorContains(t, err, "my.yaml: must have at most 100 levels of settings (got 10")
	}
}
