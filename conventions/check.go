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

// check holds the rules that a schema cannot say: placeholders name groups of
// their pattern, units have one dimension, a rename leads to a name that stays, ids
// are unbounded, every gauge rule can decide something, layouts can be read, link rules
// can link, and nothing is expected twice.
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
		if r.Unit == "" || r.Convert == "" {
			continue
		}
		if _, ok := Convert(r.Unit, r.Convert); !ok {
			node := child(child(child(child(doc.Content[0], "metrics"), "rules"), strconv.Itoa(i)), "convert")
			faults = append(faults, &lineError{node.Line, fmt.Errorf(
				"metrics.rules.%d.convert: %s cannot be converted to %s", i, r.Unit, r.Convert)})
		}
	}
	faults = append(faults, p.checkRenames(doc)...)
	faults = append(faults, p.checkIDs(doc)...)
	faults = append(faults, p.checkGauges(doc)...)
	faults = append(faults, p.checkFormats(doc)...)
	faults = append(faults, p.checkLinks(doc)...)
	return joinFaults(append(faults, p.checkExpect(doc)...))
}

// checkRenames reports renames to what is renamed itself, so that enforcing twice
// would not be enforcing once, and two rules for one key.
func (p *Pack) checkRenames(doc *yaml.Node) []*lineError {
	var faults []*lineError
	for from, to := range p.Metrics.Rename {
		if next, ok := p.Metrics.Rename[to]; ok && next != to && from != to {
			node := child(child(child(doc.Content[0], "metrics"), "rename"), from)
			faults = append(faults, &lineError{node.Line, fmt.Errorf(
				"metrics.rename.%s: %q is itself renamed, to %q", from, to, next)})
		}
	}
	for from, to := range p.Metrics.Units {
		if next, ok := p.Metrics.Units[to]; ok && next != to && from != to {
			node := child(child(child(doc.Content[0], "metrics"), "units"), from)
			faults = append(faults, &lineError{node.Line, fmt.Errorf(
				"metrics.units.%s: %q is itself replaced, by %q", from, to, next)})
		}
	}
	keys := map[string]string{}
	for i, rule := range p.Attributes {
		if _, ok := keys[rule.Key]; ok {
			node := child(child(doc.Content[0], "attributes"), strconv.Itoa(i))
			faults = append(faults, &lineError{node.Line, fmt.Errorf(
				"attributes.%d.key: %q has a rule already", i, rule.Key)})
		}
		keys[rule.Key] = rule.Rename
	}
	for i, rule := range p.Attributes {
		if next := keys[rule.Rename]; rule.Rename != rule.Key && next != "" && next != rule.Rename {
			node := child(child(doc.Content[0], "attributes"), strconv.Itoa(i))
			faults = append(faults, &lineError{node.Line, fmt.Errorf(
				"attributes.%d.rename: %q is itself renamed, to %q", i, rule.Rename, next)})
		}
	}
	slices.SortFunc(faults, func(a, b *lineError) int { return a.line - b.line })
	return faults
}

func values(attributes map[string]Placeholder) []string {
	var texts []string
	for _, p := range attributes {
		texts = append(texts, string(p))
	}
	slices.Sort(texts)
	return texts
}
