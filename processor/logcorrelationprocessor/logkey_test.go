package logcorrelationprocessor

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

func TestValuesInBodies(t *testing.T) {
	f := func(text, body, want string) {
		t.Helper()
		rule := correlation.Rules([]linking.Rule{{Name: "r", Logs: []linking.LogKey{{Body: body}}}}, nil, nil)[0]
		set := newLogKeySet(logKeys(rule, rule.Logs, nil))
		q := newInquiry(&indexing{looks: set}, &tally{})
		record := plog.NewLogRecord()
		record.Body().SetStr(text)
		var got, expected []correlation.Key
		q.eachKey(&set, pcommon.NewResource(), record, func(_ *logKey, key correlation.Key) { got = append(got, key) })
		if want != "" {
			var w correlation.Writer
			w.Begin("r")
			w.Add(want)
			expected = append(expected, w.Key(0))
		}
		assert.Equal(t, expected, got)
	}
	f("a: b", "a: {key}", "b")
	f("x a: b c", "a: {key}", "b")
	f("a: b\nc", "a: {key}", "b")
	f("a: b\u00a0c", "a: {key}", "b")
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
}

// TestPatterns compares with one search each.
func TestPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(pick(r, []string{"a", "b", ":", "=", " ", "A", "a: ", "b="}))
		}
		return b.String()
	}
	for range 20_000 {
		words := make([]string, r.IntN(6))
		for i := range words {
			words[i] = text(r.IntN(4))
		}
		in := text(r.IntN(20))
		begins := make([]int, len(words))
		for i := range begins {
			begins[i] = 99 // of an earlier text
		}
		any := newPatterns(words).find(in, begins)
		for i, word := range words {
			want := 0
			if at := strings.Index(in, word); at >= 0 && word != "" {
				want = at + len(word)
				assert.True(t, any)
			}
			if any {
				assert.Equal(t, want, begins[i], "%q in %q", word, in)
			}
		}
	}
}
