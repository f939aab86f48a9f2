// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
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

func TestOwners(t *testing.T) {
	assert.Equal(t, []string{"dcgm"}, newPolicy(t, "owners: [dcgm]").Owners())
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

// Settings of testdata/errors.yaml are refused, each with its error, and all errors are reported at once, also those of
// several packs.
func TestErrors(t *testing.T) {
	for _, row := range testfiles.Cases[[2]string](t, "testdata/errors.yaml") {
		_, err := read(t, row[0])
		assert.ErrorContains(t, err, row[1], row[0])
	}
	file := testfiles.Save(t, "mine.yaml", "system: mine\nowns: {scopes: [mine]}\nmetric: {}\nspans: {rules: [{match: '('}]}\n")
	_, err := read(t, "{mode: try, prefix: TC, packs: ["+file+", nosuch]}")
	for _, part := range []string{"mode: must be", "prefix: must be", file + ":3: ", file + ":4: ", "packs[1]: no built-in pack"} {
		assert.ErrorContains(t, err, part)
	}
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

func (e extension) Live() *Live { return NewLive(e.policy) }

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

// use returns the policy that a component with a mode of its own goes by.
func use(t *testing.T, host component.Host, mode string) *Policy {
	t.Helper()
	u, err := Use(host, component.MustNewID("test"), mode, func(p *Policy, _ *Policy) (*Policy, func(), error) { return p, nil, nil })
	require.NoError(t, err)
	return u.Current()
}

func TestUse(t *testing.T) {
	id := component.MustNewIDWithName("conventions", "mine")
	mine := newPolicy(t, "{packs: [tuft], prefix: mine_, exempt: [up], services: {a: {mode: audit}}}")
	there := host{id: extension{policy: mine}}
	assert.Same(t, mine, use(t, there, ""))

	// A component's own mode is that of all services.
	p := use(t, there, "enforce")
	assert.False(t, p.Audit("a"))
	assert.False(t, p.Mixed())
	p = use(t, there, "audit")
	assert.True(t, p.Audit("b"))
	assert.False(t, p.Mixed())
	assert.Same(t, mine.Namer(), p.Namer())
	assert.True(t, mine.Mixed())

	_, err := For(host{component.MustNewID("conventions"): extension{policy: mine}, id: extension{policy: mine}})
	assert.EqualError(t, err, "service::extensions: must have at most one conventions extension (got conventions, conventions/mine)")
}

func TestUseWithoutExtension(t *testing.T) {
	p, err := For(host{})
	require.NoError(t, err)
	assert.Equal(t, *NewDefaultConfig(), p.config)
	assert.True(t, use(t, host{}, "audit").Audit(""))
}

// TestChange checks that a batch keeps its policy, that a policy which one component refuses is none for all, and that
// counts go on.
func TestChange(t *testing.T) {
	first, second := newPolicy(t, "{packs: [tuft], prefix: a_}"), newPolicy(t, "{packs: [tuft], prefix: b_}")
	live := NewLive(first)
	there := host{component.MustNewID("conventions"): changing{live: live}}
	refuses, commits := false, 0
	maker := func(p *Policy, _ *Policy) (*Policy, func(), error) {
		if refuses && p != first {
			return nil, nil, errors.New("no")
		}
		return p, func() { commits++ }, nil
	}
	id := component.MustNewID("test")
	head, err := Use(there, id, "", maker)
	require.NoError(t, err)
	tail, err := Use(there, id, "", maker)
	require.NoError(t, err)

	batch := head.Pin(t.Context())
	refuses = true
	assert.EqualError(t, live.Change(second), "test: no\ntest: no")
	assert.Same(t, first, live.Policy())
	assert.Equal(t, 2, commits)
	refuses = false
	require.NoError(t, live.Change(second))
	assert.Equal(t, 4, commits)
	assert.Same(t, first, head.Of(batch))
	assert.Same(t, first, tail.Of(tail.Pin(batch)))
	assert.Same(t, second, tail.Of(tail.Pin(t.Context())))
	assert.Same(t, second, tail.Of(t.Context()))
	assert.Same(t, first.Costs(), second.Costs())
}

type changing struct {
	component.Component
	live *Live
}

func (c changing) Live() *Live { return c.live }

// TestSettingsFile checks that keys of the file replace those of the settings, and that faults name the file and the
// line.
func TestSettingsFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "conventions.yaml")
	read := func(text string) (*Config, []string, error) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		c := NewDefaultConfig()
		c.Settings, c.Prefix, c.Services = file, "mine_", map[string]Service{"a": {Mode: Audit}}
		return c.Read()
	}
	all, files, err := read("")
	require.NoError(t, err)
	assert.Equal(t, "mine_", all.Prefix)
	assert.Equal(t, []string{file}, files)
	all, _, err = read("# Nothing yet.\n")
	require.NoError(t, err)
	assert.Equal(t, "mine_", all.Prefix)
	all, files, err = read("mode: audit\npacks: [shop.yaml, /other.yaml, builtin]\nservices:\n  b: {mode: enforce}\n  c: {unowned: repair}\n")
	require.NoError(t, err)
	assert.Equal(t, Audit, all.Mode)
	assert.Equal(t, Packs{filepath.Join(folder, "shop.yaml"), "/other.yaml", "builtin"}, all.Packs)
	assert.Equal(t, []string{file, filepath.Join(folder, "shop.yaml"), "/other.yaml"}, files)
	assert.Equal(t, map[string]Service{"b": {Mode: Enforce}, "c": {Unowned: allUnowned(Repair)}}, all.Services)

	for _, test := range testfiles.Cases[struct {
		Text, Error string
		Line        int
	}](t, "testdata/file_errors.yaml") {
		_, _, err := read(test.Text)
		require.ErrorContains(t, err, fmt.Sprintf("%s:%d: ", file, test.Line), test.Text)
		assert.ErrorContains(t, err, test.Error, test.Text)
	}
	_, _, err = read("mode: audit\n---\nmode: [")
	assert.ErrorContains(t, err, file+": yaml: line 3")
	_, _, err = read("mode: audit\n#" + strings.Repeat(" ", 16<<20))
	assert.ErrorContains(t, err, file+": must have at most")
	all, _, err = read("---\nmode: audit\n...\n")
	require.NoError(t, err)
	assert.Equal(t, Audit, all.Mode)
	all, _, err = read("services: {a: &a {mode: audit}, b: *a, c: {<<: *a}}\n")
	require.NoError(t, err)
	assert.Len(t, all.Services, 3)
	_, _, err = read("mode: [")
	assert.ErrorContains(t, err, file+": yaml: line 1")
}

