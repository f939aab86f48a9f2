// SPDX-License-Identifier: Apache-2.0

package namecache

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCache(t *testing.T) {
	c := New[string, int]()
	assert.Equal(t, 1, c.Put("a", 1, 1))
	assert.Equal(t, 1, c.Put("a", 1, 2), "the first value stays")
	c.Replace("a", 1, 3)
	value, ok := c.Get("a")
	assert.True(t, ok)
	assert.Equal(t, 3, value)
	c.Clear()
	_, ok = c.Get("a")
	assert.False(t, ok)
}

func TestByText(t *testing.T) {
	c, decided := New[string, int](), 0
	decide := func(text string) int { decided++; return len(text) }
	for _, text := range []string{"a", "bb", strings.Repeat("c", MaxLength), strings.Repeat("d", MaxLength+1)} {
		decided = 0
		for range 3 {
			assert.Equal(t, len(text), ByText(c, text, decide))
		}
		if len(text) > MaxLength {
			assert.Equal(t, 3, decided, "long texts are not stored")
		} else {
			assert.Equal(t, 1, decided)
		}
	}
}

// A sender of ever new and of long names fills a cache, but not more.
func TestHostileNamesAreBounded(t *testing.T) {
	c := New[string, int]()
	bytes := 0
	for i := range 3 * maxEntries {
		name := strconv.Itoa(i)
		ByText(c, name, func(string) int { return i })
		ByText(c, name+strings.Repeat("x", MaxLength), func(string) int { return i })
		assert.LessOrEqual(t, c.entries.Size(), maxEntries)
	}
	for name := range c.entries.All() {
		bytes += len(name)
	}
	assert.LessOrEqual(t, bytes, maxEntries*MaxLength)
	c.Put("long", MaxLength+1, 1)
	_, ok := c.Get("long")
	assert.False(t, ok)
}
