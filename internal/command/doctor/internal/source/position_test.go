// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
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
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// TestPosition checks that the position is the line that set a value last, however it was included.
func TestPosition(t *testing.T) {
	cases := testfiles.Cases[struct {
		Configs  []string
		Path, At string
	}](t, "testdata/positions.yaml")
	t.Chdir("testdata")
	t.Setenv("DOCTOR_TEST_CONFIG", "exporters:\n  otlp_http:\n    timeout: 4s")
	for _, test := range cases {
		values := cli.NewValues(nil)
		sources := New(test.Configs, values)
		resolver, err := confmap.NewResolver(confmap.ResolverSettings{
			URIs: sources.URIs, DefaultScheme: "env", ProviderFactories: values.Wrap([]confmap.ProviderFactory{
				envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory(),
			}),
		})
		require.NoError(t, err)
		_, err = resolver.Resolve(t.Context())
		require.NoError(t, err)
		got := sources.Position(strings.Split(test.Path, "::"))
		assert.Equal(t, test.At, got.File+":"+strconv.Itoa(got.Line), "%s of %s", test.Path, test.Configs)
	}
}

// TestNothingSecretIsPrinted checks what findings and errors show of addresses.
func TestNothingSecretIsPrinted(t *testing.T) {
	const uri = "http://127.0.0.1:1/c?token=secret"
	assert.EqualError(t, New([]string{uri}, cli.NewValues(nil)).Explain(errors.New(`Get "`+uri+`": refused`)), `Get "http://127.0.0.1:1/c": refused`)
}
