// SPDX-License-Identifier: Apache-2.0

package livetail

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// itemOf returns an item of fields "place key=value".
func itemOf(fields ...string) (item Item) {
	for _, f := range fields {
		place, rest, _ := strings.Cut(f, " ")
		key, value, _ := strings.Cut(rest, "=")
		item.Add(Place(place), key, value)
	}
	return item
}

// text returns rows as "mark place before > after".
func text(rows []Row) (all []string) {
	field := func(f *Field) string {
		if f == nil {
			return "-"
		}
		return f.Key + "=" + f.Value
	}
	for _, r := range rows {
		all = append(all, fmt.Sprintf("%s %s %s > %s", r.Mark, r.Place, field(r.Before), field(r.After)))
	}
	return all
}

func TestCompare(t *testing.T) {
	f := func(before, after []string, changed bool, want ...string) {
		t.Helper()
		var p Pair
		assert.Equal(t, changed, p.Compare(itemOf(before...), itemOf(after...)))
		assert.Equal(t, want, text(p.Rows))
	}
	f(nil, nil, false)
	f([]string{"name =a", "attribute k=v"}, []string{"name =a", "attribute k=v"}, false,
		"same name - > =a", "same attribute - > k=v")
	f([]string{"name =a"}, []string{"name =b"}, true, "changed name =a > =b")
	f([]string{"attribute model_id=m"}, []string{"attribute tc.model.id=m"}, true,
		"renamed attribute model_id=m > tc.model.id=m")
	// Two with one value keep their order, and an attribute whose key stays is not one that was renamed.
	f([]string{"attribute a=1", "attribute b=1", "attribute c=1"}, []string{"attribute c=1", "attribute y=1", "attribute z=1"}, true,
		"renamed attribute a=1 > y=1", "renamed attribute b=1 > z=1", "same attribute - > c=1")
	f([]string{"attribute a=1"}, []string{"attribute a=2", "attribute b=1"}, true,
		"changed attribute a=1 > a=2", "added attribute - > b=1")
	f([]string{"attribute a=1", "attribute b=2"}, []string{"attribute b=2"}, true,
		"removed attribute a=1 > -", "same attribute - > b=2")
	// A field does not move from one place to another.
	f([]string{"attribute trace_id=1"}, []string{"trace_id =1"}, true,
		"removed attribute trace_id=1 > -", "added trace_id - > =1")
	f([]string{"attribute a=1"}, []string{"attribute a=1", "link x/y=rule=r"}, true,
		"same attribute - > a=1", "added link - > x/y=rule=r")
	// The same key twice is two fields.
	f([]string{"attribute a=1", "attribute a=2"}, []string{"attribute a=1"}, true,
		"same attribute - > a=1", "removed attribute a=2 > -")
}

// TestCutItemsClaimNothing checks that what was left out of an item is not said to be added or removed.
func TestCutItemsClaimNothing(t *testing.T) {
	long := make([]string, MaxFields+1)
	for i := range long {
		long[i] = fmt.Sprintf("attribute %d=%d", i, i)
	}
	var p Pair
	assert.True(t, p.Compare(itemOf(long...), itemOf(long[1:]...)))
	assert.True(t, p.Cut)
	assert.Len(t, p.Rows, MaxFields)
	assert.Equal(t, "removed attribute 0=0 > -", text(p.Rows)[0])
}

func FuzzItem(f *testing.F) {
	f.Add("attribute", "key", "value", 3)
	f.Add("body", "", strings.Repeat("ü", MaxBody), 100)
	f.Add("resource", "\xff\u202e", "\x00", 1000)
	f.Fuzz(func(t *testing.T, place, key, value string, n int) {
		var before, after Item
		for i := range min(n, 1000) {
			before.Add(Place(place), fmt.Sprint(key, i%7), value)
			after.Add(Place(place), key, fmt.Sprint(i, value))
		}
		for _, item := range []Item{before, after} {
			assert.LessOrEqual(t, item.bytes, maxItem)
			for _, fields := range item.fields {
				assert.LessOrEqual(t, len(fields), MaxFields)
				for _, f := range fields {
					assert.LessOrEqual(t, len(f.Key), MaxText)
					assert.LessOrEqual(t, len(f.Value), MaxBody)
					assert.True(t, utf8.ValidString(f.Key+f.Value) || !utf8.ValidString(key+value), "cut within a character")
				}
			}
		}
		var p Pair
		p.Compare(before, after)
		assert.LessOrEqual(t, len(p.Rows), 2*MaxFields)
		body, err := json.Marshal(p)
		require.NoError(t, err)
		assert.Less(t, len(body), 16*maxItem)
	})
}