// TestVersions checks that a version changes with the content, however the content came there.
func TestVersions(t *testing.T) {
	folder := t.TempDir()
	write := func(version, text string) {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, version), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, version, "shop.yaml"), []byte(text), 0o600))
	}
	link := func(version string) {
		require.NoError(t, os.Symlink(version, filepath.Join(folder, "..tmp")))
		require.NoError(t, os.Rename(filepath.Join(folder, "..tmp"), filepath.Join(folder, "..data")))
	}
	write("..1", "a")
	link("..1")
	require.NoError(t, os.Symlink("..data/shop.yaml", filepath.Join(folder, "shop.yaml")))
	path := filepath.Join(folder, "shop.yaml")
	first := Versions(conventions.Disk, []string{folder, path})
	require.Len(t, first, 1)
	assert.Equal(t, conformance.File{Path: path, Version: "ca978112ca1b"}, first[0])
	write("..2", "b")
	assert.Equal(t, first, Versions(conventions.Disk, []string{path}))
	link("..2")
	assert.NotEqual(t, first, Versions(conventions.Disk, []string{path}))
	assert.Contains(t, Versions(conventions.Disk, []string{folder + "/none"})[0].Version, "no such file")

	// The folder itself may be a link, whose other end is replaced.
	current := filepath.Join(folder, "current")
	require.NoError(t, os.Symlink("..1", current))
	first = Versions(conventions.Disk, []string{current})
	assert.Equal(t, []conformance.File{{Path: filepath.Join(current, "shop.yaml"), Version: "ca978112ca1b"}}, first)
	require.NoError(t, os.Remove(current))
	require.NoError(t, os.Symlink("..2", current))
	assert.NotEqual(t, first, Versions(conventions.Disk, []string{current}))
}

// TestPipe checks that nothing waits for a writer of a pipe.
func TestPipe(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "shop")
	require.NoError(t, os.Mkdir(folder, 0o700))
	pipe := filepath.Join(folder, "shop.yaml")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, folder} {
		assert.Contains(t, Versions(conventions.Disk, []string{path})[0].Version, "must be a regular file")
	}
	for _, c := range []*Config{{Settings: pipe}, {Packs: Packs{pipe}}, {Packs: Packs{map[string]any{"registry": folder}}}} {
		assert.ErrorContains(t, c.Validate(), pipe+": must be a regular file")
	}
}

func TestContentIsATextOrAMap(t *testing.T) {
	p := newPolicy(t, "{content: keep, services: {pay*: {content: hash}}}").Content()
	assert.Equal(t, content.Keep, p.Service("x"))
	assert.Equal(t, content.Hash, p.Service("pay-eu"))

	// An entry without content has that of the entry that includes it.
	p = newPolicy(t, "{content: keep, services: {pay*: {content: hash}, pay-eu: {mode: audit}, '*-eu': {mode: audit}}}").Content()
	assert.Equal(t, content.Hash, p.Service("pay-eu"))
	assert.Equal(t, content.Keep, p.Service("shop-eu"))

	p = newPolicy(t, "content: {default: truncate, truncate_bytes: 9, hash_key: k, keys: [my.*], secrets: keep}").Content()
	assert.Equal(t, content.Truncate, p.Service("x"))
	k := p.Key("my.key")
	require.NotNil(t, k.Rule)
	assert.Equal(t, "123456789...[truncated]", p.Replace(k, content.Truncate, "1234567890"))

	assert.Equal(t, content.Redact, newPolicy(t, "{}").Content().Service("x"))
}
