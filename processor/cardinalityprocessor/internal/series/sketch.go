package series

import (
	"math"
	"math/bits"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// sketch estimates how many series want a place in a metric, and which attribute makes
// them many. It is made when a limit comes near and is touched by new series only. A nil
// sketch, for which there was no memory, knows nothing.
type sketch struct {
	series [1 << 8]uint64 // up to some 100 000
	keys   []keySketch
}

type keySketch struct {
	key    string
	values [1 << 4]uint64 // up to some 6000
}

// What is looked at: so many attributes, unless their keys are long.
const (
	maxSketchKeys = 16
	maxKeyBytes   = 256
)

// sketchBytes is what a sketch takes.
const sketchBytes = 1<<8*8 + maxSketchKeys*(1<<4*8+maxKeyBytes)

// add notes a new series, and whether it was refused.
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

// refused returns about how many different series were refused a place.
func (s *sketch) refused() int {
	if s == nil {
		return 0
	}
	return countBits(s.series[:])
}

// widest returns the attribute with the most values, and about how many.
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
