// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSeparators checks all bytes, at each index of a word and beside each byte.
func TestSeparators(t *testing.T) {
	for one := range 256 {
		for other := range 256 {
			text := strings.Repeat(string([]byte{byte(one), byte(other)}), 4)
			var want uint64
			for i := range len(text) {
				if strings.IndexByte(":;<=[{", text[i]) >= 0 {
					want |= 0x80 << (8 * i)
				}
			}
			assert.Equal(t, want, separators(bytesAt(text, 0)), text)
		}
	}
}

func TestBytesAt(t *testing.T) {
	const text = "0123456789"
	for length := range len(text) + 1 {
		for at := range length {
			var want [8]byte
			copy(want[:], text[at:length])
			got := bytesAt(text[:length], at)
			for i := range want {
				assert.Equal(t, want[i], byte(got>>(8*i)))
			}
		}
	}
}

// TestSixteenDigits checks each byte at each index, and random digits.
func TestSixteenDigits(t *testing.T) {
	f := func(digits string) {
		var want uint64
		_, err := fmt.Sscanf(digits, "%016x", &want)
		isHex := strings.Trim(digits, "0123456789abcdefABCDEF") == ""
		n, ok := sixteenDigits(digits)
		assert.Equal(t, isHex, ok, digits)
		if isHex {
			assert.NoError(t, err)
			assert.Equal(t, want, n, digits)
		}
	}
	for octet := range 256 {
		for at := range 16 {
			digits := []byte("00f067aa0ba902b7")
			digits[at] = byte(octet)
			f(string(digits))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := r.Uint64()
		f(fmt.Sprintf("%016x", n))
		f(fmt.Sprintf("%016X", n))
	}
}
