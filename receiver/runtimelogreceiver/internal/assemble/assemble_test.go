// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
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

// Each file of testdata/lines, and of testdata/shared for a stream of several processes, becomes the records of its
// .txt, in whatever pieces it comes. UPDATE_GOLDEN=1 writes the .txt.
func TestFiles(t *testing.T) {
	for dir, assembler := range map[string]func(testing.TB) *Assembler{"lines": newAssembler, "shared": newShared} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*.log"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			t.Run(file, func(t *testing.T) {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				want := records(assembler(t), string(text), 0)
				testfiles.Golden(t, strings.TrimSuffix(file, ".log")+".txt", want)
				for seed := range uint64(12) {
					require.Equal(t, want, records(assembler(t), string(text), seed), "seed %d", seed)
				}
			})
		}
	}
}

// records returns the records of a text that comes in pieces, and the number of folded states.
func records(a *Assembler, text string, seed uint64) string {
	var all strings.Builder
	emit := func(rec Record) {
		name := "none"
		if rec.Format != nil {
			name = rec.Format.Name
		}
		fmt.Fprintf(&all, "%q %s %q\n", rec.Prefix, name, rec.Text)
	}
	addPieces(text, rand.New(rand.NewPCG(seed, 1)), seed, func(piece []byte) {
		a.Number++
		a.Add(piece, time.Now(), emit)
	})
	a.Release(emit)
	fmt.Fprintf(&all, "%d states folded, %d bytes held\n", a.Folded, a.Size())
	return all.String()
}

func TestRecordsOfPieces(t *testing.T) {
	for name, test := range map[string]struct {
		pieces []string
		want   collected
	}{
		"the second line of java.util.logging comes in parts": {
			[]string{jul, "INF", "O: on", "e\n", jul},
			collected{"java_util_logging|" + jul + "INFO: one"},
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
