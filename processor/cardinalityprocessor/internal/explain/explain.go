// SPDX-License-Identifier: Apache-2.0

// Package explain says what the series of a processor cost, which attributes make them, and what to paste. The package
// may not know batches.
package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
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
	// Repairs returns the names of a service that are repaired if no pack owns it.
	Repairs func(service string) naming.Unowned
}

// Costs implements explorer.Source.
func (s *Source) Costs() []explorer.Metric {
	s.Store.RotateCosts(time.Now())
	all := map[costKey]*costs{}
	s.Store.Costs(func(c *series.Cost) { s.addCost(all, c) })
	sorted := slices.SortedFunc(maps.Values(all), func(a, b *costs) int { return cmp.Compare(b.In.Series, a.In.Series) })
	metrics := make([]explorer.Metric, len(sorted))
	for i, c := range sorted {
		s.explain(c)
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
	add(&to.In, c.In, c.Points.In, int(c.Size.Point))
	add(&to.Out, c.Out, c.Points.Out, max(int(c.Size.Point)-int(c.Size.Removed), 0))
	for rule, n := range c.Folded {
		if n > 0 {
			to.Folded[series.Rule(rule).String()] += n
		}
	}
}

// explain sets what the attributes of a metric contribute to its series, and what to paste.
func (s *Source) explain(c *costs) {
	if c.of == nil {
		c.NotFollowed = notFollowed(c)
		return
	}
	known := c.of.Estimate()
	for _, a := range known.Attributes {
		of := conformance.CostAttribute{
			Key: a.Key, Values: min(a.Values, c.In.Series), Exact: a.Exact, Samples: a.Samples, Removed: string(a.Removed),
			Without: min(a.Without, c.In.Series), Unknown: !a.Known,
		}
		switch {
		case !a.Known:
			of.Without = c.In.Series
		case a.Removed == plan.Kept:
			of.Fixes = s.fixes(c, known.Series, a)
		}
		c.Attributes = append(c.Attributes, of)
	}
	for _, t := range known.Together {
		of := conformance.CostTogether{Keys: t.Keys, Resource: t.Resource, Values: t.Values, Without: min(t.Without, c.In.Series)}
		if !t.Resource {
			of.Fixes = s.fixesTogether(c, known.Series, t)
		}
		c.Together = append(c.Together, of)
	}
	c.NotFollowed = incomplete(c, &known)
}

// notFollowed returns why nothing is known of the attributes of a metric.
func notFollowed(c *costs) string {
	switch {
	case c.Service == costOther && c.Name == costOther:
		return "these are several metrics"
	case c.In.Series < cost.Least:
		return fmt.Sprintf("it has fewer than %d series", cost.Least)
	case c.In.Points == 0:
		return "no point came since it was looked at"
	}
	return "there is no room: as many metrics as can be followed have about as many series, or more"
}

// incomplete returns what is not known of the attributes of a metric that is followed.
func incomplete(c *costs, known *cost.Estimate) string {
	switch {
	case !known.Known:
		return "there is no room for estimates: metrics with about as many series, or more, take all of it"
	case 10*known.Streams < 9*c.In.Series:
		return fmt.Sprintf("%d of %d series were looked at: each of the others is with its next point", known.Streams, c.In.Series)
	case known.Pending:
		return "no single attribute makes the series: which ones do together is known after their next points"
	case known.Crowded:
		return "it has more attributes than can be followed"
	}
	return ""
}
