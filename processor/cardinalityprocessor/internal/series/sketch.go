// SPDX-License-Identifier: Apache-2.0

package series

import (
	"math"
	"math/bits"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// sketch estimates how many series a metric's limit refuses, and which attribute has the
// most values. It is created when a quarter of a limit is used, and only new series update it. All
// methods work on a nil sketch, for which there was no memory.
type sketch struct {
	series [1 << 8]uint64 // estimates up to about 100 000
	keys   []keySketch
}

type keySketch struct {
	key    string
	values [1 << 4]uint64 // estimates up to about 6000
}

// The attributes that a sketch estimates. It skips longer keys.
const (
	maxSketchKeys = 16
	maxKeyBytes   = 256
)

// sketchBytes is the memory of a sketch.
const sketchBytes = 1<<8*8 + maxSketchKeys*(1<<4*8+maxKeyBytes)

// add adds a new series and the values of its attributes.
func (s *sketch) add(seed uint64, id attrhash.Hash, attrs pcommon.Map, keys *plan.Keys, refused bool) {
	if s == nil {
		return
	}
	if refused {
		setBit(s.series[:], id.Hi)
	}
	for key, value := range attrs.All() {
		if k := s.key(key); k != nil && !keys.Drops(key) {
			setBit(k.values[:], attrhash.Value(seed, value).Hi)
		}
	}
}

func (s *sketch) key(key string) *keySketch {
	for i := range s.keys {
		if s.keys[i].key == key {
			return &s.keys[i]
		}
	}
	if len(s.keys) == maxSketchKeys || len(key) > maxKeyBytes {
		return nil
	}
	s.keys = append(s.keys, keySketch{key: strings.Clone(key)})
	return &s.keys[len(s.keys)-1]
}

// refused estimates the number of different series that were refused.
func (s *sketch) refused() int {
	if s == nil {
		return 0
	}
	return countBits(s.series[:])
}

// widest returns the attribute with the most values, and estimates their number. It returns none if each attribute had
// one value only.
func (s *sketch) widest() (key string, values int) {
	if s == nil {
		return "", 0
	}
	for i := range s.keys {
		if n := countBits(s.keys[i].values[:]); n > max(values, 1) {
			key, values = s.keys[i].key, n
		}
	}
	return key, values
}

func setBit(bitmap []uint64, hash uint64) {
	i := hash % uint64(64*len(bitmap))
	bitmap[i/64] |= 1 << (i % 64)
}

// countBits estimates the number of distinct hashes in a bitmap from its share of zero bits:
// linear counting (Whang, Vander-Zanden and Taylor, 1990).
func countBits(bitmap []uint64) int {
	size, zero := 64*len(bitmap), 0
	for _, word := range bitmap {
		zero += bits.OnesCount64(^word)
	}
	return int(math.Round(float64(size) * math.Log(float64(size)/float64(max(zero, 1)))))
}
