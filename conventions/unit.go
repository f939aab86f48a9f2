package conventions

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
