package conventions

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// placeholders finds the {group} parts of a template.
var placeholders = regexp.MustCompile(`\{(\w+)\}`)

// Placeholders returns the groups that a template names.
func Placeholders(template string) []string {
	var groups []string
	for _, m := range placeholders.FindAllStringSubmatch(template, -1) {
		groups = append(groups, m[1])
	}
	return groups
}

// check holds the rule that a schema cannot say: placeholders name groups of
// their pattern.
func (p *Pack) check(doc *yaml.Node) error {
	var faults []*lineError
	rule := func(section string, i int, match Pattern, templates ...string) {
		for _, template := range templates {
			for _, group := range Placeholders(template) {
				if !slices.Contains(match.SubexpNames(), group) {
					node := child(child(child(doc.Content[0], section), "rules"), strconv.Itoa(i))
					faults = append(faults, &lineError{node.Line, fmt.Errorf(
						"%s.rules.%d: placeholder {%s} names no group of the pattern %q", section, i, group, match)})
				}
			}
		}
	}
	for i, r := range p.Spans.Rules {
		rule("spans", i, r.Match, append(values(r.Attributes), r.Component, r.Operation)...)
	}
	for i, r := range p.Metrics.Rules {
		rule("metrics", i, r.Match, append(values(r.Attributes), r.Rename)...)
	}
	return joinFaults(faults)
}

func values(attributes map[string]Placeholder) []string {
	var texts []string
	for _, p := range attributes {
		texts = append(texts, string(p))
	}
	slices.Sort(texts)
	return texts
}
