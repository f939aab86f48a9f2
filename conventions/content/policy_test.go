// SPDX-License-Identifier: Apache-2.0

package content

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// samples returns keys that a glob matches.
func samples(glob string) []string {
	base, _ := strings.CutSuffix(glob, below)
	base = strings.ReplaceAll(base, "*", "0.message")
	keys := []string{base, strings.ToUpper(base)}
	if strings.HasSuffix(glob, below) {
		keys = append(keys, base+".0.message.content")
	}
	return keys
}

// keyCases are those of testdata/keys.yaml.
type keyCases struct {
	Secrets, Stay []string
	Leaves        [][3]string
}

func readKeys(t *testing.T) keyCases {
	t.Helper()
	return testfiles.Read[keyCases](t, "testdata/keys.yaml")
}

func TestEveryKeyOfTheSources(t *testing.T) {
	p := New(Config{}, nil)
	for _, glob := range models().content {
		assert.Equal(t, strings.ToLower(glob), glob)
		for _, key := range samples(glob) {
			k := p.Key(key)
			if assert.NotNil(t, k.Rule, key) {
				assert.False(t, k.Rule.Secret, key)
				assert.True(t, strings.HasPrefix(k.Rule.LengthKey, lengthPrefix), key)
			}
		}
	}
}

func TestKeysOfSecrets(t *testing.T) {
	p := New(Config{}, nil)
	for _, name := range redact.CredentialNames {
		for _, key := range []string{
			name, "db." + name, "http.request.header." + strings.ReplaceAll(name, "_", "-"), strings.ToUpper("my_" + name), "a/b:" + name,
		} {
			k := p.Key(key)
			if assert.NotNil(t, k.Rule, key) {
				assert.True(t, k.Rule.Secret, key)
				assert.Empty(t, k.Rule.LengthKey, key)
			}
		}
	}
	for _, key := range append(readKeys(t).Secrets, strings.Repeat("x", 300)+".password") {
		assert.NotNil(t, p.Key(key).Rule, key)
	}
}

func TestKeysThatStay(t *testing.T) {
	p := New(Config{}, nil)
	for _, key := range readKeys(t).Stay {
		assert.Nil(t, p.Key(key).Rule, key)
	}
}

func TestKeysOfTheUser(t *testing.T) {
	p := New(Config{
		Keys: []string{"My.Notes.*", "llm.token_count.text"}, SecretKeys: []string{"badge"},
		Allow: []string{"gen_ai.tool.definitions", "*.session_token"},
	}, nil)
	for _, key := range []string{"my.notes", "my.notes.0", "llm.token_count.text", "user.badge", "gen_ai.prompt"} {
		assert.NotNil(t, p.Key(key).Rule, key)
	}
	for _, key := range []string{"gen_ai.tool.definitions", "game.session_token"} {
		assert.Nil(t, p.Key(key).Rule, key)
	}
	assert.Equal(t, "tc.content.length.my.notes", p.Key("my.notes.3").Rule.LengthKey)
}

func TestLengthKeysAreConformant(t *testing.T) {
	p := New(Config{Keys: []string{"Ünï--X.*.y_"}}, nil)
	for _, rule := range p.Rules() {
		if !rule.Secret {
			assert.Regexp(t, `^tc(\.[a-z0-9]+(_[a-z0-9]+)*)+$`, rule.LengthKey)
			assert.NotEqual(t, strings.TrimSuffix(lengthPrefix, "."), rule.LengthKey)
		}
	}
}

func TestLeaves(t *testing.T) {
	p := New(Config{}, nil)
	for _, row := range readKeys(t).Leaves {
		text := row[1]
		if k := p.Key(row[0]); k.Rule != nil {
			text = p.Replace(k, Redact, text)
		}
		assert.Equal(t, row[2], text, row)
	}
}

func TestEvents(t *testing.T) {
	p := New(Config{Allow: []string{"kind"}}, nil)
	for _, name := range []string{
		"gen_ai.user.message", "gen_ai.system.message", "gen_ai.choice", "gen_ai.content.prompt", "gen_ai.content.completion",
		"gen_ai.client.inference.operation.details", "content",
	} {
		event := p.Event(name)
		require.NotNil(t, event, name)
		for _, key := range []string{"content", "message", "body", "anything", "tool_calls"} {
			assert.NotNil(t, p.Field(event, key, p.Key(key)).Rule, "%s of %s", key, name)
		}
		for _, key := range []string{"id", "index", "gen_ai.system", "kind"} {
			assert.Nil(t, p.Field(event, key, p.Key(key)).Rule, "%s of %s", key, name)
		}
		assert.Equal(t, "user", p.Replace(p.Field(event, "role", p.Key("role")), Redact, "user"))
	}
	for _, name := range []string{"", "exception", "gen_ai.client.operation.exception", "gen_ai.evaluation.result", "message"} {
		assert.Nil(t, p.Event(name), name)
	}
}

