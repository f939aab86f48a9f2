// SPDX-License-Identifier: Apache-2.0

package conventions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/command/pack/example"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// Each rule of the built-in packs for a name, a unit, an aggregate, an attribute or a log format has an example,
// and all examples hold.
func TestBuiltinExamples(t *testing.T) {
	for _, name := range conventions.Builtin() {
		t.Run(name, func(t *testing.T) {
			source, err := conventions.Read(name)
			require.NoError(t, err)
			result, err := example.Run(t.Context(), namingprocessor.NewFactory(), source)
			require.NoError(t, err)
			for _, failure := range result.Failures {
				t.Errorf("%s.yaml:%d: %s", name, failure.Line, failure)
			}
			for _, key := range result.Without {
				t.Errorf("%s.yaml:%d: %s has no example", name, source.Line(key...), strings.Join(key, "."))
			}
		})
	}
}
