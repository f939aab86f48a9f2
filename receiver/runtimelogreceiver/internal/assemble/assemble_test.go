// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
)

const maxTestRecord = 2048

func newAssembler(t testing.TB) *Assembler {
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	formats, err := logformat.New(packs)
	require.NoError(t, err)
	return &Assembler{Formats: formats, MaxSize: maxTestRecord}
}

// collected collects records as texts.
type collected []string

func (c *collected) emit(rec Record) {
	format := "none"
	if rec.Format != nil {
		format = rec.Format.Name
	}
	*c = append(*c, format+"|"+string(rec.Text))
}

const jul = "Nov 22, 2026 10:00:00 AM com.example.Shop main\n"

const cpp = "2026-11-21T10:00:00.000000001+00:00 I tid=7 store.cc:12 "

func TestRecordsOfLines(t *testing.T) {
	for name, test := range map[string]struct {
		pieces []string
		want   collected
	}{
		"a line is held until the next one": {
			[]string{cpp + "one\n", cpp + "two\n"},
			collected{"tensorcast_cpp|" + cpp + "one"},
		},
		"continuation lines, with an empty one": {
			[]string{cpp + "one\n", "  more\n", "\n", "end\r\n", cpp + "two\n"},
			collected{"tensorcast_cpp|" + cpp + "one\n  more\n\nend"},
		},
		"nothing joins what no format knows": {
			[]string{"one\n", "two\n", "\n"},
			collected{"none|one", "none|two"},
		},
		"two lines of java.util.logging": {
			[]string{jul, "INFO: one\n", jul, "SEVERE: two\n", "more\n", jul, "no level\n", "INFO: three\n", "end\n"},
			collected{"java_util_logging|" + jul + "INFO: one", "java_util_logging|" + jul + "SEVERE: two\nmore", "java_util_logging|" + jul + "no level"},
		},
		"the second line of java.util.logging comes in parts": {
			[]string{jul, "INF", "O: on", "e\n", jul},
			collected{"java_util_logging|" + jul + "INFO: one"},
		},
		"a traceback that no logger wrote": {
			[]string{"plain\n", "Traceback (most recent call last):\n", "  File \"x.py\", line 1\n", "ValueError: x\n", "\n",
				"During handling of the above exception, another exception occurred:\n", "\n", "Traceback (most recent call last):\n", "  File\n", "KeyError: y\n", "plain\n"},
			collected{"none|plain", "none|Traceback (most recent call last):\n  File \"x.py\", line 1\nValueError: x\n\n" +
				"During handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File\nKeyError: y", "none|plain"},
		},
		"a group of exceptions": {
			[]string{"  + Exception Group Traceback (most recent call last):\n", "  |   File \"x.py\", line 1\n", "  | ExceptionGroup: x (1 sub-exception)\n", "  +-+---------------- 1 ----------------\n",
				"    | Traceback (most recent call last):\n", "    | ValueError: y\n", "    +------------------------------------\n", `{"msg":"b"}` + "\n"},
			collected{"none|  + Exception Group Traceback (most recent call last):\n  |   File \"x.py\", line 1\n  | ExceptionGroup: x (1 sub-exception)\n  +-+---------------- 1 ----------------\n" +
				"    | Traceback (most recent call last):\n    | ValueError: y\n    +------------------------------------", `json|{"msg":"b"}`},
		},
		"an exception of a thread of Python": {
			[]string{"Exception in thread Thread-1 (f):\n", "Traceback (most recent call last):\n", "  File\n", "KeyError: y\n", "plain\n"},
			collected{"none|Exception in thread Thread-1 (f):\nTraceback (most recent call last):\n  File\nKeyError: y", "none|plain"},
		},
		"a warning of Python": {
			[]string{"/x/y.py:12: UserWarning: old\n", "  warnings.warn(\n", "plain\n", "plain\n"},
			collected{"python_warning|/x/y.py:12: UserWarning: old\n  warnings.warn(", "none|plain", "none|plain"},
		},
		"a panic behind JSON": {
			[]string{`{"msg":"a"}` + "\n", "panic: x\n", "\n", "goroutine 8 [running]:\n", "main.main()\n", "\t/app/main.go:7 +0x28\n", "created by main.main in goroutine 1\n",
				"\t/app/main.go:5\n", "exit status 2\n", `{"msg":"b"}` + "\n"},
			collected{`json|{"msg":"a"}`, "none|panic: x\n\ngoroutine 8 [running]:\nmain.main()\n\t/app/main.go:7 +0x28\ncreated by main.main in goroutine 1\n\t/app/main.go:5\nexit status 2", `json|{"msg":"b"}`},
		},
		"an exception of Java": {
			[]string{"Exception in thread \"main\" java.lang.X: y\n", "\tat a.B.c(B.java:7)\n", "Caused by: java.lang.Z\n", "\t... 1 more\n", "Killed\n", "plain\n"},
			collected{"none|Exception in thread \"main\" java.lang.X: y\n\tat a.B.c(B.java:7)\nCaused by: java.lang.Z\n\t... 1 more\nKilled", "none|plain"},
		},
		"a format that does not join": {
			[]string{`{"msg":"a"}` + "\n", "Killed\n"},
			collected{`json|{"msg":"a"}`, "none|Killed"},
		},
		"a line in pieces": {
			[]string{cpp[:9], cpp[9:] + "on", "e\n", cpp + "two\n"},
			collected{"tensorcast_cpp|" + cpp + "one"},
		},
		"a record ends when the next one has visibly begun": {
			[]string{cpp + "one\n", cpp + "tw"},
			collected{"tensorcast_cpp|" + cpp + "one"},
		},
		"the beginning of a line is not a record": {
			[]string{cpp + "one\n", cpp[:20]},
			nil,
		},
		"a line longer than a record": {
			[]string{strings.Repeat("a", maxTestRecord), strings.Repeat("b", maxTestRecord), "c\n", "d\n"},
			collected{"none|" + strings.Repeat("a", maxTestRecord), "none|" + strings.Repeat("b", maxTestRecord), "none|c", "none|d"},
		},
		"a line just as long as a record": {
			[]string{strings.Repeat("a", maxTestRecord), "\n", "d\n"},
			collected{"none|" + strings.Repeat("a", maxTestRecord), "none|d"},
		},
		"more lines than a record takes": {
			[]string{cpp + "one\n", strings.Repeat("a", 1500) + "\n", strings.Repeat("b", 1500) + "\n", "c\n"},
			collected{"tensorcast_cpp|" + cpp + "one\n" + strings.Repeat("a", 1500), "none|" + strings.Repeat("b", 1500), "none|c"},
		},
		"the rest of a long line is no head": {
			[]string{strings.Repeat("a", maxTestRecord), cpp + "one\n", cpp + "two\n"},
			collected{"none|" + strings.Repeat("a", maxTestRecord), "none|" + cpp + "one"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAssembler(t)
			var got collected
			for _, piece := range test.pieces {
				a.Add([]byte(piece), time.Now(), got.emit)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// However a text is split into pieces, the records are the same, and their texts are the text
// without empty lines at their ends.
func TestPiecesDoNotMatter(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		for i := range 1 + rng.IntN(30) {
			switch rng.IntN(6) {
			case 0:
				fmt.Fprintf(&text, "%s%d\n", cpp, i)
			case 1:
				fmt.Fprintf(&text, "INFO 11-21 10:00:01 [t] trace_id=- span_id=- s.py:8: %d\n", i)
			case 2:
				fmt.Fprintf(&text, "{\"msg\":\"%d\"}\n", i)
			case 3:
				fmt.Fprintf(&text, "  at %d\n", i)
			case 4:
				text.WriteString("\n")
			default:
				fmt.Fprintf(&text, "%s%d\n", strings.Repeat("x", rng.IntN(600)), i)
			}
		}
		whole, pieces := newAssembler(t), newAssembler(t)
		var want, got collected
		for line := range strings.SplitAfterSeq(text.String(), "\n") {
			if line != "" {
				whole.Add([]byte(line), time.Now(), want.emit)
			}
		}
		for rest := text.String(); rest != ""; {
			end := min(1+rng.IntN(80), len(rest))
			if newline := strings.IndexByte(rest, '\n'); newline >= 0 {
				end = min(end, newline+1)
			}
			pieces.Add([]byte(rest[:end]), time.Now(), got.emit)
			rest = rest[end:]
		}
		whole.Release(want.emit)
		pieces.Release(got.emit)
		require.Equal(t, want, got, "seed %d", seed)
		var lines []string
		for _, rec := range want {
			_, body, _ := strings.Cut(rec, "|")
			lines = append(lines, strings.Split(body, "\n")...)
		}
		require.Equal(t, filled(strings.Split(text.String(), "\n")), filled(lines), "seed %d", seed)
	}
}

func filled(lines []string) (kept []string) {
	for _, line := range lines {
		if line != "" {
			kept = append(kept, line)
		}
	}
	return kept
}

func TestDue(t *testing.T) {
	start := time.Now()
	a := newAssembler(t)
	var got collected
	due := func(after time.Duration) bool { return a.Due(start.Add(after), time.Second) }
	assert.False(t, due(time.Hour))
	a.Add([]byte(cpp+"one\n"), start, got.emit)
	assert.False(t, due(time.Second-1))
	assert.True(t, due(time.Second))
	a.Add([]byte("  mor"), start, got.emit)
	assert.False(t, due(time.Minute-1), "the beginning of a line waits for its rest")
	assert.True(t, due(time.Minute))
	a.Release(got.emit)
	assert.False(t, due(time.Hour))
	assert.Equal(t, collected{"tensorcast_cpp|" + cpp + "one\n  mor"}, got)
}

// Lines of a known file cost no more allocations than what the record keeps: its text,
// and what pdata needs for an attribute.
func TestAllocationsOfLines(t *testing.T) {
	a := newAssembler(t)
	line := []byte(cpp + strings.Repeat("x", 100) + "\n")
	emit := func(Record) {}
	now := time.Now()
	a.Add(line, now, emit)
	if got := testing.AllocsPerRun(100, func() { a.Add(line, now, emit) }); got > 0 {
		t.Errorf("making records of lines: %v allocations a line, want none", got)
	}
}
