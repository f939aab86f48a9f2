// SPDX-License-Identifier: Apache-2.0

package content

import (
	"encoding/binary"
	"hash/maphash"
)

// StreamKey is the attribute of data points whose attributes lost a value. Points that differed only by this
// value are still different streams, which cardinality adds up when it drops the attribute. Its value is the
// sum of the numbers that Stream returns, in hexadecimal.
const StreamKey = "tc.content.stream"

// TextKey begins the keys of values whose keys were texts.
const TextKey = "tc.content.key."

// streamSeed begins the hashes of Stream.
var streamSeed = maphash.MakeSeed()

// Stream returns a number for a value that a data point lost. With a hash key, the number is the same after a
// restart. Without one it differs for each process, so that nobody can check a guess of the value.
func (p *Policy) Stream(key, value string) uint64 {
	text := key + "\x00" + value
	if len(p.replacer.key) == 0 {
		return maphash.String(streamSeed, text)
	}
	return binary.BigEndian.Uint64(p.replacer.sum(text))
}
