// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"
)

func TestConverter(t *testing.T) {
	const rules = `rules: [{name: tuft.session, key: {span_attribute: model_id}, from: {}, to: {}}]`
	const hidden = `rules.0.key.span_attribute: "model_id" of rule "tuft.session" is renamed to "tc.model.id" by the pack "tuft"`
	for name, f := range map[string]struct{ config, want string }{
		"nothing":               {"", ""},
		"no processors":         {"processors:", ""},
		"other processors":      {"processors: {batch: {" + rules + "}}", ""},
		"no rules":              {"processors: {span_link: }", ""},
		"built-in packs":        {"processors: {span_link/a: {" + rules + "}}", "processors::span_link/a: " + hidden},
		"logs":                  {"processors: {log_correlation: {" + rules + "}}", "processors::log_correlation: " + hidden},
		"invalid rules":         {"processors: {span_link: {rules: [{nam: mine}]}}", ""},
		"rules are no list":     {"processors: {span_link: {rules: 7}}", ""},
		"the extension's":       {"processors: {span_link: {" + rules + "}}\nextensions: {conventions: {packs: [tuft]}}\nservice: {extensions: [conventions]}", hidden},
		"not in the extension":  {"processors: {span_link: {" + rules + "}}\nextensions: {conventions: {packs: [pytango]}}\nservice: {extensions: [conventions]}", ""},
		"not in the service":    {"processors: {span_link: {" + rules + "}}\nextensions: {conventions: {packs: [pytango]}}\nservice: {extensions: []}", hidden},
		"packs with a fault":    {"processors: {span_link: {" + rules + "}}\nextensions: {conventions: {packs: [/no]}}\nservice: {extensions: [conventions]}", ""},
		"unused":                {"extensions: {conventions: {mode: audit}}\nservice: {extensions: [health_check]}", "extensions::conventions: must be in service::extensions, or its settings have no effect (got [health_check] there)"},
		"unused without a list": {"extensions: {conventions/a: {services: {x: {unowned: repair}}}}", "extensions::conventions/a: must be in service::extensions"},
		"unused beside another": {"extensions: {conventions: , conventions/a: {content: keep}}\nservice: {extensions: [conventions]}", "extensions::conventions/a: must be in service::extensions"},
		"unused with defaults":  {"extensions: {conventions: {mode: enforce, packs: [builtin], unowned: pass, content: redact, services: {}}, conventions/a: }", ""},
		"unused and no map":     {"extensions: {conventions: 7, conventions/a: []}", ""},
		"extensions are no map": {"extensions: 7", ""},
		"two":                   {"extensions: {conventions: {mode: audit}, conventions/a: }\nservice: {extensions: [conventions/a, conventions]}", "service::extensions: must have at most one conventions extension (got conventions, conventions/a)"},
		"extensions no strings": {"processors: {span_link: {" + rules + "}}\nservice: {extensions: [7]}", hidden},
	} {
		t.Run(name, func(t *testing.T) {
			var settings map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(f.config), &settings))
			conf := confmap.NewFromStringMap(settings)
			before := conf.ToStringMap()
			err := NewConverterFactory().Create(confmap.ConverterSettings{}).Convert(t.Context(), conf)
			assert.Equal(t, before, conf.ToStringMap())
			if f.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, f.want)
		})
	}
}
