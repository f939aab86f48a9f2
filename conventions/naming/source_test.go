// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// The rules that decide what the cases of testdata/sources.yaml have.
func TestSources(t *testing.T) {
	common, err := conventions.Parse("common.yaml", []byte("system: common\nowns: {all: true}\nmetrics: {rename: {extra: tc_extra}}\nattributes: [{key: a, sensitive: redact}]\n"))
	require.NoError(t, err)
	own, err := conventions.Read("testdata/sources_shop.yaml")
	require.NoError(t, err)
	n := New([]*conventions.Pack{own.Pack, common}, Options{Prefix: "tc_"})
	shop := n.Systems()[0]
	attr := func(key string) (string, bool) { return "v", key == "k" }
	copies := func(name string) (all []Source) {
		d := n.Metric(shop, name)
		for i, c := range n.Copies(&d, name) {
			assert.Equal(t, []string{"copy.b", "tc_c"}[i], c.Name)
			all = append(all, c.Source)
		}
		return all
	}
	for _, c := range testfiles.Cases[struct{ System, Of, Name, As, Service, Scope, Want string }](t, "testdata/sources.yaml") {
		owner := shop
		if c.System == "" {
			owner = nil
		}
		var keys []string
		for _, s := range map[string]func() []Source{
			"owner":  func() []Source { return n.OwnerSources(owner, attr, c.Scope) },
			"metric": func() []Source { return n.MetricSources(owner, c.Name) },
			"unit":   func() []Source { return n.UnitSources(owner, c.Name) },
			"gauge":  func() []Source { return n.GaugeSources(owner, c.Name, c.As) },
			"copies": func() []Source { return copies(c.Name) },
			"span": func() []Source {
				return n.SpanSources(Context{Owner: owner, Scope: c.Scope}, Facts{Attribute: c.Service}, c.Name)
			},
			"attribute": func() []Source { return n.AttributeSources(owner, c.Name) },
		}[c.Of]() {
			keys = append(keys, s.System.Name()+strings.NewReplacer("[", ".", "]", "", " ", ".").Replace(fmt.Sprint(s.Key)))
		}
		assert.Equal(t, c.Want, strings.Join(keys, " "), c.Name)
	}
	assert.Equal(t, shop, n.Owner(attr, "shop"))
}

// A decision by a pack's rule has a source, and no other decision about a name has one.
func FuzzMetricSources(f *testing.F) {
	packs, err := conventions.Load(nil)
	require.NoError(f, err)
	n := New(packs, Options{Prefix: "tc_", Exempt: DefaultExempt})
	for _, name := range []string{"tensorcast_memory_tier_faults_per_sec", "tuft.training.tokens_per_second", "fastdeploy:zmq:latency", "fastdeploy:a_rate_3", "infer_latency", "x", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, owner := range n.Owners() {
			d := n.Metric(owner, name)
			named := false
			for _, s := range n.MetricSources(owner, name) {
				require.Len(t, s.Key, 3)
				named = named || s.Key[1] == "rename" || s.Key[1] == "prefixes" || s.Key[1] == "rules"
			}
			if d.Rule == MetricRename || d.Rule == MetricPrefix || len(d.Repairs) > 0 {
				assert.True(t, named, "%q is decided by %s", name, d.Rule)
			}
			if d.Rule == Exempt {
				assert.False(t, named, "%q is exempt", name)
			}
		}
	})
}
