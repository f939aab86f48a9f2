// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

var notUTF8 = []string{"\xff", "a\xffb", "\xe2\x82", "\xe2\x82b", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\x80", "ä\xc3"}

func TestJSONIsUTF8(t *testing.T) {
	f := func(text string, want Rule) {
		t.Helper()
		for _, chunk := range []int{1, 2, math.MaxInt} {
			assert.Equal(t, want, feed(NewJSON(unlimited), []byte(`{"a":"`+text+`"}`), chunk), "%q", text)
		}
	}
	for _, text := range notUTF8 {
		f(text, NotUTF8)
	}
	f("äöü€😀", None)
	f(`\ud800`, None) // pdata replaces it by U+FFFD
}