func TestServices(t *testing.T) {
	p := New(Config{Default: Hash}, map[string]Action{
		"*": Truncate, "checkout*": Keep, "checkout-eu": Redact, "*-eu": Hash, "other": "",
	})
	for service, want := range map[string]Action{
		"checkout": Keep, "checkout-us": Keep, "checkout-eu": Redact, "pay-eu": Hash, "other": Truncate, "": Truncate,
	} {
		assert.Equal(t, want, p.Service(service), service)
	}
	assert.Equal(t, Redact, New(Config{}, nil).Service("x"))
	secret := p.Key("password").Rule
	assert.Equal(t, Redact, p.Action(secret, Keep), "content: keep leaves credentials protected")
	open := New(Config{Default: Keep, Secrets: Keep}, nil)
	assert.Equal(t, Keep, open.Action(open.Key("password").Rule, Redact))
	assert.False(t, open.Protects(Keep))
	assert.True(t, open.Protects(Redact))
	assert.True(t, p.Protects(Keep))
	assert.Equal(t, "http://a:b@c", open.ScrubURLs(Address, "http://a:b@c"))
}

func TestCounts(t *testing.T) {
	p := New(Config{}, nil)
	prompt, password := p.Key("gen_ai.prompt").Rule, p.Key("password").Rule
	p.Count("b", prompt, Redact, "", Tally{Values: 2})
	p.Count("a", password, Redact, "", Tally{Values: 1})
	p.Count("a", prompt, Hash, "", Tally{Values: 1})
	p.Count("a", prompt, Hash, "", Tally{Values: 1})
	assert.Equal(t, []Count{
		{Service: "a", Key: "gen_ai.prompt.*", Action: Hash, Count: 2, Allow: "gen_ai.prompt.*"}, {Service: "a", Key: "password", Action: Redact, Count: 1},
		{Service: "b", Key: "gen_ai.prompt.*", Action: Redact, Count: 2, Allow: "gen_ai.prompt.*"},
	}, p.Counts())
	for i := range 3 * maxServices {
		p.Count(fmt.Sprint(i), prompt, Redact, "", Tally{Values: 1})
	}
	p.Count(strings.Repeat("x", 1000), prompt, Redact, "", Tally{Values: 1})
	counts := p.Counts()
	assert.LessOrEqual(t, len(counts), maxServices+2)
	var sum int64
	for _, c := range counts {
		sum += c.Count
	}
	assert.EqualValues(t, 5+3*maxServices+1, sum)
}

func TestValidate(t *testing.T) {
	f := func(c Config, want string) {
		t.Helper()
		err := c.Validate()
		if want == "" {
			assert.NoError(t, err)
			return
		}
		assert.EqualError(t, err, want)
	}
	f(Config{}, "")
	f(Config{Default: Hash, HashKey: "x", TruncateBytes: 10, Keys: []string{"a.*"}, Secrets: Keep}, "")
	f(Config{Secrets: Hash}, `secrets: must be redact or keep (got "hash")`)
	f(Config{TruncateBytes: -1}, `truncate_bytes: must be at most 65536, or 0 for 256 (got -1)`)
	f(Config{Keys: []string{"**"}}, `keys: must have more than stars and dots (got "**")`)
	f(Config{Allow: []string{"."}}, `allow: must have more than stars and dots (got ".")`)
	f(Config{SecretKeys: []string{"x*"}}, `secret_keys: must be names without stars (got "x*")`)
	f(Config{SecretParameters: []string{""}}, `secret_parameters: must be names without stars (got "")`)
	assert.EqualError(t, Action("hide").Validate(), `must be redact, hash, truncate or keep (got "hide")`)
	var c Config
	require.NoError(t, c.UnmarshalText([]byte("keep")))
	assert.Equal(t, Config{Default: Keep}, c)
	assert.Error(t, c.UnmarshalText([]byte("none")))
}

// The README lists everything that the package knows.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var lists map[string]any
	require.NoError(t, yaml.Unmarshal(modelsYAML, &lists))
	for name := range lists {
		assert.Contains(t, string(readme), "`"+name+"`")
	}
	for _, source := range logLines().Sources {
		assert.Contains(t, string(readme), " | `"+source.Label+"` |")
	}
	for _, key := range logLines().Keys {
		assert.Contains(t, string(readme), "`"+key+"`")
	}
	for _, names := range [][]string{plain[:len(plain)-1], events, placeholders[1:], {"names", "words", "parts", "wholes", "parameters", "other_things", "no_credentials", "facts", "properties"}} {
		for _, name := range names {
			assert.Contains(t, string(readme), "`"+name+"`")
		}
	}
}
