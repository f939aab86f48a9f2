package explain

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/draft"
	"github.com/otelcol-tc/otelcol-tc/internal/yamltext"
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
	if !pastable(c.Name) || !pastable(a.Key) {
		return nil
	}
	add := func(kind, text string, left int) {
		if text != "" && float64(left) <= (1-leastEffect)*float64(demand) {
			all = append(all, conformance.Fix{Kind: kind, YAML: text, Series: min(left, c.room(left))})
		}
	}
	if !c.keys.Keeps() {
		add(conformance.FixDrop, s.pasteDrop(c.Name, a.Key), a.Without)
		if c.owner == noOwner {
			add(conformance.FixPack, draft.IDs(c.Service, a.Key), a.Without)
		}
	}
	if a.Values > 2*fixedValues {
		// The limited values have their part of the series, and all others together are one value more.
		add(conformance.FixLimitValues, s.pasteValues(a.Key), a.Without+demand*fixedValues/a.Values)
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

// pastable reports whether settings can have a name from telemetry, so that they select it and nothing else.
func pastable(name string) bool {
	return yamltext.Safe(name) && len(name) < maxPasted && !strings.Contains(name, "*") && !strings.Contains(name, confmap.KeyDelimiter)
}

// maxPasted is the length from which on names may be cut.
const maxPasted = 250

// pasteDrop returns settings that remove an attribute from a metric. They have the overrides that exist, because a
// list replaces the one of an earlier configuration.
func (s *Source) pasteDrop(metric, key string) string {
	drop := map[string]any{"metric": metric, "drop_attributes": []any{key}}
	return s.paste(map[string]any{"overrides": append([]any{drop}, s.Overrides...)})
}

// pasteValues returns settings that limit the values of an attribute.
func (s *Source) pasteValues(key string) string {
	return s.paste(map[string]any{"attribute_limits": map[string]any{key: fixedValues}})
}

// paste returns settings of this processor as YAML.
func (s *Source) paste(settings map[string]any) string {
	text, err := yaml.Marshal(map[string]any{"processors": map[string]any{s.ID: escaped(settings)}})
	if err != nil {
		return ""
	}
	return string(text)
}

// escaped returns settings in which a collector expands no variables.
func escaped(value any) any {
	switch of := value.(type) {
	case string:
		return strings.ReplaceAll(of, "$", "$$")
	case []any:
		all := make([]any, len(of))
		for i := range of {
			all[i] = escaped(of[i])
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for key := range of {
			all[key] = escaped(of[key]) // it expands none in keys
		}
		return all
	}
	return value
}
