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
