// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	traceA = "4bf92f3577b34da6a3ce929d0e0e4736"
	traceB = "0af7651916cd43dd8448eb211c80319c"
	spanA  = "00f067aa0ba902b7"
	spanB  = "b7ad6b7169203331"
	half   = "463ac35c9f6413ad"

	conflict = "conflict"
)

var placeholders = strings.NewReplacer(
	"{A}", traceA, "{AU}", strings.ToUpper(traceA), "{B}", traceB, "{a}", spanA, "{b}", spanB, "{half}", half,
	"{padded}", strings.Repeat("0", 16)+half, "{zeros}", strings.Repeat("0", 32), "{zeros16}", strings.Repeat("0", 16),
	`\t`, "\t", `\xff`, "\xff",
)

// eachCase calls f with the columns of each case in a file of testdata. A column - is empty.
func eachCase(t *testing.T, file string, f func(columns []string)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	cases := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(placeholders.Replace(line), " | ")
		if columns[0] == "-" {
			columns[0] = ""
		}
		f(columns)
		cases++
	}
	assert.Positive(t, cases)
}

// show formats ids as "trace span flags", without those that are missing.
func show(ids IDs) string {
	var parts []string
	if ids.TraceID != (pcommon.TraceID{}) {
		parts = append(parts, ids.TraceID.String())
	}
	if ids.SpanID != (pcommon.SpanID{}) {
		parts = append(parts, ids.SpanID.String())
	}
	if ids.HasFlags {
		parts = append(parts, fmt.Sprintf("%02x", ids.Flags))
	}
	return strings.Join(parts, " ")
}

// outcome formats the ids of a decision, and whether it is a conflict.
func outcome(d *Decision) string {
	flags, ok := d.Flags()
	got := show(IDs{TraceID: d.TraceID(), SpanID: d.SpanID(), Flags: flags, HasFlags: ok})
	if d.Conflict {
		got = strings.TrimSpace(got + " " + conflict)
	}
	return got
}

// add adds pairs of keys and values.
func add(keys *Keys, e *Evidence, pairs []string) {
	for i := 0; i < len(pairs); i += 2 {
		e.AddText(keys.Find(pairs[i]), 0, pairs[i+1])
	}
}

// TestValues parses one value under one key: the ids that it holds, or the reason why it is
// rejected. A key with a span is considered together with a trace.
func TestValues(t *testing.T) {
	keys := NewKeys([]CustomKeys{
		{TraceID: "own.uuid", SpanID: "own.uuid.span", Encoding: UUID},
		{TraceID: "own.decimal", SpanID: "own.number", Encoding: Decimal},
		{TraceID: "own.hex", TraceFlags: "own.flags"},
	}, true)
	const one = "01000000000000000000000000000001"
	check := func(want string, pairs ...string) {
		t.Helper()
		var e Evidence
		add(keys, &e, pairs)
		var d Decision
		d.Consider(&e, All, SourceAttribute)
		got := strings.TrimSpace(strings.TrimPrefix(outcome(&d), one))
		for reason, n := range e.Rejected {
			if n > 0 {
				got = Reason(reason).String()
			}
		}
		assert.Equal(t, want, got, "%q", pairs)
	}
	eachCase(t, "values.txt", func(columns []string) {
		if len(columns) == 4 {
			check(columns[0], columns[1], one, columns[2], columns[3])
		} else {
			check(columns[0], columns[1:]...)
		}
	})
	for _, nothing := range []string{"", " ", "0", "-", "null", "NULL", "None", "none", "nil", "<nil>", "n/a", "unknown", "undefined"} {
		for _, key := range []string{"trace_id", "dd.trace_id", "X-B3-TraceId", "traceparent", "xray_trace_id"} {
			check("placeholder", key, nothing)
		}
		check("placeholder", "trace_id", one, "span_id", nothing)
	}
}

// TestCallersSpans checks that headers have no span without the setting, and keep their trace.
func TestCallersSpans(t *testing.T) {
	keys := NewKeys(nil, false)
	for key, value := range map[string]string{
		"traceparent": "00-{A}-{a}-01", "b3": "{A}-{a}-1", "uber-trace-id": "{A}:{a}:0:1", "x-cloud-trace-context": "{A}/1;o=1",
		"x-amzn-trace-id": "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent={a};Sampled=1",
	} {
		for _, prefix := range []string{"", "http.request.header."} {
			var e Evidence
			add(keys, &e, []string{prefix + key, placeholders.Replace(value)})
			var d Decision
			d.Consider(&e, All, SourceVendor)
			assert.Equal(t, traceA+" 01", outcome(&d), key)
		}
	}
	var e Evidence
	add(keys, &e, []string{"http.request.header.x-b3-traceid", traceA, "http.request.header.x-b3-spanid", spanA})
	var d Decision
	d.Consider(&e, All, SourceVendor)
	assert.Equal(t, traceA, outcome(&d))
}

