// Package explain says what the series of a processor cost, which attributes make them, and what to paste. The package
// may not know batches.
package explain

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/explorer"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/cost"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// maxCosts limits the metrics that Costs tells apart. Further ones are added up as other.
const maxCosts = 5000

// costOther is the service and the name of those.
const costOther = "other"

// costs are the costs of a metric of one service, over all of its resources.
type costs struct {
	explorer.Metric
	resources int
	owner     string
	keys      *plan.Keys
	of        *cost.Metric
}

type costKey struct{ service, metric string }

// Source is an explorer.Source for the series of a processor.
type Source struct {
	Store     *series.Store
	Processor paste.Cardinality
}

// Costs implements explorer.Source.
func (s *Source) Costs() []explorer.Metric {
	s.Store.RotateCosts(time.Now())
	all := map[costKey]*costs{}
	s.Store.Costs(func(c *series.Cost) { s.addCost(all, c) })
	sorted := slices.SortedFunc(maps.Values(all), func(a, b *costs) int { return cmp.Compare(b.In.Series, a.In.Series) })
	metrics := make([]explorer.Metric, len(sorted))
	for i, c := range sorted {
		if c.of != nil {
			c.Attributes = s.attributesOf(c)
		}
		metrics[i] = c.Metric
	}
	return metrics
}

func (s *Source) addCost(all map[costKey]*costs, c *series.Cost) {
	key := costKey{c.Service, c.Metric}
	to := all[key]
	if to == nil && len(all) >= maxCosts {
		key = costKey{costOther, costOther}
		to = all[key]
	}
	if to == nil {
		to = &costs{Metric: explorer.Metric{Service: key.service, Name: key.metric, Processor: s.Processor, Limit: c.Limit, Folded: map[string]int{}}, owner: c.Owner, keys: c.Keys}
		all[key] = to
	}
	if !c.OfService {
		to.resources++
	}
	if to.of == nil && key.service != costOther {
		to.of = c.Of
	}
	add := func(a *explorer.Amount, series int, points int64, bytes int) {
		a.Series += series
		a.Points += points
		a.Bytes += float64(points) * float64(bytes)
	}
	add(&to.In, c.In, c.Points.In, c.Size.Point)
	add(&to.Out, c.Out, c.Points.Out, max(c.Size.Point-c.Size.Removed, 0))
	for rule, n := range c.Folded {
		if n > 0 {
			to.Folded[series.Rule(rule).String()] += n
		}
	}
}

// attributesOf returns what the attributes of a metric contribute to its series, and what to paste.
func (s *Source) attributesOf(c *costs) []conformance.CostAttribute {
	known := c.of.Estimate()
	all := make([]conformance.CostAttribute, 0, len(known.Attributes))
	for _, a := range known.Attributes {
		of := conformance.CostAttribute{
			Key: a.Key, Values: a.Values, Exact: a.Exact, Samples: a.Samples, Removed: string(a.Removed), Without: min(a.Without, c.In.Series),
		}
		if a.Removed == plan.Kept {
			of.Fixes = s.fixes(c, known.Series, a)
		}
		all = append(all, of)
	}
	return all
}
