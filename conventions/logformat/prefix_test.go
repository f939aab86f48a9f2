// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// prefixed returns the formats of two systems, one of which runs under the other, and the general ones.
func prefixed(t testing.TB) *Formats {
	t.Helper()
	engine := &conventions.Pack{System: "engine", Logs: conventions.LogRules{
		Prefixes: []string{"({process.name:word} pid={process.pid:int}) "},
		Formats:  []conventions.LogFormat{{Name: "engine", Lines: []string{"{severity} {time:%m-%d %H:%M:%S} [{code.file.path:word}:{code.line.number:int}] {body}"}, Joins: true}},
	}}
	cluster := &conventions.Pack{System: "cluster", Logs: conventions.LogRules{
		Prefixes: []string{"({tc.actor:word} pid={process.pid:int}, ip={tc.node:word}) ", "(raylet) ", "[rank{tc.rank:int}]: ", "[rank{tc.rank:int}]:"},
		Formats:  []conventions.LogFormat{{Name: "cluster", Lines: []string{"{severity} -- {body}"}, Joins: true}},
	}}
	formats, err := New([]*conventions.Pack{engine, cluster})
	require.NoError(t, err)
	return formats
}

const engineLine = "INFO 11-22 10:00:00 [core.py:12] ready"

func TestMatchThroughPrefixes(t *testing.T) {
	formats := prefixed(t)
	f := func(record, format, body, prefix string, want map[string]string) {
		t.Helper()
		var e Entry
		got := formats.Match(record, nil, &e)
		require.NotNil(t, got, record)
		assert.Equal(t, format, got.Name, record)
		line, _, _ := strings.Cut(record, "\n")
		assert.Same(t, got, formats.Head([]byte(line), nil), record)
		assert.Equal(t, body, e.Body, record)
		var texts []string
		for _, p := range e.Prefixes {
			texts = append(texts, p.Text)
		}
		assert.Equal(t, prefix, strings.Join(texts, "|"), record)
		for key, value := range want {
			assert.Equal(t, value, pieces(&e)[key], "%s of %s", key, record)
		}
		keys := map[string]bool{}
		for _, a := range e.Attributes {
			assert.False(t, keys[a.Key], "%s twice in %s", a.Key, record)
			keys[a.Key] = true
		}
	}
	f("(Core_0 pid=7) "+engineLine, "engine", "ready", "(Core_0 pid=7)", map[string]string{"process.name": "Core_0", "process.pid": "7", "code.file.path": "core.py"})
	f("\x1b[1;36m(Core_0 pid=7)\x1b[0;0m "+engineLine, "engine", "ready", "(Core_0 pid=7)", map[string]string{"process.pid": "7"})
	// Continuation lines have the prefix too, and only one space belongs to it.
	f("(Core_0 pid=7) "+engineLine+"\n(Core_0 pid=7)   File\n(Core_0 pid=7) \n(Core_0 pid=7)\n(Core_1 pid=8) x\nplain", "engine",
		"ready\n  File\n\n\n(Core_1 pid=8) x\nplain", "(Core_0 pid=7)", nil)
	// What the record says has priority, then the prefix next to it.
	f("(Core_0 pid=7) (Worker pid=8, ip=10.0.0.1) (raylet) "+engineLine, "engine", "ready", "(Core_0 pid=7)|(Worker pid=8, ip=10.0.0.1)|(raylet)",
		map[string]string{"process.name": "Core_0", "tc.actor": "Worker", "process.pid": "8", "tc.node": "10.0.0.1"})
	f(`(Core_0 pid=7) 2026-11-22T10:00:00Z INFO 9 --- [main] a.B : started`, "spring_boot", "started", "(Core_0 pid=7)", map[string]string{"process.pid": "9"})
	// The formats of the prefix's system come first.
	f("(raylet) INFO -- x", "cluster", "x", "(raylet)", nil)
	f("[rank3]:INFO: x", "level", "x", "[rank3]:", map[string]string{"tc.rank": "3"})
	f("[rank3]: INFO: x", "level", "x", "[rank3]:", map[string]string{"tc.rank": "3"})
	f(`(raylet) {"msg":"a"}`, "json", "a", "(raylet)", nil)
}

