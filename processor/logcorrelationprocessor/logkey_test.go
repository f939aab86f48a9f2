package logcorrelationprocessor

import (
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
		keys := logKeys(rule, rule.Logs, nil)
		q := &inquiry{}
		record := plog.NewLogRecord()
		record.Body().SetStr(text)
		var got, expected []correlation.Key
		q.eachKey(keys, pcommon.NewResource(), record, func(_ *logKey, key correlation.Key) { got = append(got, key) })
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
