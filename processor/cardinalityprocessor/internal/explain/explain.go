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

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/cost"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// maxCosts limits the metrics that Costs tells apart. Further ones are added up as other.
const maxCosts = 5000

// costOther is the service and the name of those.
const costOther = "other"

// costs are the costs of a metric of one service, with what is needed to explain them.
type costs struct {
	conformance.Cost
	resources int
	owner     string
	keys      *plan.Keys
	followed  *cost.Metric // nil for a metric with few series
}

type costKey struct{ service, metric string }

// Source is a conformance.CostSource for the series of a processor.
type Source struct {
	Store     *series.Store
	Processor paste.Cardinality
	Policy    func() *policy.Policy // the current one
}

// Costs implements conformance.CostSource.
func (s *Source) Costs(since time.Duration) []conformance.Cost {
	s.Store.RotateCosts(time.Now())
	all := map[costKey]*costs{}
	s.Store.Costs(func(c *series.Cost) { s.addCost(all, c, max(since.Seconds(), 1e-3)) })
	sorted := slices.SortedFunc(maps.Values(all), func(a, b *costs) int { return cmp.Compare(b.In.Series, a.In.Series) })
	metrics := make([]conformance.Cost, len(sorted))
	for i, c := range sorted {
		s.explain(c)
		metrics[i] = c.Cost
	}
	return metrics
}

func (s *Source) addCost(all map[costKey]*costs, c *series.Cost, seconds float64) {
	key := costKey{c.Service, c.Metric}
	to := all[key]
	if to == nil && len(all) >= maxCosts {
		key = costKey{costOther, costOther}
		to = all[key]
	}
	if to == nil {
		to = &costs{owner: c.Owner, keys: c.Keys, Cost: conformance.Cost{
			Service: conformance.ServiceName(key.service), Name: key.metric, Processor: s.Processor.ID, Limit: c.Limit, Audit: s.Policy().Audit(key.service),
			Folded: map[string]int{}, Attributes: []conformance.CostAttribute{},
			Raise: func(series int) string { return s.Processor.Limit(key.metric, series) },
		}}
		all[key] = to
	}
	to.Growing = to.Growing || c.Grows
	if !c.OfService {
		to.resources++
	}
	if key.service != costOther {
		to.followed = cmp.Or(to.followed, c.Of)
		to.Buckets = max(to.Buckets, int(c.Size.Buckets))
	}
	add := func(a *conformance.Amount, series int, points int64, bytes int) {
		a.Series += series
		a.Points += float64(points) / seconds
		a.Bytes += float64(points) * float64(bytes) / seconds
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
	if c.followed == nil {
		c.NotFollowed = notFollowed(c)
		return
	}
	known := c.followed.Estimate()
	for _, a := range known.Attributes {
		shown := a.CostAttribute
		shown.Values, shown.Without = min(a.Values, c.In.Series), min(a.Without, c.In.Series)
		if a.Removed == "" {
			shown.Fixes = s.fixes(c, known.Series, a)
		}
		c.Attributes = append(c.Attributes, shown)
	}
	c.Culprit = culpritOf(&c.Cost)
	c.NotFollowed = incomplete(c, &known)
}

// culpritOf returns what makes most of the series of a metric, or nil.
func culpritOf(c *conformance.Cost) *conformance.Culprit {
	left := c.In.Series // come to the limit
	var removed *conformance.Culprit
	var worst *conformance.CostAttribute // that stays
	for i := range c.Attributes {
		a := &c.Attributes[i]
		switch {
		case a.Removed == "":
			if worst == nil || a.Without < worst.Without {
				worst = a
			}
			continue
		case removed == nil:
			removed = &conformance.Culprit{Removed: a.Removed}
		}
		removed.Keys = append(removed.Keys, a.Key)
		left = min(left, a.Without)
	}
	halves := worst != nil && 2*worst.Without <= left
	// What was removed explains the series, unless there are still too many.
	if removed != nil && 2*left <= c.In.Series && (!halves || c.Refused() == 0) {
		removed.Left = left
		return removed
	}
	if halves {
		return &conformance.Culprit{Keys: []string{worst.Key}, Left: worst.Without}
	}
	return nil
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
	case 10*known.Streams < 9*c.In.Series:
		return fmt.Sprintf("%d of %d series were looked at: each of the others is with its next point", known.Streams, c.In.Series)
	case known.Crowded:
		return "it has more attributes than can be followed"
	}
	return ""
}
