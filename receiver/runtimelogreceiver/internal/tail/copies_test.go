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
			require.Eventually(t, func() bool { r.Tailer.mu.Lock(); defer r.Tailer.mu.Unlock(); return len(r.copies) == 1 }, time.Minute, time.Millisecond)
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
	// same compares size bytes, of which one differs if the index is not negative.
	same := func(size, index int) bool {
		if index >= 0 {
			b[index] = 'y'
			defer func() { b[index] = 'x' }()
		}
		isSame, blocks := tailer.same(bytes.NewReader(a), bytes.NewReader(b), int64(size))
		assert.Less(t, blocks, sampledBlocks)
		return isSame
	}
	const whole = sampledBlocks * blockBytes
	for _, size := range []int{1, 2020, blockBytes - 1, blockBytes, blockBytes + 1, 3*blockBytes - 2, whole - 1, whole} {
		assert.True(t, same(size, -1))
		assert.True(t, same(size, size), "after the compared bytes")
		for index := 0; index < size; index += 1 + size/400 {
			assert.False(t, same(size, index), "%d of %d", index, size)
		}
		assert.False(t, same(size, size-1))
		for block := blockBytes; block < size; block += blockBytes { // the blocks overlap or touch
			assert.False(t, same(size, block-1), "before %d of %d", block, size)
			assert.False(t, same(size, block), "at %d of %d", block, size)
		}
	}
	assert.True(t, same(len(a), -1))
	assert.False(t, same(len(a), 0))
	assert.False(t, same(len(a), 13*blockBytes+100), "in one of the blocks between")
	assert.False(t, same(len(a), len(a)-1))
	// A file that is shorter than the copy is not its original.
	isSame, _ := tailer.same(strings.NewReader("12"), strings.NewReader("123"), 3)
	assert.False(t, isSame)
}
