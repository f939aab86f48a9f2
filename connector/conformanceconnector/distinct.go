package conformanceconnector

import (
	"math"
	"math/bits"
)

// estimate is how many different things there are: exactly, or about.
type estimate struct {
	Series int  `json:"series"`
	Exact  bool `json:"exact"`
}

const (
	// exactUpTo is how many are counted exactly.
	exactUpTo = 512
	// registerBits make 2048 registers, with a standard error of 1.04/√2048 = 2.3 %.
	registerBits = 11
)

// distinct counts different hashes: exactly while they are few, then by HyperLogLog
// (Flajolet and others, 2007) in 2 KiB. The zero value has none.
type distinct struct {
	exact     map[uint64]struct{}
	registers []uint8
}

func (d *distinct) add(hash uint64) {
	if d.registers != nil {
		d.register(hash)
		return
	}
	if d.exact == nil {
		d.exact = map[uint64]struct{}{}
	}
	d.exact[hash] = struct{}{}
	if len(d.exact) <= exactUpTo {
		return
	}
	d.registers = make([]uint8, 1<<registerBits)
	for hash := range d.exact {
		d.register(hash)
	}
	d.exact = nil
}

func (d *distinct) register(hash uint64) {
	r := &d.registers[hash>>(64-registerBits)]
	*r = max(*r, uint8(bits.LeadingZeros64(hash<<registerBits|1<<(registerBits-1))+1))
}

func (d *distinct) estimate() estimate {
	if d.registers == nil {
		return estimate{len(d.exact), true}
	}
	const m = 1 << registerBits
	sum, zero := 0.0, 0
	for _, r := range d.registers {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			zero++
		}
	}
	n := 0.7213 / (1 + 1.079/m) * m * m / sum
	if n <= 2.5*m && zero > 0 { // few hashes: count the registers that none hit
		n = m * math.Log(m/float64(zero))
	}
	return estimate{int(math.Round(n)), false}
}
