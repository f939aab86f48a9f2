// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// newPolicyState returns a state with a configuration of the conventions extension and packs.
func newPolicyState(t testing.TB, change func(*policy.Config), packs ...string) *testState {
	t.Helper()
	cfg, conf := createDefaultConfig().(*Config), policy.NewDefaultConfig()
	change(conf)
	require.NoError(t, conf.Validate())
	var all []*conventions.Pack
	for i, text := range packs {
		pack, err := conventions.Parse(fmt.Sprintf("pack%d.yaml", i), []byte(text))
		require.NoError(t, err)
		all = append(all, pack)
	}
	return &testState{newState(cfg, policy.Of(*conf, all), surroundings{}), cfg}
}

// TestPassingNamesDisplaceNothing checks that many names that no pack owns leave room for the findings of packs.
func TestPassingNamesDisplaceNothing(t *testing.T) {
	s := newPolicyState(t, func(*policy.Config) {}, "system: shop\nowns: {resource: {service.name: [shop]}}\n")
	md := pmetric.NewMetrics()
	for i := range s.config.MaxFindings + 7 {
		gauge(md, "bystander", "wrong."+strconv.Itoa(i), "k", "v")
	}
	gauge(md, "shop", "wrong.name", "k", "v")
	s.judgeMetrics(context.Background(), md)
	r := s.now()
	assert.Len(t, r.Findings, s.config.MaxFindings+2)
	assert.Equal(t, "shop", r.Findings[0].Service)
	assert.EqualValues(t, 7, r.Limits[report.LimitFindings].Total)
	for _, f := range r.Findings[1:] {
		assert.Equal(t, conformance.LevelInformation, f.Level)
		assert.True(t, f.Unowned, "also of the rest")
	}
	for _, c := range r.Counts {
		assert.Equal(t, c.Service != "shop", c.Unowned)
	}
}

// TestAdoptionOfHostileServices checks that no name of a service is anything but a key in the configuration
// that adopts it.
func TestAdoptionOfHostileServices(t *testing.T) {
	s := newPolicyState(t, func(*policy.Config) {})
	md := pmetric.NewMetrics()
	names := []string{"a: b", "true", "${env:HOME}", "a\nb: {mode: audit}", "\"", "größe"}
	// A star would adopt others.
	none := []string{"*", "a*", "", "other", "a::b", string(make([]byte, 300)), "\xff"}
	for _, name := range append(names, none...) {
		gauge(md, name, "wrong.name", "k", "v")
	}
	s.judgeMetrics(context.Background(), md)
	adopt := map[string]string{}
	for _, svc := range s.now().Services {
		adopt[svc.Name] = svc.Adopt
		assert.Equal(t, svc.Adopt == "", svc.AdoptValues == "" && svc.AdoptVariable == "")
		if svc.Adopt != "" {
			// The chart's values and the variable say the same.
			whole := decodeYAML(t, svc.Adopt)["extensions"]
			assert.Equal(t, whole, any(decodeYAML(t, svc.AdoptValues)), svc.Name)
			variable, _ := strings.CutPrefix(svc.AdoptVariable, "OTELCOL_TC_SERVICES=")
			assert.Equal(t, whole.(map[string]any)["conventions"].(map[string]any)["services"], any(decodeYAML(t, variable)), svc.Name)
		}
	}
	for _, name := range names {
		assert.Equal(t, map[string]any{"extensions": map[string]any{"conventions": map[string]any{"services": map[string]any{
			name: map[string]any{"mode": "enforce", "unowned": "repair"},
		}}}}, decodeYAML(t, adopt[name]), name)
		delete(adopt, name)
	}
	for name, text := range adopt {
		assert.Empty(t, text, name)
	}
}

func decodeYAML(t *testing.T, text string) (decoded map[string]any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &decoded), text)
	return decoded
}
