// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

// sharedFormats are the formats of a stream that several processes write to.
var sharedFormats = sync.OnceValues(func() (*logformat.Formats, error) {
	return logformat.New([]*conventions.Pack{
		{System: "engine", Logs: conventions.LogRules{
			Prefixes: []string{"({process.name:word} pid={process.pid:int}) "},
			Formats:  []conventions.LogFormat{{Name: "engine", Lines: []string{"{severity:upper} {time:%m-%d %H:%M:%S} [{code.file.path:word}:{code.line.number:int}] {body}"}, Joins: true, RepeatsHead: true}},
		}},
		{System: "cluster", Logs: conventions.LogRules{Prefixes: []string{"(raylet) ", "[rank{tc.rank:int}]:"}}},
	})
})

// newShared returns an assembler of such a stream.
func newShared(t testing.TB) *Assembler {
	t.Helper()
	formats, err := sharedFormats()
	require.NoError(t, err)
	return &Assembler{Formats: formats, MaxSize: maxTestRecord}
}

const engine = "INFO 11-22 10:00:00 [core.py:12] "

// shared collects records as texts with their prefixes.
type shared []string

func (s *shared) emit(rec Record) {
	format := "none"
	if rec.Format != nil {
		format = rec.Format.Name
	}
	*s = append(*s, rec.Prefix+"|"+format+"|"+string(rec.Text))
}

// addPieces splits a text into pieces: lines for the seed 0, else as it comes.
func addPieces(text string, rng *rand.Rand, seed uint64, add func([]byte)) {
	for text != "" {
		end := len(text)
		if seed > 0 {
			end = min(1+rng.IntN(30), len(text))
		}
		if newline := strings.IndexByte(text, '\n'); newline >= 0 {
			end = min(end, newline+1)
		}
		add([]byte(text[:end]))
		text = text[end:]
	}
}

// Lines of several processes come in any order, in any pieces, with restarts between them. The records of each
// process are those that it has alone, and no byte is lost.
func TestInterleavings(t *testing.T) {
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 7))
		prefixes := []string{"", "(A pid=1) ", "(B pid=2) ", "(A pid=1) (raylet) ", "[rank3]:"}
		lines, want := make([][]string, len(prefixes)), shared{}
		for i, prefix := range prefixes {
			alone := newShared(t)
			alone.Add([]byte(prefixes[1]+engine+"first\n"), time.Now(), func(Record) {})
			alone.Release(func(Record) {})
			for n := range 1 + rng.IntN(12) {
				line := prefix + sharedLine(rng, n)
				lines[i] = append(lines[i], line)
				alone.Add([]byte(line), time.Now(), want.emit)
			}
			alone.Release(want.emit)
		}
		one := newShared(t)
		one.Add([]byte(prefixes[1]+engine+"first\n"), time.Now(), func(Record) {})
		one.Release(func(Record) {})
		var got shared
		for {
			var rest []int
			for i := range lines {
				if len(lines[i]) > 0 {
					rest = append(rest, i)
				}
			}
			if len(rest) == 0 {
				break
			}
			i := rest[rng.IntN(len(rest))]
			addPieces(lines[i][0], rng, seed, func(piece []byte) { one.Add(piece, time.Now(), got.emit) })
			lines[i] = lines[i][1:]
			if rng.IntN(8) == 0 {
				one = restarted(t, one)
			}
		}
		one.Release(got.emit)
		assert.ElementsMatch(t, want, got, "seed %d", seed)
		for _, prefix := range prefixes {
			name := strings.TrimSpace(prefix) + "|"
			require.Equal(t, of(want, name), of(got, name), "seed %d, %q", seed, prefix)
		}
	}
}

func sharedLine(rng *rand.Rand, n int) string {
	return []string{
		fmt.Sprintf("%s%d\n", engine, n), fmt.Sprintf("%s%d\r\n", engine, n), fmt.Sprintf("{\"msg\":\"%d\"}\n", n), fmt.Sprintf("unknown %d\n", n), "\n",
		fmt.Sprintf("  more %d\n", n), "Traceback (most recent call last):\n", fmt.Sprintf("\rLoad %d\rLoad x\rLoad %d\n", n, n), fmt.Sprintf("Load %d\r    \rINFO: %d\r\n", n, n),
		fmt.Sprintf("2026-11-22T10:00:00Z INFO %d\n", n),
		engine + "Traceback (most recent call last):\r\n", fmt.Sprintf("%s  File %d\r\n", engine, n), engine + "\r\n", engine + "same\n",
	}[rng.IntN(14)]
}

// restarted returns an assembler that continues from what another one has stored.
func restarted(t testing.TB, from *Assembler) *Assembler {
	t.Helper()
	next := newShared(t)
	if held, ok := from.Keep(); ok {
		stored, err := json.Marshal(held)
		require.NoError(t, err)
		var restored Held
		require.NoError(t, json.Unmarshal(stored, &restored))
		next.Restore(restored, time.Now())
	}
	require.Equal(t, from.Size(), next.Size())
	return next
}

