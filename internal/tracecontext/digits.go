// SPDX-License-Identifier: Apache-2.0

package tracecontext

// digitTables contain the values of hexadecimal digits, shifted to each of four positions of a
// number, and notDigit for all other bytes. Parsing takes much of the time of a record with
// ids, and the tables leave only an OR of four values.
var digitTables = func() (tables [4][256]uint32) {
	for place := range tables {
		for octet, value := range nibbles {
			tables[place][octet] = notDigit
			if value != notHex {
				tables[place][octet] = uint32(value) << (4 * (len(tables) - 1 - place))
			}
		}
	}
	return tables
}()

const notDigit = 1 << 16

// sixteenDigits parses 16 hexadecimal digits.
func sixteenDigits(digits string) (n uint64, ok bool) {
	a, b, c, d := fourDigits(digits[:4]), fourDigits(digits[4:8]), fourDigits(digits[8:12]), fourDigits(digits[12:16])
	return uint64(a)<<48 | uint64(b)<<32 | uint64(c)<<16 | uint64(d), a|b|c|d < notDigit
}

func fourDigits(digits string) uint32 {
	t := &digitTables
	return t[0][digits[0]] | t[1][digits[1]] | t[2][digits[2]] | t[3][digits[3]]
}
