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
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
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

// TestUnowned checks how names that no pack owns are judged: as those of packs, but separately, and without
// violations. It checks what adopts them, too.
func TestUnowned(t *testing.T) {
	s := newPolicyState(t, func(c *policy.Config) {
		c.Services = map[string]policy.Service{
			"repaired": {Unowned: policy.Unowned{Metrics: policy.Repair}},
			"audited":  {Mode: "audit"},
		}
	}, "system: shop\nowns: {resource: {service.name: [shop, audited]}}\n", "system: world\nowns: {resource: {service.name: [world]}}\nnames: keep\n")
	md := pmetric.NewMetrics()
	for _, service := range []string{"shop", "audited", "world", "bystander", "repaired"} {
		gauge(md, service, "wrong.name", "tc.Wrong", "v")
		gauge(md, service, "tc_right", "k", "v")
	}
	s.judgeMetrics(context.Background(), md)
	r := s.now()
	const wrong, right = 0.5, 1.0
	for _, want := range []struct {
		service        string
		unowned        bool
		owned, passing float64 // scores of metrics, -1 without items
		level, adopt   string
	}{
		{"shop", false, wrong, -1, conformance.LevelViolation, ""},
		{"audited", false, wrong, -1, conformance.LevelViolation, "{mode: enforce}"},
		{"world", false, right, -1, "", ""},
		{"bystander", true, -1, wrong, conformance.LevelInformation, "{mode: enforce, unowned: repair}"},
		// Its attributes pass.
		{"repaired", false, wrong, -1, conformance.LevelViolation, "{mode: enforce, unowned: repair}"},
	} {
		svc := r.Service(want.service)
		require.NotNil(t, svc, want.service)
		assert.Equal(t, want.unowned, svc.Unowned, want.service)
		assert.Equal(t, want.owned, svc.Scores[0].Owned.Share, want.service)
		assert.Equal(t, want.passing, svc.Scores[0].Unowned.Share, want.service)
		if want.adopt != "" {
			want.adopt = "extensions:\n  conventions:\n    services:\n      " + want.service + ": " + want.adopt + "\n"
		}
		assert.Equal(t, want.adopt, svc.Adopt, want.service)
		level := ""
		for _, f := range r.Findings {
			if f.Service == want.service && f.Signal == "metrics" {
				level = f.Level
				assert.Equal(t, want.level == conformance.LevelInformation, f.Unowned)
				assert.True(t, f.Name)
			}
		}
		assert.Equal(t, want.level, level, want.service)
	}
}

// A scraped page with all names that a pack lists belongs to its system as a whole, before and behind naming.
func TestPagesThatPacksOwn(t *testing.T) {
	s := newPolicyState(t, func(*policy.Config) {}, "system: shop\nowns: {page: [carts, orders]}\n")
	md := pmetric.NewMetrics()
	page := func(service, scope string, names ...string) {
		rm := md.ResourceMetrics().AppendEmpty()
		rm.Resource().Attributes().PutStr("service.name", service)
		rm.Resource().Attributes().PutStr("service.instance.id", service+":80")
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName(scope)
		for _, name := range names {
			m := sm.Metrics().AppendEmpty()
			m.SetName(name)
			m.SetEmptyGauge().DataPoints().AppendEmpty()
			if original, ok := strings.CutPrefix(name, "tc_shop_"); ok {
				m.Metadata().PutStr(naming.OriginalNameKey, original)
			}
		}
	}
	const scraper = "github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"
	page("whole", scraper, "carts", "orders", "http_requests")
	page("renamed", scraper, "tc_shop_carts", "tc_shop_orders", "tc_shop_http_requests")
	page("part", scraper, "carts", "http_requests")
	page("sdk", "shop", "carts", "orders")
	s.judgeMetrics(context.Background(), md)
	r := s.now()
	for service, unowned := range map[string]bool{"whole": false, "renamed": false, "part": true, "sdk": true} {
		svc := r.Service(service)
		require.NotNil(t, svc, service)
		assert.Equal(t, unowned, svc.Scores[0].Owned.Checked == 0, service)
		assert.Equal(t, !unowned, svc.Scores[0].Unowned.Checked == 0, service)
	}
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

// A service that only sends logs is adopted, too, while it is audited: then its records get the ids in their content.
func TestAdoptionOfLogs(t *testing.T) {
	s := newPolicyState(t, func(c *policy.Config) { c.Services = map[string]policy.Service{"audited": {Mode: "audit"}} })
	ld := plog.NewLogs()
	for _, service := range []string{"audited", "enforced"} {
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("service.name", service)
		rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("trace_id=0af7651916cd43dd8448eb211c80319c ready")
	}
	s.judgeLogs(context.Background(), ld)
	r := s.now()
	assert.Equal(t, "extensions:\n  conventions:\n    services:\n      audited: {mode: enforce}\n", r.Service("audited").Adopt)
	assert.Equal(t, "conventions:\n  services:\n    audited: {mode: enforce}\n", r.Service("audited").AdoptValues)
	assert.Equal(t, `OTELCOL_TC_SERVICES={"audited":{"mode":"enforce"}}`, r.Service("audited").AdoptVariable)
	assert.Empty(t, r.Service("enforced").Adopt)
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

// TestLinesWithoutFormat checks what is said of lines of text files in which no format was found.
func TestLinesWithoutFormat(t *testing.T) {
	s, ld := newTestState(t, nil), plog.NewLogs()
	file := func(change func(plog.LogRecord)) {
		addRecords(ld, "shop", "", 1, func(r plog.LogRecord) {
			r.Attributes().PutStr(fileNameKey, "shop.log")
			r.Attributes().PutStr("log.iostream", "stderr")
			change(r)
		})
	}
	file(func(r plog.LogRecord) {
		r.Body().SetStr("02/01/2026 10:00:00 [till-3] WARN DrawerOpen: drawer 4711 is open")
	})
	file(func(r plog.LogRecord) { r.Body().SetStr("another") })
	file(func(r plog.LogRecord) { r.SetSeverityNumber(plog.SeverityNumberInfo) })
	file(func(r plog.LogRecord) { r.Attributes().PutStr("http.request.method", "GET") })
	addRecords(ld, "shop", "scope", 1, func(r plog.LogRecord) { r.Body().SetStr("an event of an SDK") })
	s.judgeLogs(context.Background(), ld)
	for _, source := range s.now().LogSources {
		if source.File {
			assert.EqualValues(t, 4, source.Records)
			assert.EqualValues(t, 2, source.NoFormat)
			assert.Equal(t, "0/0/0 0:0:0 [a-0] A a: a 0 a a", source.Shape)
		} else {
			assert.Zero(t, source.NoFormat)
		}
	}
}