func of(all shared, name string) (own shared) {
	for _, rec := range all {
		if strings.HasPrefix(rec, name) && (name != "(A pid=1)|" || !strings.Contains(rec, "raylet")) {
			own = append(own, rec)
		}
	}
	return own
}

// The same in each part of a line: a restart changes nothing.
func TestRestartsInLines(t *testing.T) {
	const text = "(A pid=1) " + engine + "one\n(A pid=1) \rLoad: 0%\rLoad: 50%\n(B pid=2) " + engine + "two\n\rx: 1%\r   \r" + engine + "three\n\ra\n\rb\x1b[A\rc\n(A pid=1)  more\n"
	var want shared
	whole := newShared(t)
	addPieces(text, nil, 0, func(piece []byte) { whole.Add(piece, time.Now(), want.emit) })
	whole.Release(want.emit)
	for at := range len(text) {
		one := newShared(t)
		var got shared
		add := func(piece []byte) { one.Add(piece, time.Now(), got.emit) }
		addPieces(text[:at], nil, 0, add)
		one = restarted(t, one)
		addPieces(text[at:], nil, 0, add)
		one.Release(got.emit)
		require.ElementsMatch(t, want, got, "restart after %q", text[:at])
	}
}

// A bar that runs for long neither grows nor is cut, and does not keep the record before it.
func TestEndlessBar(t *testing.T) {
	one := newShared(t)
	var got shared
	start := time.Now()
	one.Add([]byte("(A pid=1) "+engine+"loads\n"), start, got.emit)
	one.Add([]byte("(A pid=1) "), start, got.emit)
	for i := range 100_000 {
		one.Add(fmt.Appendf(nil, "\rLoading: %d/100000", i), start.Add(time.Duration(i)*time.Millisecond), got.emit)
		require.Less(t, one.Size(), 200)
	}
	assert.Empty(t, got)
	now := start.Add(100 * time.Second)
	require.True(t, one.Due(now, time.Second))
	one.Flush(now, time.Second, got.emit)
	assert.Equal(t, shared{"(A pid=1)|engine|" + engine + "loads"}, got)
	assert.False(t, one.Due(now, time.Second))
	// A bar that stands still shows where, and its end is a record of its own.
	now = now.Add(time.Minute)
	require.True(t, one.Due(now, time.Second))
	one.Flush(now, time.Second, got.emit)
	one.Add([]byte("\rLoading: 100000/100000\n"), now, got.emit)
	one.Release(got.emit)
	assert.Equal(t, shared{"(A pid=1)|none|Loading: 99999/100000", "(A pid=1)|none|Loading: 100000/100000"}, got[1:])
	assert.EqualValues(t, 99_999, one.Folded)
}

// The writers and the bytes that are held are bounded. The record that waited for longest goes first.
func TestManyWriters(t *testing.T) {
	one := newShared(t)
	var got shared
	start := time.Now()
	for i := range 3 * maxWriters {
		one.Add(fmt.Appendf(nil, "(A pid=%d) %s\n", i, engine), start.Add(time.Duration(i)), got.emit)
		require.LessOrEqual(t, len(one.all), maxWriters)
		require.LessOrEqual(t, one.Size(), maxTestRecord)
	}
	one.Release(got.emit)
	require.Len(t, got, 3*maxWriters)
	for i, rec := range got {
		require.Equal(t, fmt.Sprintf("(A pid=%d)|engine|%s", i, engine), rec)
	}
	assert.Zero(t, one.Size())
}

// Records of other processes do not wait for an incomplete line, but its own does.
func TestDueBehindPrefixes(t *testing.T) {
	start := time.Now()
	one := newShared(t)
	var got shared
	one.Add([]byte("(A pid=1) "+engine+"a\n"), start, got.emit)
	one.Add([]byte("(B pid=2) "+engine+"b\n"), start, got.emit)
	one.Add([]byte("(B pid=2)   mo"), start, got.emit)
	one.Flush(start.Add(time.Second), time.Second, got.emit)
	assert.Equal(t, shared{"(A pid=1)|engine|" + engine + "a"}, got)
	one.Add([]byte("re\n"), start.Add(2*time.Second), got.emit)
	one.Flush(start.Add(3*time.Second), time.Second, got.emit)
	assert.Equal(t, shared{"(B pid=2)|engine|" + engine + "b\n  more"}, got[1:])
	assert.False(t, one.Waits())
}

