// SPDX-License-Identifier: Apache-2.0

package paste

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Cardinality is a cardinality processor, as a configuration has it.
type Cardinality struct {
	ID        string // its key in the configuration
	overrides string // the lines of the list's elements, as YAML
}

// NewCardinality returns the processor with a key and overrides in the configuration. Their text is made once: a report
// repeats it for each attribute of each metric.
func NewCardinality(id string, overrides []any) Cardinality {
	c := Cardinality{ID: id}
	if len(overrides) > 0 {
		_, c.overrides, _ = strings.Cut(c.Set(overridesKey, overrides), overridesKey+":\n")
	}
	return c
}

const overridesKey = "overrides"

// Drop returns settings that remove an attribute from a metric. It is empty if settings cannot select them.
func (c *Cardinality) Drop(metric, key string) string {
	if !Selects(key) {
		return ""
	}
	return c.override(metric, "drop_attributes", []any{key})
}

// Limit returns settings that let a metric have a number of series. It is empty if settings cannot select the metric.
func (c *Cardinality) Limit(metric string, series int) string {
	return c.override(metric, "limit", series)
}

// LimitValues returns settings that let an attribute have a number of values in all metrics. It is empty if settings
// cannot select the attribute.
func (c *Cardinality) LimitValues(key string, values int) string {
	if !Selects(key) {
		return ""
	}
	return c.Set("attribute_limits", map[string]any{key: values})
}

// override returns an override of a metric, and those that exist: a list replaces the one of an earlier configuration.
// The first override that sets something applies.
func (c *Cardinality) override(metric, key string, value any) string {
	if !Selects(metric) {
		return ""
	}
	first := map[string]any{"metric": metric, key: value}
	text := c.Set(overridesKey, []any{first})
	if text == "" {
		return ""
	}
	return text + c.overrides
}

// Set returns a setting of the processor as YAML. A list must have what the configuration has.
func (c *Cardinality) Set(key string, value any) string {
	var text strings.Builder
	to := yaml.NewEncoder(&text)
	to.SetIndent(2)
	if err := to.Encode(nodeOf(map[string]any{"processors": map[string]any{c.ID: map[string]any{key: value}}})); err != nil {
		return "" // YAML cannot have it: Selects reports false for such names
	}
	return text.String()
}

// nodeOf returns a value as YAML in which a collector expands no variables. It expands none in keys.
func nodeOf(value any) *yaml.Node {
	n := &yaml.Node{}
	switch typed := value.(type) {
	case string:
		return textNode(strings.ReplaceAll(typed, "$", "$$"))
	case []any:
		n.Kind = yaml.SequenceNode
		for _, element := range typed {
			n.Content = append(n.Content, nodeOf(element))
		}
	case map[string]any:
		n.Kind = yaml.MappingNode
		for _, key := range slices.Sorted(maps.Keys(typed)) {
			n.Content = append(n.Content, textNode(key), nodeOf(typed[key]))
		}
	default:
		if err := n.Encode(value); err != nil {
			n.SetString("") // no setting has such a value
		}
	}
	return n
}

// textNode returns a text as YAML. All texts but plain ones are in quotes: the encoder writes << without them, which
// merges maps.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	if Scalar(text) != text {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