// A line that only begins like a prefix is of its own format, and so are lines in brackets of other systems.
func TestNoPrefix(t *testing.T) {
	formats := prefixed(t)
	for _, line := range []string{"(main) " + engineLine, "(raylet)" + engineLine, "(Core_0 pid=x) " + engineLine, "(Core_0 pid=7 " + engineLine, "(Core_0 pid=7) no format",
		"(Core_0 pid=7)", "(raylet) ", "[rankle]: INFO: x", "x (raylet) " + engineLine} {
		var e Entry
		assert.Nil(t, formats.Match(line, nil, &e), line)
		assert.Nil(t, formats.Head([]byte(line), nil), line)
	}
	for _, line := range []string{"[2026-11-22 10:00:00] [7] [INFO] x", `127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5`} {
		var e Entry
		require.NotNil(t, formats.Match(line, nil, &e))
		assert.Empty(t, e.Prefixes)
	}
}

func TestCutPrefix(t *testing.T) {
	formats := prefixed(t)
	f := func(line, prefix, rest, system string) {
		t.Helper()
		gotPrefix, gotRest, gotSystem := formats.CutPrefix([]byte(line))
		assert.Equal(t, []string{prefix, rest, system}, []string{string(gotPrefix), string(gotRest), gotSystem}, line)
	}
	f("(raylet) x", "(raylet)", "x", "cluster")
	f("(raylet)   x", "(raylet)", "  x", "cluster")
	f("(raylet)", "(raylet)", "", "cluster")
	f("(raylet) ", "(raylet)", "", "cluster")
	f("(Core pid=1) (raylet) x", "(Core pid=1) (raylet)", "x", "cluster")
	f("\x1b[36m(Core pid=1)\x1b[0m \x1b[31mx\x1b[0m", "(Core pid=1)", "x", "engine")
	f("\x1b[36mx (Core pid=1)", "", "\x1b[36mx (Core pid=1)", "")
	f("(raylet)x", "", "(raylet)x", "")
	f("\x1b[", "", "\x1b[", "")
	f("", "", "", "")
	f(strings.Repeat("(raylet) ", 4), "(raylet) (raylet) (raylet)", "(raylet) ", "cluster")
}

// Of the packs whose prefixes match, the one that says most of the text has the line: its first lines may be in no
// known format.
func TestPrefixesOfPacks(t *testing.T) {
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	formats, err := New(packs)
	require.NoError(t, err)
	for prefix, want := range map[string]string{
		"(VllmWorkerProcess pid=99)": "vllm", "(VllmWorker rank=1 pid=99)": "vllm", "(Worker_TP1 pid=99)": "vllm", "(EngineCore pid=99)": "vllm", "(APIServer pid=1)": "vllm",
		"(train pid=99)": "ray", "(EngineActor pid=99)": "ray", "(EngineCore pid=99, ip=10.0.0.1)": "ray", "(raylet)": "ray",
	} {
		got, rest, system := formats.CutPrefix([]byte(prefix + " no known format"))
		assert.Equal(t, []string{prefix, "no known format", want}, []string{string(got), string(rest), system})
	}
}

func TestNewPrefixErrors(t *testing.T) {
	_, err := New([]*conventions.Pack{{System: "a", Logs: conventions.LogRules{Prefixes: []string{"(ray) ", "({a}) "}}}})
	assert.EqualError(t, err, "pack a: logs.prefixes.1: a prefix must have literal text with three letters in a row: other programs write the rest too")
}

// Long lines that almost have a prefix cost no more than others.
func TestLongLinesOfPrefixes(t *testing.T) {
	formats := prefixed(t)
	for _, unit := range []string{"(", "(x pid=", "(raylet) ", "[rank1]:", "\x1b[0m"} {
		formats.CutPrefix([]byte(strings.Repeat(unit, 1<<20/len(unit))))
	}
}
