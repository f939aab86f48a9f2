package conventions

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// checkIDs reports ids whose values are few, or gone. A key and the one that it is
// renamed to hold the same values, so that their rules must not contradict each
// other either.
func (p *Pack) checkIDs(doc *yaml.Node) []*lineError {
	rules := make(map[string]AttributeRule, len(p.Attributes))
	for _, rule := range p.Attributes {
		rules[rule.Key] = rule
	}
	var faults []*lineError
	for i, rule := range p.Attributes {
		renamed := rules[rule.Rename]
		if !rule.ID && !renamed.ID {
			continue
		}
		key, reason := rule.Key, rule.notIDs()
		if reason == "" && rule.ID {
			key, reason = renamed.Key, renamed.notIDs()
		}
		if reason != "" {
			node := child(child(child(doc.Content[0], "attributes"), strconv.Itoa(i)), "id")
			faults = append(faults, &lineError{node.Line, fmt.Errorf(
				"attributes.%d.id: the values of %q are no ids: %s", i, key, reason)})
		}
	}
	return faults
}

// notIDs is why the values cannot be ids, or empty.
func (r AttributeRule) notIDs() string {
	switch {
	case r.Allowed != nil:
		return "allowed lists them all"
	case r.Type == TypeBool:
		return "type is bool"
	case r.Sensitive == SensitiveRemove:
		return "sensitive removes them"
	}
	return ""
}

// checkGauges reports rules that never decide, because an earlier one matches
// whatever they match.
func (p *Pack) checkGauges(doc *yaml.Node) []*lineError {
	var faults []*lineError
	for i, rule := range p.Metrics.Gauges {
		for j, earlier := range p.Metrics.Gauges[:i] {
			// A star of the text can only be under a star of the earlier glob, which
			// then covers all that it stands for.
			if text := rule.Match.String(); earlier.Match.Match(text) {
				node := child(child(child(child(doc.Content[0], "metrics"), "gauges"), strconv.Itoa(i)), "match")
				faults = append(faults, &lineError{node.Line, fmt.Errorf(
					"metrics.gauges.%d.match: metrics.gauges.%d decides all that it matches (got %q)", i, j, text)})
				break
			}
		}
	}
	return faults
}
