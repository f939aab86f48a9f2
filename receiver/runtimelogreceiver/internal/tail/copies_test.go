// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tail

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two files that differ only in their middle are both read. A file that is equal throughout is
// a copy.
func TestFilesThatDifferInTheMiddle(t *testing.T) {
	for _, around := range []int{999, 400_000} {
		t.Run(fmt.Sprint(around), func(t *testing.T) {
			text := func(middle string) string {
				return strings.Repeat("B", around) + "\n" + strings.Repeat(middle, 20)[:19] + "\n" + strings.Repeat("E", around) + "\n"
			}
			r := newRig(t, nil)
			r.write("a/0.log", text("middle0"))
			r.write("a/1.log", text("middle1"))
			r.start()
			r.awaitText("0.log", text("middle0"))
			r.awaitText("1.log", text("middle1"))
			r.write("a/2.log", text("middle2"))
			r.awaitText("2.log", text("middle2"))
			r.write("a/3.log", text("middle1"))
			require.Eventually(t, func() bool { r.Tailer.mu.Lock(); defer r.Tailer.mu.Unlock(); return len(r.copies) == 1 }, 10*time.Second, time.Millisecond)
			assert.Empty(t, r.text("3.log"))
		})
	}
}

// Up to 1 MiB, every byte of a file is compared. Of a longer file, both ends and blocks between
// them are compared, with as much work.
func TestSame(t *testing.T) {
	tailer := &Tailer{}
	a := bytes.Repeat([]byte("x"), 40*blockBytes)
	b := bytes.Clone(a)
	// f compares size bytes, one of which differs.
	f := func(size, at int, want bool) {
		t.Helper()
		if at >= 0 {
			b[at] = 'y'
			defer func() { b[at] = 'x' }()
		}
		got, blocks := tailer.same(bytes.NewReader(a), bytes.NewReader(b), int64(size))
		if got != want || blocks >= sampledBlocks {
			assert.Fail(t, "not as wanted", "%d of %d: %t after %d blocks", at, size, got, blocks)
		}
	}
	const whole = sampledBlocks * blockBytes
	for _, size := range []int{1, 2020, blockBytes - 1, blockBytes, blockBytes + 1, 3*blockBytes - 2, whole - 1, whole} {
		f(size, -1, true)
		f(size, size, true) // after the compared blocks
		for at := 0; at < size; at += max(1, size/200) {
			f(size, at, false)
		}
		f(size, size-1, false)
		// The blocks overlap or touch: no byte around their ends is left out.
		for block := blockBytes; block < size; block += blockBytes {
			for at := max(0, block-20); at < min(size, block+20); at++ {
				f(size, at, false)
			}
		}
	}
	large := len(a)
	f(large, -1, true)
	f(large, 0, false)
	f(large, large-1, false)
	sampled := 0
	for at := blockBytes / 2; at < large; at += blockBytes {
		b[at] = 'y'
		if isSame, _ := tailer.same(bytes.NewReader(a), bytes.NewReader(b), int64(large)); !isSame {
			sampled++
		}
		b[at] = 'x'
	}
	assert.InDelta(t, sampledBlocks, sampled, 2)

	// A file that is shorter than the copy is not its original.
	isSame, _ := tailer.same(strings.NewReader("12"), strings.NewReader("123"), 3)
	assert.False(t, isSame)
}
