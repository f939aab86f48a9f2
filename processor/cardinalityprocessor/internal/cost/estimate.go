package cost

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Estimate is what is known of a metric.
type Estimate struct {
	Series     int // without the attributes that the plan removes
	Attributes []Attribute
}

// Attribute is what one attribute contributes to the series.
type Attribute struct {
	Key     string
	Removed plan.Removal
	Values  int
	Exact   bool
	Samples []string
	// Without is the number of series without the attribute, too. For a removed one it is Estimate.Series.
	Without int
}

// estimate returns the estimate of the window: the attribute first without which the fewest series remain.
func (w *window) estimate() (e Estimate) {
	e.Series, _ = w.series.Estimate()
	for _, of := range w.keys {
		a := Attribute{Key: of.key, Removed: of.removed, Samples: of.samples, Without: e.Series}
		a.Values, a.Exact = of.values.Estimate()
		// Without room for a sketch, nothing is known.
		if of.removed == plan.Kept && !of.without.Full() {
			n, _ := of.without.Estimate()
			a.Without = min(n, e.Series)
		}
		e.Attributes = append(e.Attributes, a)
	}
	slices.SortFunc(e.Attributes, func(a, b Attribute) int {
		return cmp.Or(a.Without-b.Without, b.Values-a.Values, strings.Compare(a.Key, b.Key))
	})
	return e
}
