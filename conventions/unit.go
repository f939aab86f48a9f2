// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"cmp"
	"strings"
)

// units are the UCUM units with conversions. Each unit is a multiple or a fraction of its base unit. Both
// factors are integers, so that conversions are exact where possible.
var units = map[string]struct {
	base     string
	multiply float64
	divide   float64
}{
	"s":    {"s", 1, 1},
	"ms":   {"s", 1, 1e3},
	"us":   {"s", 1, 1e6},
	"ns":   {"s", 1, 1e9},
	"min":  {"s", 60, 1},
	"By":   {"By", 1, 1},
	"KiBy": {"By", 1 << 10, 1},
	"MiBy": {"By", 1 << 20, 1},
	"GiBy": {"By", 1 << 30, 1},
	"1":    {"1", 1, 1},
	"%":    {"1", 1, 100},
}

// Conversion converts values from one unit to another.
type Conversion struct{ multiply, divide float64 }

// Convert returns the conversion from one unit to another, and whether there is one.
func Convert(from, to string) (Conversion, bool) {
	f, knownFrom := units[from]
	t, knownTo := units[to]
	if !knownFrom || !knownTo || f.base != t.base {
		return Conversion{}, false
	}
	return Conversion{multiply: f.multiply * t.divide, divide: f.divide * t.multiply}, true
}

// Apply converts one value.
func (c Conversion) Apply(value float64) float64 { return value * c.multiply / c.divide }

// Stated returns the unit of a metric's values: the one that the metric states, if it has the
// dimension of the rule's unit, or the rule's.
func (r *MetricRule) Stated(unit string) string {
	if _, ok := Convert(unit, r.Unit); ok || r.Unit == "" {
		return unit
	}
	return r.Unit
}

// ucum are the units of UCUM for words that programs write.
var ucum = map[string]string{
	"byte": "By", "bytes": "By", "kilobytes": "kBy", "megabytes": "MBy",
	"second": "s", "seconds": "s", "sec": "s", "milliseconds": "ms", "millis": "ms", "microseconds": "us", "nanoseconds": "ns",
	"minutes": "min", "hours": "h", "percent": "%", "celsius": "Cel", "volts": "V", "watts": "W", "joules": "J",
}

// UCUM returns the unit of UCUM for a word that programs write, and whether there is one.
func UCUM(word string) (unit string, ok bool) {
	unit, ok = ucum[word]
	return unit, ok
}

// Stated returns the unit of the values of a metric that states a unit. It is not ok if that is a unit of another
// dimension than the rule's, so that nobody knows what the values are.
func (r *AlsoRule) Stated(unit string) (real string, ok bool) {
	if r.Unit == "" {
		return unit, true
	}
	real = cmp.Or(ucum[unit], unit)
	if _, ok := Convert(real, r.Unit); ok {
		return real, true
	}
	// Numbers of things have no dimension: 1, {token}, or a word for what is counted.
	counted := isNumber(r.Unit) && (isNumber(real) || ucum[unit] == "" && units[unit].base == "")
	return r.Unit, real == "" || real == r.Unit || counted
}

// Target returns the unit of the copies of a metric that states a unit: that of Convert, else of Unit, else the
// metric's.
func (r *AlsoRule) Target(unit string) string { return cmp.Or(r.Convert, r.Unit, unit) }

func isNumber(unit string) bool { return unit == "1" || strings.HasPrefix(unit, "{") }
