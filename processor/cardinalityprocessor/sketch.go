package cardinalityprocessor

import (
	"math"
	"math/bits"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// sketch estimates how many series want a place in a family, and which attribute
// makes them many. It is made when a limit comes near and is touched by newcomers
// only. A nil sketch, for which there was no memory, knows nothing.
type sketch struct {
	series [1 << 8]uint64 // up to some 100 000
	keys   []keySketch
}

type keySketch struct {
	key    string
	values [1 << 4]uint64 // up to some 6000
}

// maxSketchKeys bounds the attributes that are looked at.
const maxSketchKeys = 16

// sketchBytes is what a sketch takes.
const sketchBytes = 1<<8*8 + maxSketchKeys*(1<<4*8+maxMemoKey)

// add notes a newcomer, and whether it was refused.
func (s *sketch) add(seed uint64, id attrhash.Hash, attrs pcommon.Map, keys *keyRules, refused bool) {
	if s == nil {
		return
	}
	if refused {
		setBit(s.series[:], id.Hi)
	}
	for key, value := range attrs.All() {
		if k := s.key(key); k != nil && !keys.drops(key) {
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
	if len(s.keys) == maxSketchKeys || len(key) > maxMemoKey {
		return nil
	}
	s.keys = append(s.keys, keySketch{key: strings.Clone(key)})
	return &s.keys[len(s.keys)-1]
}

// refused is about how many different series were refused a place.
func (s *sketch) refused() int {
	if s == nil {
		return 0
	}
	return countBits(s.series[:])
}

// widest is the attribute with the most values, and about how many.
func (s *sketch) widest() (key string, values int) {
	if s == nil {
		return "", 0
	}
	for i := range s.keys {
		if n := countBits(s.keys[i].values[:]); n > values {
			key, values = s.keys[i].key, n
		}
	}
	return key, values
}

func setBit(bitmap []uint64, hash uint64) {
	i := hash % uint64(64*len(bitmap))
	bitmap[i/64] |= 1 << (i % 64)
}

// countBits estimates the distinct hashes behind a bitmap by linear counting
// (Whang, Vander-Zanden and Taylor, 1990): from the share of bits that none hit.
func countBits(bitmap []uint64) int {
	size, zero := 64*len(bitmap), 0
	for _, word := range bitmap {
		zero += bits.OnesCount64(^word)
	}
	return int(math.Round(float64(size) * math.Log(float64(size)/float64(max(zero, 1)))))
}
