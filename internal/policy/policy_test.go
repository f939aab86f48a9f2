// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// read returns the configuration of a YAML text, and the error that the collector would report.
func read(t *testing.T, text string) (*Config, error) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	cfg := NewDefaultConfig()
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func newPolicy(t *testing.T, text string) *Policy {
	t.Helper()
	cfg, err := read(t, text)
	require.NoError(t, err)
	p, err := New(*cfg)
	require.NoError(t, err)
	return p
}

func TestDefaults(t *testing.T) {
	cfg, err := read(t, "")
	require.NoError(t, err)
	assert.Equal(t, NewDefaultConfig(), cfg)
	p := newPolicy(t, "")
	assert.Equal(t, "tc_", p.Prefix())
	assert.Len(t, p.Packs(), len(conventions.Builtin()))
	assert.False(t, p.Audit("any"))
	assert.False(t, p.Mixed())
	namer := p.Namer()
	assert.Same(t, namer, p.Namer(), "it is made once")
	assert.Equal(t, naming.Options{Prefix: "tc_", Exempt: naming.DefaultExempt}, p.namingOptions())
}

func TestForms(t *testing.T) {
	f := func(text string, want func(*Config)) {
		t.Helper()
		got, err := read(t, text)
		require.NoError(t, err, text)
		cfg := NewDefaultConfig()
		want(cfg)
		assert.Equal(t, cfg, got, text)
	}
	f("packs: [tuft, builtin]", func(c *Config) { c.Packs = Packs{"tuft", "builtin"} })
	// A text is a list, because an environment variable may be one.
	f("packs: tuft, builtin", func(c *Config) { c.Packs = Packs{"tuft", "builtin"} })
	f("packs: tuft", func(c *Config) { c.Packs = Packs{"tuft"} })
	f("packs: ''", func(c *Config) { c.Packs = Packs{} })
	f("unowned: repair", func(c *Config) { c.Unowned = Unowned{Repair, Repair, Repair} })
	f("unowned: {metrics: repair}", func(c *Config) { c.Unowned = Unowned{Repair, Pass, Pass} })
	f("exempt: [http_*]", func(c *Config) { c.Exempt = []string{"http_*"} })
	f("services: {'a*': {mode: audit, unowned: repair}}", func(c *Config) {
		c.Services = map[string]Service{"a*": {Mode: "audit", Unowned: Unowned{Repair, Repair, Repair}}}
	})
}

func TestErrors(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		_, err := read(t, text)
		require.Error(t, err, text)
		for _, part := range want {
			assert.ErrorContains(t, err, part, text)
		}
	}
	f("mode: try", `mode: must be enforce or audit (got "try")`)
	f("prefix: TC", `prefix: must be lower_snake_case`)
	f("packs: [nosuch]", `packs[0]: no built-in pack "nosuch"`)
	f("packs: [builtin, builtin]", `packs[1]: must be listed once (got "builtin" again)`)
	f("unowned: fix", `must be pass or repair (got "fix")`)
	f("unowned: {spans: fix}", `unowned: spans: must be pass or repair (got "fix")`)
	f("unknown: rename", "unknown")
	f("services: {a: {mode: try}}", `services::a: mode: must be enforce or audit (got "try")`)
	f("services: {a: {unowned: {metrics: no}}}", "services::a")
	f("services: {'': {mode: audit}}", `services: must be globs of service.name (got "")`)
	// All errors at once, also those of several packs.
	file := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(file, []byte("system: mine\nowns: {scopes: [mine]}\nmetric: {}\nspans: {rules: [{match: '('}]}\n"), 0o600))
	f("{mode: try, prefix: TC, packs: ["+file+", nosuch]}", "mode: must be", "prefix: must be", file+":3: ", file+":4: ", "packs[1]: no built-in pack")
}

func TestModeOfServices(t *testing.T) {
	f := func(text string, mixed bool, modes map[string]bool) {
		t.Helper()
		p := newPolicy(t, text)
		assert.Equal(t, mixed, p.Mixed(), text)
		for service, audit := range modes {
			assert.Equal(t, audit, p.Audit(service), "%s: %s", text, service)
		}
	}
	f("mode: audit", false, map[string]bool{"": true, "a": true})
	f("{mode: audit, services: {a: {unowned: repair}}}", false, map[string]bool{"a": true})
	f("{mode: audit, services: {a: {mode: audit}}}", false, map[string]bool{"a": true})
	f("{mode: audit, services: {'*': {mode: enforce}, 'shop-*': {mode: audit}, shop-pay: {mode: enforce}}}", true,
		map[string]bool{"": false, "other": false, "shop-": true, "shop-cart": true, "shop-pay": false, "shop-pay-2": true})
	// An entry without a mode has that of the entry that includes it.
	f("{services: {'shop-*': {mode: audit}, 'shop-pay*': {unowned: repair}}}", true,
		map[string]bool{"shop-pay": true, "other": false})
}

func TestUnownedOfServices(t *testing.T) {
	f := func(text, service string, want naming.Unowned) {
		t.Helper()
		p := newPolicy(t, text)
		owner := p.Namer().Owner(func(key string) (string, bool) { return service, key == "service.name" }, "")
		assert.Equal(t, want.Metrics, p.Namer().Metric(owner, "Some.Metric").Name != "Some.Metric", "%s: %s", text, service)
	}
	repair, pass := naming.RepairAll, naming.Unowned{}
	f("", "a", pass)
	f("unowned: repair", "a", repair)
	f("{unowned: repair, services: {'a*': {unowned: pass}}}", "ab", pass)
	f("{unowned: repair, services: {'a*': {unowned: pass}}}", "b", repair)
	f("{unowned: repair, services: {'a*': {unowned: pass}, 'ab*': {mode: audit}}}", "abc", pass)
}

type extension struct {
	component.Component
	policy *Policy
}

func (e extension) Policy() *Policy { return e.policy }

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

func TestFor(t *testing.T) {
	id := component.MustNewIDWithName("conventions", "mine")
	mine := newPolicy(t, "{packs: [tuft], prefix: mine_, exempt: [up], services: {a: {mode: audit}}}")
	there := host{id: extension{policy: mine}}

	p, err := For(there, "")
	require.NoError(t, err)
	assert.Same(t, mine, p)

	// A component's own mode is that of all services.
	p, err = For(there, "enforce")
	require.NoError(t, err)
	assert.False(t, p.Audit("a"))
	assert.False(t, p.Mixed())
	p, err = For(there, "audit")
	require.NoError(t, err)
	assert.True(t, p.Audit("b"))
	assert.False(t, p.Mixed())
	assert.Same(t, mine.Namer(), p.Namer())
	assert.True(t, mine.Mixed())

	_, err = For(host{component.MustNewID("conventions"): extension{policy: mine}, id: extension{policy: mine}}, "")
	assert.EqualError(t, err, "service::extensions: must have at most one conventions extension (got conventions, conventions/mine)")
}

func TestForWithoutExtension(t *testing.T) {
	p, err := For(host{}, "")
	require.NoError(t, err)
	assert.Equal(t, *NewDefaultConfig(), p.config)
	p, err = For(host{}, "audit")
	require.NoError(t, err)
	assert.True(t, p.Audit(""))
}
