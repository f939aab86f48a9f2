// SPDX-License-Identifier: Apache-2.0

package namecache

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// lengths returns a value for each key of a map, and the number of keys that were not known.
func lengths(c *Keys[int], keys ...string) (values []int, decided int) {
	for i, key := range keys {
		value, known := c.At(i, key)
		switch {
		case value == nil:
			values = append(values, len(key))
			decided++
		case !known:
			*value = len(key)
			decided++
			fallthrough
		default:
			values = append(values, *value)
		}
	}
	return values, decided
}

func TestAt(t *testing.T) {
	var c Keys[int]
	long := strings.Repeat("x", MaxLength+1)
	for _, f := range []struct {
		keys    string
		decided int
	}{
		{"a bb ccc", 3},
		{"a bb ccc", 0},
		{"a", 0},
		{"a bb ccc dddd", 1},
		{"a ccc bb dddd", 2},
		{"a " + long + " bb", 1},
		{"a " + long + " bb", 1},
		{"a ccc bb dddd", 0},
		{" a a", 3}, // the empty key comes first
	} {
		keys := strings.Split(f.keys, " ")
		values, decided := lengths(&c, keys...)
		for i, key := range keys {
			assert.Equal(t, len(key), values[i], "%q at %d", key, i)
		}
		assert.Equal(t, f.decided, decided, "%q", f.keys)
	}
}

func TestAtAfterALongKey(t *testing.T) {
	var c Keys[int]
	for range 2 {
		values, decided := lengths(&c, strings.Repeat("x", MaxLength+1), "a")
		assert.Equal(t, []int{MaxLength + 1, 1}, values)
		assert.Equal(t, 2, decided)
	}
}

func TestAtIsBounded(t *testing.T) {
	var c Keys[int]
	keys := make([]string, 10*maxKeys)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
	}
	lengths(&c, keys...)
	assert.Len(t, c.entries, maxKeys)
	_, decided := lengths(&c, keys...)
	assert.Equal(t, len(keys)-maxKeys, decided)
}

func TestKeysByShape(t *testing.T) {
	var s KeysByShape[int]
	one, another := pcommon.NewMap(), pcommon.NewMap()
	one.PutStr("model", "")
	another.PutStr("model_version", "")
	first := s.Of(2, one)
	assert.Same(t, first, s.Of(2, one))
	assert.NotSame(t, s.Of(2, one), s.Of(2, another))
	assert.NotSame(t, s.Of(2, one), s.Of(0, one))
	assert.NotNil(t, s.Of(1, pcommon.NewMap()))
}

// One map is whole: no other one, longer, shorter or with another key, is taken for it.
func TestWhole(t *testing.T) {
	var c Keys[int]
	ask := func(text string) bool {
		keys := strings.Fields(text)
		lengths(&c, keys...)
		return c.IsWhole(len(keys))
	}
	for _, f := range []struct {
		keys  string
		whole bool
	}{
		{"a bb ccc", false},
		{"a bb ccc", true},
		{"a bb", false}, // and is whole
		{"a bb ccc", false},
		{"a bb ccc dddd", false},
		{"a bb ccc dddd", true},
		{"a ee ccc dddd", false},
		{"a bb ccc dddd", false},
		{"a bb ccc dddd", true},
		{"a bb ccc " + strings.Repeat("x", MaxLength+1), false}, // a key that cannot be stored
		{"", false},
	} {
		assert.Equal(t, f.whole, ask(f.keys), "%q", f.keys)
		c.SetWhole(len(strings.Fields(f.keys)))
	}
}

// A map with more keys than the cache has room for is not the whole one, and is no longer known.
func TestWholeBeforeALargeMap(t *testing.T) {
	var c Keys[int]
	keys := make([]string, maxKeys+6)
	for i := range keys {
		keys[i] = fmt.Sprintf("key %d", i)
	}
	lengths(&c, keys[:6]...)
	c.SetWhole(6)
	lengths(&c, keys...)
	assert.False(t, c.IsWhole(len(keys)))
	lengths(&c, keys[:6]...)
	assert.False(t, c.IsWhole(6))
}
