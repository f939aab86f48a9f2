// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

// TestPosition checks that the position is the line that set a value last, however it was included.
func TestPosition(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	base := file("base.yaml", `
receivers:
  nop:
exporters: &shared
  otlp_http:
    endpoint: http://a
    timeout: 1s
service:
  pipelines:
    traces:
      receivers:
        - nop
        - otlp
      exporters: [otlp_http]
    logs: &logs
      receivers: [nop]
    metrics:
      <<: *logs
      exporters: [nop]
    profiles:
      <<: [*logs, {exporters: [otlp]}]
`)
	over := file("over.yaml", `# one
exporters::otlp_http::timeout: 2s
service:
  pipelines::traces:
    receivers: [otlp,
      nop]
`)
	queue := file("queue.yaml", "\nsize: 1\nnested:\n  deep: 2\n")
	includes := file("includes.yaml", "\nexporters:\n  otlp_http: ${file:"+queue+"}\n")
	empty := file("empty.yaml", "")

	f := func(configs []string, path, wantFile string, wantLine int) {
		t.Helper()
		values := cli.NewValues(nil)
		sources := New(configs, values)
		resolver, err := confmap.NewResolver(confmap.ResolverSettings{
			URIs: sources.URIs, DefaultScheme: "env", ProviderFactories: values.Wrap([]confmap.ProviderFactory{
				envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory(),
			}),
		})
		require.NoError(t, err)
		_, err = resolver.Resolve(t.Context())
		require.NoError(t, err)
		got := sources.Position(strings.Split(path, "::"))
		assert.Equal(t, wantFile+":"+strconv.Itoa(wantLine), got.File+":"+strconv.Itoa(got.Line), path)
	}
	one, both := []string{base}, []string{base, over}
	f(one, "exporters::otlp_http::timeout", base, 7)
	f(both, "exporters::otlp_http::timeout", over, 2)
	f(both, "exporters::otlp_http::endpoint", base, 6)
	f([]string{over, base}, "exporters::otlp_http::timeout", base, 7)

	// List items by name and by index. A list is replaced as a whole.
	f(one, "service::pipelines::traces::receivers::otlp", base, 13)
	f(one, "service::pipelines::traces::receivers::1", base, 13)
	f(both, "service::pipelines::traces::receivers::nop", over, 6)
	f(both, "service::pipelines::traces::exporters::otlp_http", base, 14)

	// A missing setting has the position of the enclosing setting.
	f(one, "service::pipelines::traces::processors", base, 10)
	f(both, "service::pipelines::traces::processors", over, 4)
	f(one, "exporters::otlp_http::sending_queue::storage", base, 5)
	f(one, "extensions::health_check", base, 1)
	f([]string{empty, base}, "extensions::health_check", empty, 1)

	// Part of a key that contains several steps.
	f(both, "service::pipelines", over, 4)
	f([]string{over}, "exporters::otlp_http", over, 2)

	// Anchors.
	f(one, "service::pipelines::metrics::receivers::nop", base, 16)
	f(one, "service::pipelines::metrics::exporters::nop", base, 19)
	f(one, "service::pipelines::profiles::exporters::otlp", base, 21)
	f(one, "service::pipelines::profiles::receivers::nop", base, 16)

	// Included files.
	f([]string{includes}, "exporters::otlp_http::nested::deep", queue, 4)
	f([]string{includes}, "exporters::otlp_http", includes, 3)
	f([]string{base, includes}, "exporters::otlp_http::size", queue, 2)
	f([]string{includes, base}, "exporters::otlp_http::endpoint", base, 6)

	// Texts that are not files.
	f([]string{base, "yaml:exporters::otlp_http::timeout: 3s"}, "exporters::otlp_http::timeout", "yaml:exporters::otlp_http::timeout", 1)
	t.Setenv("DOCTOR_TEST_CONFIG", "exporters:\n  otlp_http:\n    timeout: 4s")
	f([]string{base, "env:DOCTOR_TEST_CONFIG"}, "exporters::otlp_http::timeout", "env:DOCTOR_TEST_CONFIG", 3)
}

// TestNothingSecretIsPrinted checks what findings and errors show of addresses.
func TestNothingSecretIsPrinted(t *testing.T) {
	const uri = "http://127.0.0.1:1/c?token=secret"
	assert.EqualError(t, New([]string{uri}, cli.NewValues(nil)).Explain(errors.New(`Get "`+uri+`": refused`)), `Get "http://127.0.0.1:1/c": refused`)
}
