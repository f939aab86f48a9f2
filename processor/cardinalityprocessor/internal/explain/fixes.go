// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/draft"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/cost"
)

const (
	// fixedValues is the limit of values that a fix sets.
	fixedValues = cost.LimitedValues
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
		if text != "" && helps(left, demand) {
			all = append(all, conformance.Fix{Kind: kind, YAML: text, Series: min(left, c.room(left))})
		}
	}
	if system, ok := s.ownerSystem(c, a.Key); ok {
		systems := strings.Join(append(slices.Clone(s.Policy().Owners()), system), ", ")
		add(conformance.FixOwners, "extensions:\n  conventions:\n    owners: ["+systems+"]\n", a.Without)
	}
	if !c.keys.Keeps() {
		add(conformance.FixDrop, s.drop(c.Name, a.Key), a.Without)
		if c.owner == noOwner {
			add(conformance.FixPack, draft.IDs(c.Service, a.Key, s.Policy().Repairs(c.Service)), a.Without)
		}
	}
	if a.Values > 2*fixedValues && a.Limited > 0 && !c.keys.Limits(a.Key) {
		add(conformance.FixLimitValues, s.Processor.LimitValues(a.Key, fixedValues), a.Limited)
	}
	slices.SortStableFunc(all, func(a, b conformance.Fix) int { return cmp.Compare(a.Series, b.Series) })
	return all
}

// ownerSystem returns the system whose pack's rule would take an attribute off a metric. It is not ok if there is none,
// or if the settings name the pack already.
func (s *Source) ownerSystem(c *costs, key string) (system string, ok bool) {
	current := s.Policy()
	if system = c.owner; system == noOwner {
		system = current.Namer().MetricOwner(c.Name).Name()
	}
	for _, pack := range current.Packs() {
		if rule := pack.Owner; rule != nil && pack.System == system && rule.Selects(c.Name) {
			return system, slices.Contains(rule.Attributes, key) && !slices.Contains(current.Owners(), system)
		}
	}
	return "", false
}

// oneList is a comment for the fixes of several metrics.
const oneList = "# A list replaces that of an earlier file: put the overrides of several fixes into one list.\n"

// drop returns the setting that removes an attribute from a metric.
func (s *Source) drop(metric, key string) string {
	text := s.Processor.Drop(metric, key)
	if text == "" {
		return ""
	}
	return oneList + text
}

// helps reports whether a fix that leaves a number of series takes enough away.
func helps(left, demand int) bool { return float64(left) <= (1-leastEffect)*float64(demand) }

// room returns the most series that the limit lets a metric have: those of each resource, and the overflow series
// if there are more.
func (c *costs) room(wanted int) int {
	room := c.resources * c.Limit
	if wanted > room {
		room += c.resources
	}
	return room
}
