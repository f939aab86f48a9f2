// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParsePrefix(t *testing.T) {
	for _, text := range []string{"({process.name:word} pid={process.pid:int}) ", "(raylet) ", "(raylet{?, ip={tc.ip:word}}) ", "[rank{tc.rank:int}]:", "[default{}]:", "worker {a} | "} {
		_, err := ParsePrefix(text)
		require.NoError(t, err, text)
	}
}

func TestParsePrefixErrors(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := ParsePrefix(text)
		assert.EqualError(t, err, want, text)
	}
	const (
		begin   = "a prefix must begin with literal text, by which it is found"
		end     = "a prefix must end in literal text other than spaces, which shows where the line begins"
		letters = "a prefix must have literal text with three letters in a row: other programs write the rest too"
	)
	f("", begin)
	f(" {a} pid) ", begin)
	f("{a} pid: ", begin)
	f("pid={a:int}", end)
	f("pid={a:int} ", end)
	f("pid={a:int}{?: }", end)
	f("pid={a:int}{? b{? c}}", end)
	f("pid={a}", end)
	f("({a}) ", letters)
	f("(a b {a}) ", letters)
	f("pid={severity}:", "{severity} must not be in a prefix: it belongs to a line")
	f("pid={time:iso}:", "{time} must not be in a prefix: it belongs to a line")
	f("pid={body}:", "{body} must not be in a prefix: it belongs to a line")
	f("pid={a:int} {a:int}:", "{a} must occur once")
	f("pid={a}{b}:", "{a} must be followed by literal text, which shows where it ends")
	f("pid={a", `a placeholder must be {key}, {key:int}, {key:word}, {time:format} or {} (got "{a")`)
	f("a\nb", "a layout must be one line")
}
