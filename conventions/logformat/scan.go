// SPDX-License-Identifier: Apache-2.0

package logformat

import "math"

// integer parses an integer of 64 bits. It returns its end, or -1.
func integer(line string, pos int) (n int64, end int) {
	negative := pos < len(line) && line[pos] == '-'
	if negative {
		pos++
	}
	start := pos
	for ; pos < len(line) && line[pos]-'0' <= 9; pos++ {
		digit := int64(line[pos] - '0')
		if n > (math.MaxInt64-digit)/10 {
			return 0, -1
		}
		n = n*10 + digit
	}
	if pos == start {
		return 0, -1
	}
	if negative {
		n = -n
	}
	return n, pos
}

// letters returns the end of the ASCII letters that begin at pos.
func letters(line string, pos int) int {
	for pos < len(line) && (line[pos]|0x20)-'a' < 26 {
		pos++
	}
	return pos
}
