// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines returns problems as lines of text. A warning begins with a question mark.
func lines(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		if p.Warning {
			b.WriteByte('?')
		}
		fmt.Fprintf(&b, "%d: %s\n", p.Line, p.Text)
	}
	return b.String()
}

func TestProblems(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		assert.Equal(t, want, strings.Split(strings.TrimSuffix(lines(Problems([]byte(text))), "\n"), "\n"), text)
	}
	const head = "system: x\nowns: {scopes: [x]}\n"
	f("", "0: a pack must not be empty")
	f("a: [", "1: did not find expected node content")
	f("- a\n", "1: got array, want object")
	f("{}\n", "1: missing properties 'system', 'owns'")
	f(head+"system: y\nsystem: z\n", `3: mapping key "system" already defined at line 1`, `4: mapping key "system" already defined at line 1`, `4: mapping key "system" already defined at line 3`)

	// The schema's faults do not hide those that it cannot express, also in the same list.
	f(head+`metrics:
  rules:
    - match: '(['
    - match: a
      unit: ms
      convert: By
    - {match: a, type: couter}
    - match: b
      rename: tc_{c}
attribute: 1
links: [{name: a}]
`,
		"5: metrics.rules.0.match: '([' is not valid regex: error parsing regexp: missing closing ]: `[` (got \"([\")",
		"5: metrics.rules.0: minProperties: got 1, want 2",
		"8: metrics.rules.1.convert: ms cannot be converted to By",
		`9: metrics.rules.2.type: value must be 'counter' (got "couter"); did you mean "counter"?`,
		`10: metrics.rules.3: placeholder {c} names no group of the pattern "b"`,
		`12: additional properties 'attribute' not allowed (got "1"); did you mean "attributes"?`,
		`13: links.0.from: must be set, or stages in its place (got neither in "a")`)
	// A list that becomes too short is not reported.
	f("system: x\nowns: {scopes: [5]}\nexpect: {metrics: [a], components: [A, A]}\n",
		`2: owns.scopes.0: got number, want string (got "5")`,
		`3: expect.components.1: must be listed once (got "A" again)`,
		`3: expect.metrics.0: 'a' does not match pattern '^tc_[a-z0-9_*]*$' (got "a")`)
	// Two unknown keys are two faults, each at its line.
	f("system: x\nowns:\n  scopes: [x]\n  scope: [y]\n  resources: {a: [b]}\n",
		`4: owns: additional properties 'scope' not allowed; did you mean "scopes"?`,
		`5: owns: additional properties 'resources' not allowed; did you mean "resource"?`)
	// Anchors.
	f(head+"links: [&a {name: a, hold: 1}, *a, {<<: *a, nam: b}]\n",
		`3: links.0.hold: got number, want string (got "1")`,
		`3: links.1.hold: got number, want string (got "1")`,
		`3: links.2.hold: got number, want string`,
		`3: links.2: additional properties 'nam' not allowed (got "b"); did you mean "name"?`)
}

