// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzDecisions checks that every decision is conformant, exempt, of a pack that keeps names, or a
// violation that changes nothing, and that a second decision changes nothing.
func FuzzDecisions(f *testing.F) {
	for _, name := range []string{"", "a b", "x::y", "POST /v1/x (Req: a)", "tc_x", "Tango::A_4Impl::b(", "a.<locals>.b", "/a.b/c", "8f3a", "处理/x",
		"ns::Foo::operator==(int)", "GET /a?b=c", "GET /a http send", "SELECT 'x", "a@b", "V1StGXR8_Z5jdHi6B-myT", "prefill Req 1", "größe=1", "operator()"} {
		f.Add(name, "svc", "scope", "a.B")
	}
	f.Add(strings.Repeat("aB::", 99), strings.Repeat("svc", 99), "scope", "a.B")
	f.Add("GET /"+strings.Repeat("a1/", 99), "svc", "scope", "a.B")
	f.Add("tc."+strings.Repeat("处", 99), "svc", "scope", "a.B")
	f.Add("\x83refill Req 1", "smg", "scope", "a.B") // of a pack that keeps names
	n := newNamer(f, Options{Exempt: []string{"http.*"}})
	f.Fuzz(func(t *testing.T, name, service, scope, rpc string) {
		from := source{service: service, scope: scope}
		d := from.span(n, rpc, name)
		assert.True(t, ConformantSpan(d.Name) || httpName.MatchString(d.Name) || d.Keeps, "%q gives %q", name, d.Name)
		assert.Equal(t, d.Changed(), d.Name != name)
		if d.Asks == (Asks{}) {
			assert.Equal(t, d, from.span(n, rpc+"x.Other", name))
			assert.Equal(t, d, from.span(n, "", name))
		}
		again := from.span(n, rpc, d.Name)
		assert.Equal(t, d.Name, again.Name)
		assert.False(t, again.Changed())

		assert.LessOrEqual(t, len(d.Name), MaxName)

		m := n.Metric(from.owner(n), name)
		assert.True(t, n.ConformantMetric(m.Name) || matchAny(n.exempt, m.Name) || m.Rule == Unnameable || m.Keeps, "%q gives %q", name, m.Name)
		assert.Equal(t, m.Changed(), m.Name != name)
		assert.Equal(t, m.Name, n.Metric(from.owner(n), m.Name).Name)
		assert.LessOrEqual(t, len(m.Name), MaxName)

		if a := n.Attribute(from.owner(n), name); a != nil && a.Rule != Unnameable {
			assert.False(t, needsForm(a.Key), "%q gives %q", name, a.Key)
			assert.LessOrEqual(t, len(a.Key), MaxName)
			if again := n.Attribute(from.owner(n), a.Key); again != nil {
				assert.Equal(t, a.Key, again.Key)
			}
		}
	})
}

// FuzzNamesOfNobody checks that no name changes that no pack owns, but for its length, whatever packs and
// facts there are.
func FuzzNamesOfNobody(f *testing.F) {
	for _, name := range bystanders {
		f.Add(name, "svc", "a.B", true)
	}
	f.Add(strings.Repeat("a.B/", 99), "svc", "a.B", false)
	n := passing(f, keepShop)
	f.Fuzz(func(t *testing.T, name, service, attribute string, follows bool) {
		if m := n.Metric(nil, name); !m.System.Owned() {
			assert.Equal(t, Shorten(name), m.Name)
			assert.True(t, m.Keeps)
			assert.False(t, m.Violation())
		}
		s := n.Span(Context{Service: service}, Facts{attribute, follows}, name)
		if !s.System.Owned() {
			assert.True(t, s.Name == name || len(name) > MaxName && len(s.Name) <= MaxName)
			assert.Equal(t, Asks{}, s.Asks)
			assert.Empty(t, s.Attributes)
			assert.Empty(t, s.IDs)
			kept := s.Name
			s.Fold(func(string, string) (admitted, known bool) { return false, false })
			assert.Equal(t, kept, s.Name, "a budget changes no name of nobody")
		}
		if a := n.Attribute(nil, name); a != nil {
			assert.Equal(t, NameLength, a.Rule)
			assert.Equal(t, Shorten(name), a.Key)
		}
	})
}

// FuzzConventions checks the names of owned spans that follow the semantic conventions.
func FuzzConventions(f *testing.F) {
	for _, name := range bystanders {
		f.Add(name, "a.B")
	}
	f.Add("chat "+strings.Repeat("a='b' ", 60), "")
	n := newNamer(f, Options{})
	tuft := source{service: "tuft"}.owner(n)
	f.Fuzz(func(t *testing.T, name, service string) {
		ctx, facts := Context{Owner: tuft, Service: "tuft"}, Facts{service, true}
		d := n.Span(ctx, facts, name)
		assert.LessOrEqual(t, len(d.Name), MaxName)
		again := n.Span(ctx, facts, d.Name)
		assert.Equal(t, d.Name, again.Name)
		if d.Rule == Exempt {
			assert.Equal(t, name, d.Name)
			assert.Equal(t, name, withoutValues(name))
		}
	})
}
