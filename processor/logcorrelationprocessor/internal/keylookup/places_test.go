// SPDX-License-Identifier: Apache-2.0

package keylookup

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

func TestValuesInBodies(t *testing.T) {
	f := func(text, body, want string) {
		t.Helper()
		rule := correlation.Rules([]linking.Rule{{Name: "r", Logs: []linking.LogKey{{Body: body}}}}, nil, nil)[0]
		got := ""
		NewRule(rule, rule.Logs, nil).Places[0].Values(text, func(value string) {
			if !correlation.IsNull(value) {
				got = value
			}
		})
		assert.Equal(t, want, got)
	}
	f("a: b", "a: {key}", "b")
	f("x a: b c", "a: {key}", "b")
	f("a: b\nc", "a: {key}", "b")
	f("a: b\u00a0c", "a: {key}", "b")
	f("a: b, c", "a: {key}", "b")
	f("(a: b).", "a: {key}", "b")
	f("a: b::n::1: c", "a: {key}", "b::n::1")
	f("a: .", "a: {key}", "")
	f("a: ", "a: {key}", "")
	f("a: none", "a: {key}", "")
	f("a b", "a: {key}", "")
	f("a:", "a: {key}", "")
	f(": b", "a: {key}", "")
	f("a: b a: c", "a: {key}", "b")
	f("id=[a b] c", "id=[{key}]", "a b")
	f("id=[a b c", "id=[{key}]", "a")
	f("7 is done", "{key} is done", "7")
	f("7 is not done", "{key} is done", "")
	f("", "{key} is done", "")
	f("grid=1 rid=2", "rid={key}", "2")
	f("grid=1", "rid={key}", "")
	f("req.rid='b c', x", "rid={key}", "b c")
	f(`rid="b" c`, "rid={key}", "b")
	f("rid='b", "rid={key}", "")
}

// Each token begins with a prefix and has no separator, wherever the text is cut.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{"chatcmpl-a_0: cmpl-b::n::1, 'cmpl-c'.", "cmpl-", "cmpl-::", "xcmpl-a cmpl-é-1!", "RID=cmpl-a"} {
		f.Add(text)
	}
	prefixes := []string{"chatcmpl-", "cmpl-"}
	f.Fuzz(func(t *testing.T, text string) {
		k := Place{tokens: prefixes, before: lastBytes(prefixes)}
		k.Values(text, func(token string) {
			assert.Contains(t, text, token)
			assert.Regexp(t, `^(chat)?cmpl-`, token)
			assert.False(t, strings.ContainsAny(token, " \t\n'\"`,;=|()[]{}<>"), token)
		})
	})
}