func TestProblemsWithoutEffect(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if !strings.Contains(text, "owns:") {
			text = "owns: {scopes: [x]}\n" + text
		}
		got := lines(Problems([]byte("system: x\n" + text)))
		assert.Equal(t, want, strings.Split(strings.TrimSuffix(got, "\n"), "\n"), text)
	}
	none := ""
	f("owns: {metrics: ['a*', ab, 'a*b*', 'a*'], scopes: [a, 'b*'], resource: {k: [ab, 'a*']}}\n",
		`?2: owns.metrics.1: owns.metrics.0 matches all that it matches (got "ab")`,
		`?2: owns.metrics.2: owns.metrics.0 matches all that it matches (got "a*b*")`,
		`?2: owns.metrics.3: owns.metrics.0 matches all that it matches (got "a*")`,
		`?2: owns.resource.k.0: owns.resource.k.1 matches all that it matches (got "ab")`)
	f("owns: {metrics: [a, a*], spans: [a, b, a]}\nmetrics: {prefixes: {http_: tc_x_}}\n",
		`?2: owns.metrics.0: owns.metrics.1 matches all that it matches (got "a")`,
		`?2: owns.spans.2: owns.spans.0 is the same pattern (got "a")`)

	f("metrics:\n  rules:\n    - {match: a, unit: s}\n    - {match: '^ab$', unit: s}\n    - {match: ^b, unit: s}\n    - {match: a, unit: ms}\n    - {match: '^b+$', unit: s}\n",
		`?6: metrics.rules.1.match: metrics.rules.0 decides all that it matches (got "^ab$")`,
		`?8: metrics.rules.3.match: metrics.rules.0 decides all that it matches (got "a")`)
	f("metrics:\n  rename: {a_b: tc_a, b_c: tc_b}\n  rules: [{match: '^a_(?P<n>.*)', rename: 'tc_{n}'}, {match: c, unit: s}]\n",
		`?4: metrics.rename.a_b: metrics.rules.0 renames it to "tc_b" (got "tc_a")`)
	f("metrics:\n  also:\n    - {match: a, name: x.y}\n    - {match: ^ab$, name: X.y}\n    - {match: ^ab$, name: x.z}\n    - {match: b, name: x.y}\n",
		`?6: metrics.also.1.match: metrics.also.0 decides all that it matches (got "^ab$")`)
	f("metrics: {units: {s: s, ms: s}}\n", `?3: metrics.units.s: must be another unit (got "s")`)

	f(`spans:
  rules:
    - {match: '^(?P<a>.*)/x', component: "{a}", operation: B}
    - {match: '^shop/x$', component: A, operation: B}
    - {match: '^8f3a/x$', component: A, operation: B}
    - {match: '^(?P<a>.*)/x', component: "{a}", operation: B}
    - {match: '^(?P<a>.*)/x', component: A, operation: B}
    - {match: '^A/B$', component: A, operation: C}
    - {match: z, scope: a*, component: A, operation: B}
    - {match: z, scope: ab, component: A, operation: C}
    - {match: z, component: A, operation: C}
`,
		`?6: spans.rules.1.match: spans.rules.0 decides all that it matches (got "^shop/x$")`,
		`?8: spans.rules.3.match: spans.rules.0 decides all that it matches (got "^(?P<a>.*)/x")`,
		`?10: spans.rules.5.match: a name of this form is conformant and stays (got "^A/B$")`,
		`?12: spans.rules.7.match: spans.rules.6 decides all that it matches (got "z")`)
	f("spans: {components: {services: [{match: 'a*', component: A}, {match: a, component: B}]}}\n",
		`?3: spans.components.services.1.match: spans.components.services.0 decides all that it matches (got "a")`)

	f("logs:\n  formats:\n    - {name: a, lines: ['{severity} {body}', '{severity} {body}']}\n    - {name: b, joins: true, lines: ['{severity} {body}']}\n    - {name: c, lines: ['{severity} {body}']}\n",
		`?5: logs.formats.0.lines.1: logs.formats.0.lines.0 is the same layout (got "{severity} {body}")`,
		`?7: logs.formats.2.lines.0: logs.formats.0.lines.0 is the same layout (got "{severity} {body}")`)

	f("owns: {spans: [a]}\nmetrics: {rename: {a: tc_a}}\n", `?3: metrics: owns selects no metrics: it has neither all, resource, scopes nor metrics`)
	f("owns: {metrics: [a]}\nspans: {components: {default: A}}\n", `?3: spans: owns selects no spans: it has neither all, resource, scopes nor spans`)
	f("owns: {all: true}\nspans: {components: {default: A}}\n", none)

	f("metrics: {rename: {tc_a: tc_b}, rules: [{match: '^tc_c$', rename: tc_d}]}\nexpect: {metrics: [tc_a, tc_b, tc_c, 'tc_a*', tc_e__f, tc_g_]}\n",
		`?4: expect.metrics.0: metrics.rename names it "tc_b" (got "tc_a")`,
		`?4: expect.metrics.2: metrics.rules.0 renames it to "tc_d" (got "tc_c")`,
		`?4: expect.metrics.4: no conformant name has an underscore at its end or two in a row (got "tc_e__f")`,
		`?4: expect.metrics.5: no conformant name has an underscore at its end or two in a row (got "tc_g_")`)
	// A pack with errors may lack rules.
	f("metrics: {rename: {tc_a: tc_b, x: y}}\nexpect: {metrics: [tc_a]}\n",
		`3: metrics.rename.x: 'y' does not match pattern '^tc(_[a-z0-9]+)+$' (got "y")`)
}

func TestBuiltinPacksHaveNoProblems(t *testing.T) {
	for _, name := range Builtin() {
		text, err := builtin.ReadFile(name + ".yaml")
		require.NoError(t, err)
		assert.Empty(t, lines(Problems(text)), name)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	text := "system: x\nowns: {scopes: [x]}\nattributes:\n" + strings.Repeat("  - {kye: "+strings.Repeat("a", 4096)+"}\n", 1000)
	problems := Problems([]byte(text))
	require.Len(t, problems, maxProblems+1)
	assert.Equal(t, "2800 more problems", problems[maxProblems].Text)
	for _, p := range problems {
		assert.Less(t, len(p.Text), 2*maxProblem)
	}
}

func TestDidYouMean(t *testing.T) {
	known := []string{"metrics", "spans", "rename", "ms"}
	f := func(got, want string) {
		t.Helper()
		if want != "" {
			want = fmt.Sprintf("; did you mean %q?", want)
		}
		assert.Equal(t, want, didYouMean(got, known), got)
	}
	f("mterics", "metrics")
	f("span", "spans")
	f("renames", "rename")
	f("sm", "ms")
	f("attributes", "")
	f("", "")
	f(strings.Repeat("x", 1000), "")
}

// FuzzProblems checks that Problems finds an error in a text exactly if Parse does, and that its answer is
// bounded.
func FuzzProblems(f *testing.F) {
	for _, name := range Builtin() {
		text, err := builtin.ReadFile(name + ".yaml")
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("system: x\nowns: {scopes: [x]}\nlinks: [&a {name: a, hold: 1}, *a, {<<: *a, nam: b}]\nmetrics: {rules: [{match: '(['}, &b {match: a}, *b]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		problems := Problems(text)
		_, err := Parse("x.yaml", text)
		errors := 0
		size := 0
		for _, p := range problems {
			if !p.Warning {
				errors++
			}
			size += len(p.Text)
		}
		assert.Equal(t, err != nil, errors > 0, "%v\n%s", err, lines(problems))
		assert.LessOrEqual(t, size, (maxProblems+1)*(maxProblem+8))
	})
}
