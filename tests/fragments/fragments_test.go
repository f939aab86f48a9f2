// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// insteadOf are fragments that are instead of each other, those on the left of those on the right:
// they say where the same data goes, or what machine it is.
var insteadOf = []struct{ left, right []string }{
	{[]string{"agent-dns", "agent-tls", "agent-mtls", "agent-bearer"}, []string{"agent-kafka", "agent-kafka-sasl"}},
	{[]string{"agent-host"}, []string{"agent-kubernetes", "agent-kubelet"}},
	{[]string{"gateway-json-file"}, []string{"gateway-jaeger", "gateway-remote-write"}},
}

// combine reports whether two fragments of one profile can be merged over it together.
func combine(one, other string) bool {
	for _, instead := range insteadOf {
		if slices.Contains(instead.left, one) && slices.Contains(instead.right, other) ||
			slices.Contains(instead.left, other) && slices.Contains(instead.right, one) {
			return false
		}
	}
	return collectortest.ProfileOf(one) == collectortest.ProfileOf(other)
}

// Each fragment is valid over its profile with nothing set.
func TestFragments(t *testing.T) {
	t.Parallel()
	for _, fragment := range collectortest.Fragments(t) {
		t.Run(fragment, func(t *testing.T) {
			t.Parallel()
			checkFragments(t, collectortest.WithFragments(fragment))
		})
	}
}

// checkFragments validates a configuration, in which the doctor finds nothing but what it makes
// unused of the profile.
func checkFragments(t *testing.T, uris []string) {
	t.Helper()
	// What has no default, and a file that only pods have.
	token := collectortest.WriteFile(t, "token", "token")
	env := map[string]string{"OTELCOL_TC_KAFKA_PASSWORD": "secret", "OTELCOL_TC_KUBELET_TOKEN": token}
	output, err := collectortest.RunBare(t, env, "validate", uris)
	require.NoError(t, err, output)
	output, err = collectortest.RunBare(t, env, "doctor", uris)
	assert.NoError(t, err, output)
	for line := range strings.Lines(output) {
		assert.Contains(t, line, ": note unused: ")
	}
}

func lastness(fragment string) int {
	if isLast(fragment) {
		return 1
	}
	return 0
}

// isLast reports whether a fragment is merged after all others, as it says.
func isLast(fragment string) bool { return strings.HasSuffix(fragment, "-opamp") }

// As many fragments as can be combined are valid together.
func TestFragmentsTogether(t *testing.T) {
	t.Parallel()
	names := collectortest.Fragments(t)
	for _, first := range []string{"agent-dns", "agent-kafka", "gateway-jaeger", "gateway-json-file"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			together := []string{first}
			for _, fragment := range names {
				if !slices.ContainsFunc(together, func(other string) bool { return other == fragment || !combine(fragment, other) }) {
					together = append(together, fragment)
				}
			}
			slices.SortStableFunc(together, func(one, other string) int { return lastness(one) - lastness(other) })
			t.Log(together)
			require.Greater(t, len(together), 2)
			checkFragments(t, collectortest.WithFragments(together...))
		})
	}
}

// The last list counts, so two fragments that can be combined never state the same list
// differently, in whatever order they come. One that is merged last has all that the others list.
func TestFragmentsKeepEachOthersLists(t *testing.T) {
	names, lists := collectortest.Fragments(t), map[string]map[string]any{}
	for _, fragment := range names {
		lists[fragment] = changedLists(t, fragment)
	}
	for i, one := range names {
		for _, other := range names[i+1:] {
			for setting, list := range lists[one] {
				others, both := lists[other][setting]
				switch {
				case !both || !combine(one, other):
				case isLast(one):
					assert.Subset(t, list, others, "%s and %s: %s", one, other, setting)
				case isLast(other):
					assert.Subset(t, others, list, "%s and %s: %s", one, other, setting)
				default:
					assert.Equal(t, list, others, "%s and %s: %s", one, other, setting)
				}
			}
		}
	}
}

// With agent-kafka nothing goes to the gateways any more.
func TestFragmentForKafkaTakesAll(t *testing.T) {
	for setting, list := range listsOf(t, collectortest.WithFragments("agent-kafka")...) {
		if strings.HasPrefix(setting, "service::pipelines::") && strings.HasSuffix(setting, "::exporters") {
			require.Len(t, list, 1, setting)
			assert.Contains(t, []any{"spillover", "kafka", "kafka/files"}, list.([]any)[0], setting)
		}
	}
}

// Of the profile's extensions none is lost where a fragment adds one.
func TestFragmentsKeepExtensions(t *testing.T) {
	const setting = "service::extensions"
	for _, fragment := range collectortest.Fragments(t) {
		if list, stated := changedLists(t, fragment)[setting]; stated {
			assert.Subset(t, list, listsOf(t, "builtin:"+collectortest.ProfileOf(fragment))[setting], fragment)
		}
	}
}

// The small processors about the metrics of spans, of GenAI operations and of NCCL are written twice, since a
// configuration can include only a whole setting. They are the same.
func TestMadeMetricsAreTheSame(t *testing.T) {
	dev, gateway := collectortest.Resolve(t, "builtin:dev"), collectortest.Resolve(t, "builtin:gateway", "builtin:fragments/gateway-span-metrics")
	for _, setting := range []string{
		"processors::batch/spans", "processors::filter/spans", "processors::transform/spans",
		"processors::resource/spans", "processors::cardinality/spans", "processors::delta_to_cumulative/spans",
		"processors::batch/genai", "processors::transform/genai", "processors::resource/genai",
		"processors::cardinality/genai", "processors::delta_to_cumulative/genai",
		"connectors::signal_to_metrics/spans", "connectors::signal_to_metrics/genai", "connectors::signal_to_metrics/nccl",
	} {
		require.True(t, dev.IsSet(setting), setting)
		assert.Equal(t, dev.Get(setting), gateway.Get(setting), setting)
	}
}

// changedLists returns the lists that a fragment states otherwise than what it is merged over.
func changedLists(t *testing.T, fragment string) map[string]any {
	t.Helper()
	uris := collectortest.WithFragments(fragment)
	before, after := listsOf(t, uris[:len(uris)-1]...), listsOf(t, uris...)
	maps.DeleteFunc(after, func(setting string, list any) bool { return reflect.DeepEqual(before[setting], list) })
	return after
}

// listsOf returns all lists of a configuration by the keys to them.
func listsOf(t *testing.T, uris ...string) map[string]any {
	t.Helper()
	lists := map[string]any{}
	var add func(prefix string, value any)
	add = func(prefix string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, inner := range value {
				add(prefix+confmap.KeyDelimiter+key, inner)
			}
		case []any:
			lists[strings.TrimPrefix(prefix, confmap.KeyDelimiter)] = value
		}
	}
	add("", collectortest.Resolve(t, uris...).ToStringMap())
	return lists
}

// withoutHostileHistograms are the receivers whose histograms nobody outside makes: they
// make none, they make them themselves, or they lead on from a pipeline that bounds them.
var withoutHostileHistograms = []string{"host_metrics", "conformance", "signal_to_metrics/spans", "signal_to_metrics/genai", "signal_to_metrics/nccl", "forward/metrics", "spillover"}

// In every profile, with every fragment, histograms that come from outside go through
// cardinality, which bounds them, before any exporter.
func TestHistogramsAreBounded(t *testing.T) {
	combinations := [][]string{{"builtin:dev"}, {"builtin:agent"}, {"builtin:gateway"}}
	for _, fragment := range collectortest.Fragments(t) {
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
