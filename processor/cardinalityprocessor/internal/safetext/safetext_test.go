// SPDX-License-Identifier: Apache-2.0

package safetext

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

const (
	secret  = "S3CR3T and more"
	service = "shop"
)

// policies are those with which content and secrets are hidden, also where they are exported.
var policies = map[string]func(*policy.Config){
	"enforce":   func(*policy.Config) {},
	"audit":     func(c *policy.Config) { c.Mode = "audit" },
	"keep":      func(c *policy.Config) { c.Content = content.Config{Default: content.Keep, Secrets: content.Keep} },
	"hash":      func(c *policy.Config) { c.Content.Default = content.Hash },
	"truncate":  func(c *policy.Config) { c.Content.Default = content.Truncate },
	"a service": func(c *policy.Config) { c.Services = map[string]policy.Service{service: {Content: content.Keep}} },
}

var shapes = map[string]func(v pcommon.Value){
	"text":  func(v pcommon.Value) { v.SetStr(secret) },
	"JSON":  func(v pcommon.Value) { v.SetStr(`[{"role":"user","content":"` + secret + `"}]`) },
	"texts": func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetStr(secret) },
	"maps":  func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetEmptyMap().PutStr("content", secret) },
	"map":   func(v pcommon.Value) { v.SetEmptyMap().PutEmptyMap("parts").PutStr("x", secret) },
	"bytes": func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte(secret)) },
}

func newPolicy(t *testing.T, set func(*policy.Config), packs ...any) *policy.Policy {
	t.Helper()
	c := policy.NewDefaultConfig()
	if len(packs) > 0 {
		c.Packs = packs
	}
	set(c)
	require.NoError(t, c.Validate())
	p, err := policy.New(*c)
	require.NoError(t, err)
	return p
}

// keyOf returns a key that a rule matches.
func keyOf(rule *content.Rule) string {
	key := strings.TrimSuffix(rule.Label, ".*")
	if rule.Secret {
		return "my." + strings.ReplaceAll(key, "*", "x")
	}
	return strings.ReplaceAll(key, "*", "0")
}

func requireHidden(t *testing.T, text string, where ...string) {
	t.Helper()
	require.NotContains(t, text, "S3CR3T", where)
	require.NotContains(t, text, base64.StdEncoding.EncodeToString([]byte(secret))[:8], where)
}

// TestKeysOfContent gives the key of each rule each shape of a value.
func TestKeysOfContent(t *testing.T) {
	for name, set := range policies {
		p := newPolicy(t, set)
		w, tried := NewWriter(p), 0
		for _, rule := range p.Content().Rules() {
			key := keyOf(rule)
			if rule.Name || p.Content().Key(key).Rule != rule {
				continue
			}
			tried++
			for shape, set := range shapes {
				value := pcommon.NewValueEmpty()
				set(value)
				requireHidden(t, w.Text(key, value), name, key, shape)
				deep := pcommon.NewValueMap()
				set(deep.Map().PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutEmpty(key))
				requireHidden(t, w.Text("x", deep), name, key, "deep "+shape)
			}
		}
		require.Greater(t, tried, 150)
	}
}

// TestKeysOfPacks has keys that packs call sensitive, and those that they rename or copy to a key of content.
func TestKeysOfPacks(t *testing.T) {
	pack := filepath.Join(t.TempDir(), "shop.yaml")
	require.NoError(t, os.WriteFile(pack, []byte(`system: shop
owns: {resource: {service.name: [shop]}}
attributes:
  - {key: my_question, rename: gen_ai.prompt}
  - {key: my_badge, rename: shop.password}
  - {key: shop.asks, also: {key: gen_ai.input.messages}}
  - {key: old_asks, rename: shop.asks}
  - {key: card, sensitive: redact}
  - {key: face, sensitive: remove}
messages:
  - {from: shop.talk, to: gen_ai.input.messages, form: openinference}
`), 0o600))
	for name, set := range policies {
		w := NewWriter(newPolicy(t, set, pack))
		for shape, set := range shapes {
			value := pcommon.NewValueEmpty()
			set(value)
			for _, key := range []string{"my_question", "my_badge", "shop.asks", "old_asks", "shop.talk.0.message.content", "card", "face"} {
				requireHidden(t, w.Text(key, value), name, shape, key)
			}
			deep := pcommon.NewValueMap()
			set(deep.Map().PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutEmpty("card"))
			requireHidden(t, w.Text("x", deep), name, "deep "+shape)
		}
		requireHidden(t, w.Text("x", pcommon.NewValueStr("https://me:S3CR3T@shop/?api_key=S3CR3T")), name)
		assert.Equal(t, "GET", w.Text("method", pcommon.NewValueStr("GET")))
		assert.Equal(t, "200", w.Text("code", pcommon.NewValueInt(200)))
		assert.Equal(t, Hidden, w.Text("x", pcommon.NewValueStr(strings.Repeat("S3CR3T", maxBytes))))
	}
}