// Whatever is written, in whatever pieces, no byte is lost but those of states that were overwritten, prefixes
// and what is not visible; the bounds hold; and a restart at any place changes nothing.
func FuzzAssemble(f *testing.F) {
	f.Add("(A pid=1) "+engine+"one\n(A pid=1) \rLoad: 0%\rLoad: 50%\n(B pid=2) "+engine+"two\n", uint64(1))
	f.Add("\rone: 0%\n\rtwo: 0%\x1b[A\rone: 50%\n", uint64(2))
	f.Add("[rank0]:Traceback (most recent call last):\n[rank0]:  File\r\nx", uint64(3))
	f.Add(engine+"failed\n"+engine+"Traceback (most recent call last):\n"+engine+"  File\n"+engine+"KeyError: a\n"+engine+"\n"+engine+"more\n"+engine+"Traceback (most recent call last):\n", uint64(4))
	f.Add("AAAA 01-01 00:00:00 [0000000:00] \nAA 01-01 00:00:00 [0000000:00]0", uint64(0x3c))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > maxTestRecord/2 {
			return // longer records are cut where the pieces end
		}
		rng := rand.New(rand.NewPCG(seed, 9))
		var want, got shared
		whole, pieces := newShared(t), newShared(t)
		addPieces(text, nil, 0, func(piece []byte) { whole.Add(piece, time.Now(), want.emit) })
		whole.Release(want.emit)
		addPieces(text, rng, seed|1, func(piece []byte) {
			pieces.Add(piece, time.Now(), got.emit)
			if rng.IntN(4) == 0 {
				folded := pieces.Folded
				pieces = restarted(t, pieces)
				pieces.Folded = folded
			}
		})
		pieces.Release(got.emit)
		assert.ElementsMatch(t, want, got)
		assert.Equal(t, whole.Folded, pieces.Folded)
		assert.Zero(t, pieces.Size())
		if !strings.ContainsAny(text, "\r\x1b") && !pieces.prefixed {
			var all strings.Builder
			for _, rec := range got {
				_, rec, _ = strings.Cut(rec[1:], "|")
				all.WriteString(rec + "\n")
			}
			text = strings.ReplaceAll(text, "\x00", "")
			assertLines(t, strings.FieldsFunc(text, isNewline), strings.FieldsFunc(all.String(), isNewline))
		}
	})
}

func isNewline(r rune) bool { return r == '\n' }

// assertLines compares lines that came in with those that went out, where lines of stack traces have lost their
// heads. Of an empty one nothing is left.
func assertLines(t *testing.T, in, out []string) {
	t.Helper()
	format := newShared(t).Formats.Named("engine")
	type place struct {
		in, out int
		head    string
	}
	tried := map[place]bool{}
	// same reports whether the rest of the lines is the same, if those of a record have a head.
	var same func(at place) bool
	same = func(where place) bool {
		if where.in == len(in) {
			return where.out == len(out)
		}
		if tried[where] {
			return false
		}
		tried[where] = true
		line := in[where.in]
		body, headed := cutHead([]byte(line), where.head)
		if headed && len(body) == 0 && same(place{where.in + 1, where.out, where.head}) {
			return true
		}
		if where.out == len(out) {
			return false
		}
		if headed && out[where.out] == string(body) && same(place{where.in + 1, where.out + 1, where.head}) {
			return true
		}
		head := where.head
		if own := format.HeadOf([]byte(line), &logformat.Entry{}); own != "" {
			head = own
		}
		return out[where.out] == line && (same(place{where.in + 1, where.out + 1, where.head}) || same(place{where.in + 1, where.out + 1, head}))
	}
	assert.True(t, same(place{}), "%q came out as %q", in, out)
}

// Tracebacks of a hundred processes in turn, a line each, stay whole.
func TestManyTracebacks(t *testing.T) {
	const processes, lines = 100, 12
	one := newShared(t)
	one.MaxSize = 1 << 20
	var got shared
	for n := range lines {
		for i := range processes {
			line := fmt.Sprintf("(A pid=%d)   File \"x.py\", line %d\n", i, n)
			if n == 0 {
				line = fmt.Sprintf("(A pid=%d) Traceback (most recent call last):\n", i)
			}
			one.Add([]byte(line), time.Now(), got.emit)
		}
	}
	assert.Empty(t, got)
	one.Release(got.emit)
	require.Len(t, got, processes)
	for i, rec := range got {
		assert.True(t, strings.HasPrefix(rec, fmt.Sprintf("(A pid=%d)|none|Traceback", i)), rec)
		assert.Equal(t, lines-1, strings.Count(rec, "\n"), rec)
	}
}

// A file of carriage returns has nothing to deliver, and none of them is held.
func TestOnlyCarriageReturns(t *testing.T) {
	one := newShared(t)
	var got shared
	add := func(text string) { one.Add([]byte(text), time.Now(), got.emit) }
	for range 100 {
		add(strings.Repeat("\r", maxTestRecord))
		require.LessOrEqual(t, one.Size(), 1)
	}
	add("\r\n")
	add("a" + strings.Repeat("\r", 3*maxTestRecord))
	add(strings.Repeat("\r", 3*maxTestRecord) + "\n")
	one.Release(got.emit)
	assert.Equal(t, shared{"|none|a"}, got)
}

// A long text with the form of a prefix is no prefix: the names of writers would grow without a bound.
func TestLongPrefix(t *testing.T) {
	one := newShared(t)
	one.MaxSize = 1 << 20
	var got shared
	one.Add([]byte("(A pid=1) "+engine+"one\n"), time.Now(), got.emit)
	long := "(" + strings.Repeat("x", 1<<19) + " pid=1) " + engine + "two"
	one.Add([]byte(long+"\n"), time.Now(), got.emit)
	one.Release(got.emit)
	assert.ElementsMatch(t, shared{"(A pid=1)|engine|" + engine + "one", "|none|" + long}, got)
}
