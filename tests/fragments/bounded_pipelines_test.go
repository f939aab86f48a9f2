// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// withoutHostileHistograms are the receivers whose histograms nobody outside makes: they
// make none, they make them themselves, or they lead on from a pipeline that bounds them.
var withoutHostileHistograms = []string{"host_metrics", "conformance", "signal_to_metrics/spans", "signal_to_metrics/genai", "signal_to_metrics/nccl", "forward/metrics", "spillover"}

// In every profile, with every fragment, histograms that come from outside go through
// cardinality, which bounds them, before any exporter.
func TestHistogramsAreBounded(t *testing.T) {
	combinations := [][]string{{"builtin:dev"}, {"builtin:agent"}, {"builtin:gateway"}}
	for _, fragment := range fragments(t) {
		combinations = append(combinations, collectortest.WithFragments(fragment))
	}
	for _, uris := range combinations {
		pipelines, err := collectortest.Resolve(t, uris...).Sub("service::pipelines")
		require.NoError(t, err)
		bounded := false
		for name, pipeline := range pipelines.ToStringMap() {
			if name != "metrics" && !strings.HasPrefix(name, "metrics/") {
				continue
			}
			settings := pipeline.(map[string]any)
			processors, _ := settings["processors"].([]any)
			for _, receiver := range settings["receivers"].([]any) {
				if slices.Contains(withoutHostileHistograms, receiver.(string)) {
					continue
				}
				bounded = true
				assert.Contains(t, processors, any("cardinality"), "%s: %s takes %s", strings.Join(uris, " "), name, receiver)
			}
		}
		assert.True(t, bounded, "%s takes no metrics", strings.Join(uris, " "))
	}
}
