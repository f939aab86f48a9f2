// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

const (
	// LimitedValues is the number of values for which Attribute.Limited holds.
	LimitedValues = 20
	// manyValues is the least number of values that are suspected to be ids, if most series have one of their own.
	manyValues = 100
	// someValues is the least number of values that are suspected to be ids, if they look like ids.
	someValues = 10
)

// Estimate is what is known of a metric.
type Estimate struct {
	Series  int // without the attributes that the plan removes
	Streams int // that it was made of
	Crowded bool
	// Attributes are those of the points. Those come first without which the fewest series would remain.
	Attributes []Attribute
}

// Attribute is what one attribute contributes to the series. Without its Fixes it is what the page shows.
type Attribute struct {
	conformance.CostAttribute
	// Limited is the number of series with LimitedValues values of the attribute, and one for all others. It is 0 if
	// there are no others.
	Limited int
}

// Estimate returns what is known of the metric: that of the current window, or of the previous one if the current
// one has not seen its series yet, so that the numbers do not drop when a window begins.
func (m *Metric) Estimate() Estimate {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := m.now.estimate(); 10*now.Series >= 9*m.before.Series {
		return now
	}
	return m.before
}

func (w *window) estimate() Estimate {
	e := Estimate{Streams: w.streams, Crowded: w.crowded}
	e.Series, _ = w.series.estimate()
	for _, a := range w.attributes {
		e.Attributes = append(e.Attributes, a.estimate(e.Series))
	}
	slices.SortFunc(e.Attributes, func(a, b Attribute) int {
		return cmp.Or(a.Without-b.Without, b.Values-a.Values, strings.Compare(a.Key, b.Key))
	})
	return e
}

// estimate returns what an attribute contributes to a number of series.
func (a *attribute) estimate(series int) Attribute {
	e := Attribute{CostAttribute: conformance.CostAttribute{Key: a.key, Removed: string(a.removed), Samples: a.samples, Without: series}}
	e.Values, e.Exact = a.values.estimate()
	if a.removed == plan.RemovedByPack {
		e.ID = conformance.IDByPack
	}
	if a.removed != plan.Kept {
		return e
	}
	without, _ := a.without.estimate()
	e.Without = min(without, series)
	if a.others {
		limited, _ := a.limited.estimate()
		e.Limited = min(limited, series)
	}
	if e.Values >= manyValues && 2*e.Values >= series || e.Values >= someValues && 10*a.ids >= 9*len(a.first) {
		e.ID = conformance.IDSuspected
	}
	return e
}
