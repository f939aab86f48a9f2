// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Estimate is what is known of a metric.
type Estimate struct {
	// Series are those without the attributes that the plan removes. If they are not Known, because there was no
	// room, there are more.
	Series int
	Known  bool
	// Streams is the number of streams that it was made of.
	Streams    int
	Crowded    bool // there are attributes without room
	Pending    bool // which attributes make the series together is known when all streams came again
	Attributes []Attribute
	Together   []Together
}

// Attribute is what one attribute contributes to the series.
type Attribute struct {
	Key     string
	Removed plan.Removal
	Values  int
	Exact   bool
	Samples []string
	// Without is the number of series without the attribute, too, and Limited that with LimitedValues values of it
	// and one for all others. They are not Known if there was no room. For a removed attribute Without is
	// Estimate.Series.
	Without, Limited int
	Known            bool
}

// Together is what attributes contribute together that no one of them contributes alone: those of points, or what
// tells resources apart.
type Together struct {
	Keys     []string
	Resource bool
	Values   int // resources
	Without  int // the series without all of them
}

// halves reports whether a number of series is at most half of what is known of the metric.
func (e *Estimate) halves(series int) bool { return 2*series <= e.Series }

// Estimate returns what is known of the metric: that of the current window or of the previous one, if the current
// one has not seen its series yet, so that the numbers do not drop when a window begins. If no attribute explains the
// series alone, it begins to find out which ones do together.
func (m *Metric) Estimate() Estimate {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.best()
	if next := e.next(m.set); len(next) > len(m.set) && e.Streams == int(m.size.Load()) {
		m.set = next
		m.restart()
		e.Pending = true
	} else if len(m.set) > 0 && e.Streams != int(m.size.Load()) {
		e.Pending = true
	}
	return e
}

// best returns the estimate of the window, or that from before if it has more.
func (m *Metric) best() Estimate {
	now := m.estimate()
	if m.before.Known && (!now.Known || 10*now.Series < 9*m.before.Series) {
		return m.before
	}
	return now
}

// next returns the attributes to remove together, if no one of those that stay makes most of the series: those with
// the most values, and about as many as each other. If they do not explain it either, there are more of them.
func (e *Estimate) next(before []string) (set []string) {
	if !e.Known || e.Series < Least {
		return nil
	}
	var stay []Attribute
	for _, a := range e.Attributes {
		if a.Removed == plan.Kept && a.Values > 1 {
			stay = append(stay, a)
		}
		if a.Removed == plan.Kept && a.Known && e.halves(a.Without) {
			return nil
		}
	}
	for _, of := range e.Together {
		if e.halves(of.Without) {
			return nil
		}
	}
	slices.SortStableFunc(stay, func(a, b Attribute) int { return cmp.Compare(b.Values, a.Values) })
	n := len(before)
	for n < len(stay) && stay[n].Values >= leastValues && (n < 2 || n == len(before) || 2*stay[n].Values >= stay[len(before)].Values) {
		n++
	}
	if n < 2 {
		return nil
	}
	for _, a := range stay[:n] {
		set = append(set, a.Key)
	}
	return set
}

// leastValues is the number of values from which on an attribute can be one of several that make many series.
const leastValues = 4

// estimate returns the estimate of the current window: the attribute first without which the fewest series remain.
func (m *Metric) estimate() (e Estimate) {
	w := &m.now
	e.Series, _ = w.series.Estimate()
	e.Known, e.Streams, e.Crowded = !w.series.Full(), int(m.size.Load()), w.crowded
	for _, of := range w.keys {
		if of.round > 0 {
			e.Attributes = append(e.Attributes, w.attributeOf(of, e.Series))
		}
	}
	slices.SortFunc(e.Attributes, func(a, b Attribute) int {
		return cmp.Or(a.Without-b.Without, b.Values-a.Values, strings.Compare(a.Key, b.Key))
	})
	if !e.Known {
		return e
	}
	if c := w.resource.counts; c != nil && !c.without.Full() {
		of := Together{Resource: true}
		of.Values, _ = c.values.Estimate()
		of.Without, _ = c.without.Estimate()
		if of.name(m.resources); len(of.Keys) > 0 {
			e.Together = append(e.Together, of)
		}
	}
	if w.set != nil && !w.set.without.Full() {
		n, _ := w.set.without.Estimate()
		e.Together = append(e.Together, Together{Keys: m.set, Without: n})
	}
	return e
}

func (w *window) attributeOf(of *attribute, series int) Attribute {
	a := Attribute{Key: of.key, Removed: of.removed, Samples: of.samples.texts, Values: 1, Exact: true, Without: series, Known: !w.series.Full() && !of.crowded}
	c := of.counts
	if c == nil {
		a.Exact = !of.crowded
		return a
	}
	a.Values, a.Exact = c.values.Estimate()
	if of.removed != plan.Kept {
		return a
	}
	if a.Known = a.Known && !c.without.Full(); !a.Known {
		return a
	}
	n, _ := c.without.Estimate()
	a.Without = min(n, series)
	if c.others && !c.limited.Full() {
		n, _ := c.limited.Estimate()
		a.Limited = min(n, series)
	}
	return a
}

// name names the attributes that tell resources apart: those with at least half as many values as there are
// resources, the ones with the most values first.
func (of *Together) name(resources []*ofResource) {
	values := func(r *ofResource) int { n, _ := r.values.Estimate(); return n }
	sorted := slices.SortedFunc(slices.Values(resources), func(a, b *ofResource) int {
		return cmp.Or(values(b)-values(a), strings.Compare(a.key, b.key))
	})
	for _, r := range sorted {
		if 2*values(r) < of.Values {
			break
		}
		of.Keys = append(of.Keys, r.key)
	}
}