func TestScalars(t *testing.T) {
	keys := NewKeys(nil, false)
	f := func(key, text, want string) {
		t.Helper()
		var e Evidence
		add(keys, &e, []string{"trace_id", traceA})
		e.AddScalar(keys.Find(key), 0, text)
		var d Decision
		d.Consider(&e, keys.Find(key).class, SourceAttribute)
		assert.Equal(t, want, outcome(&d), key)
	}
	f("dd.trace_id", "5060571933882717101", "0000000000000000"+half)
	f("dd.trace_id", "0", "")
	f("trace_flags", "1", traceA+" 01")
	f("trace_flags", "769", traceA+" 01")
	f("trace_sampled", "1", traceA+" 01")
	f("trace_sampled", "7", traceA)
	f("span_id", "1234567812345678", traceA)
}

func TestFields(t *testing.T) {
	var fields Fields // used again for each case, as a parser does
	f := func(want string, pairs ...string) {
		t.Helper()
		fields.Reset()
		for i := 0; i < len(pairs); i += 2 {
			assert.True(t, fields.Add(pairs[i], pairs[i+1]), pairs[i])
		}
		ids, ok := fields.Decide()
		got := show(ids)
		if !ok {
			assert.Empty(t, got)
			got = conflict
		}
		assert.Equal(t, want, got, "%q", pairs)
	}
	f("")
	eachCase(t, "fields.txt", func(columns []string) { f(columns[0], columns[1:]...) })
	for _, keys := range []string{
		"trace_id span_id trace_flags", "traceId spanId traceFlags", "TraceId SpanId TraceFlags", "traceid spanid traceflags",
		"trace-id span-id trace-flags",
	} {
		k := strings.Fields(keys)
		f(traceA+" "+spanA+" 01", k[0], traceA, k[1], spanA, k[2], "01")
		f(traceA+" "+spanA, k[1], spanA, k[0], traceA)
	}
	for _, key := range []string{
		"", "trace", "span", "trace_i", "trace_id2", "parent_span_id", "mytrace_id", "upstream_trace_id", "tid", "id", "Root",
		strings.Repeat("x", 1000),
	} {
		assert.False(t, fields.Add(key, traceA), key)
	}
}

// TestDecision considers plain keys, then vendors' keys, then traceparent.
func TestDecision(t *testing.T) {
	keys := NewKeys(nil, false)
	eachCase(t, "decision.txt", func(columns []string) {
		var own Fields
		for i, id := range strings.Fields(strings.Trim(columns[2], "-")) {
			own.Add([]string{"trace_id", "span_id"}[i], id)
		}
		ids, _ := own.Decide()
		var e Evidence
		add(keys, &e, columns[3:])
		var d Decision
		d.Begin(ids.TraceID, ids.SpanID, 0)
		d.ConsiderOwn()
		d.Consider(&e, Custom, SourceFields)
		d.Consider(&e, Plain, SourceAttribute)
		d.Consider(&e, Vendor, SourceVendor)
		d.Consider(&e, Parent, SourceTraceparent)
		assert.Equal(t, strings.Trim(columns[1], "-"), outcome(&d), "%q", columns)
		assert.Equal(t, columns[0], d.Source.String(), "%q", columns)
	})
}

// TestOwnIDsLast considers the record's own ids after all others, as with overwrite.
func TestOwnIDsLast(t *testing.T) {
	keys := NewKeys(nil, false)
	f := func(want string, pairs ...string) {
		t.Helper()
		var own Fields
		own.Add("trace_id", traceA)
		own.Add("span_id", spanA)
		ids, _ := own.Decide()
		var e Evidence
		add(keys, &e, pairs)
		var d Decision
		d.Begin(ids.TraceID, ids.SpanID, 0)
		d.Consider(&e, All, SourceAttribute)
		d.ConsiderOwn()
		assert.Equal(t, want, outcome(&d))
	}
	f(traceA + " " + spanA)
	f(traceA+" "+spanA, "trace_id", traceA)
	f(traceA+" "+spanB, "trace_id", traceA, "span_id", spanB)
	f(traceB, "trace_id", traceB)
}

func TestManyStatements(t *testing.T) {
	keys := NewKeys(nil, false)
	var e Evidence
	for object := range maxStatements + 1 {
		e.AddText(keys.Find("trace_id"), object, traceA)
	}
	var d Decision
	d.Consider(&e, All, SourceBody)
	assert.Equal(t, conflict, outcome(&d))
}

func TestJSON(t *testing.T) {
	keys := NewKeys([]CustomKeys{{TraceID: "id", Encoding: UUID}}, false)
	eachCase(t, "json.txt", func(columns []string) {
		var e Evidence
		assert.True(t, keys.JSON(columns[1], &e), columns[1])
		var d Decision
		d.ConsiderEach(&e, SourceBody)
		assert.Equal(t, columns[0], outcome(&d), columns[1])
	})
	for _, text := range []string{
		"", "  ", `{"trace_id":"` + traceA + `","mess`, `{"trace_id":"` + traceA + `"} and more`, "[orders," + traceA + "]", `"trace_id"`,
	} {
		var e Evidence
		assert.False(t, keys.JSON(text, &e), text)
		assert.False(t, e.Any())
	}
}
