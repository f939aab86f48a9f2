// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestShorten(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		short := Shorten(name)
		assert.Equal(t, want, short)
		assert.LessOrEqual(t, len(short), MaxName)
		assert.Equal(t, utf8.ValidString(name), utf8.ValidString(short))
		assert.Equal(t, short, Shorten(short), "a second time")
	}
	f("", "")
	f("tc_x", "tc_x")
	f(strings.Repeat("x", MaxName), strings.Repeat("x", MaxName))
	f(strings.Repeat("x", MaxName+1), strings.Repeat("x", 238)+"_floemafhnmkcgofi")
	f(strings.Repeat("x", MaxName+2), strings.Repeat("x", 238)+"_nlacoocgekfjlofb")
	f("tc_"+strings.Repeat("ab_", 100), "tc_"+strings.Repeat("ab_", 78)+"a_lhlajkcamjkiahnc")
	f(strings.Repeat("处", 100), strings.Repeat("处", 79)+"_ljammefllmomopck")
}

// Long names of every form are shortened once, stay different, and keep their form.
func TestLongNames(t *testing.T) {
	n := newNamer(t, Options{Exempt: []string{"http.*"}})
	long := strings.Repeat("abc", 100)
	seen := map[string]string{}
	different := func(name, short string) {
		t.Helper()
		assert.NotEqual(t, name, short)
		assert.LessOrEqual(t, len(short), MaxName, name)
		assert.Empty(t, seen[short], "%s and %s", name, seen[short])
		seen[short] = name
	}
	for _, end := range []string{"", "x", "y"} {
		for _, name := range []string{"tc_" + long, "http." + long, strings.Repeat("aB", 120) + ".", strings.Repeat("aB", 200), strings.Repeat("处", 200)} {
			name += end
			d := n.Metric(nil, name)
			assert.Equal(t, NameLength, d.Rule, name)
			different(name, d.Name)
			assert.True(t, n.ConformantMetric(d.Name) || strings.HasPrefix(d.Name, "http."), d.Name)
			again := n.Metric(nil, d.Name)
			assert.False(t, again.Changed() || again.Violation(), d.Name)
		}
		for _, name := range []string{
			"A/B" + long, "A" + long + "/B", "A" + long + "/B" + long,
			"GET /" + long, "GET /a1/b/" + strings.Repeat("c2d/", 100),
		} {
			name += end
			d := n.Span(Context{Service: "s"}, Facts{}, name)
			assert.Equal(t, NameLength, d.Rule, name)
			different(name, d.Name)
			again := n.Span(Context{Service: "s"}, Facts{}, d.Name)
			assert.False(t, again.Changed(), d.Name)
		}
		for _, key := range []string{"a." + long, "tc." + long, "TC." + long, "tc." + strings.Repeat("处", 100), strings.Repeat(".", 300)} {
			key += end
			d := n.Attribute(nil, key)
			assert.Equal(t, NameLength, d.Rule, key)
			different(key, d.Key)
			assert.False(t, needsForm(d.Key), d.Key)
			assert.Nil(t, n.Attribute(nil, d.Key), d.Key)
		}
	}
}
