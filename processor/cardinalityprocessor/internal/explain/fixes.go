package explain

import (
	"cmp"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/draft"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/cost"
)

const (
	// fixedValues is the limit of values that a fix sets.
	fixedValues = 20
	// leastEffect is the share of series that a fix must take away.
	leastEffect = 0.1
)

// noOwner is the system of metrics that no pack owns.
var noOwner = (*naming.System)(nil).Name()

// fixes returns the settings that keep an attribute from making series, the one that leaves the fewest first.
// Demand is the number of series that come to the limit.
func (s *Source) fixes(c *costs, demand int, a cost.Attribute) (all []conformance.Fix) {
	if !paste.Selects(c.Name) || !paste.Selects(a.Key) {
		return nil
	}
	add := func(kind, text string, left int) {
		if text != "" && float64(left) <= (1-leastEffect)*float64(demand) {
			all = append(all, conformance.Fix{Kind: kind, YAML: text, Series: min(left, c.room(left))})
		}
	}
	if !c.keys.Keeps() {
		add(conformance.FixDrop, s.Processor.Drop(c.Name, a.Key), a.Without)
		if c.owner == noOwner {
			add(conformance.FixPack, draft.IDs(c.Service, a.Key), a.Without)
		}
	}
	if a.Values > 2*fixedValues {
		// The limited values have their part of the series, and all others together are one value more.
		add(conformance.FixLimitValues, s.Processor.LimitValues(a.Key, fixedValues), a.Without+demand*fixedValues/a.Values)
	}
	slices.SortStableFunc(all, func(a, b conformance.Fix) int { return cmp.Compare(a.Series, b.Series) })
	return all
}

// room returns the most series that the limit lets a metric have: those of each resource, and the overflow series
// if there are more.
func (c *costs) room(wanted int) int {
	room := c.resources * c.Limit
	if wanted > room {
		room += c.resources
	}
	return room
}
