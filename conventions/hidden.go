// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// CheckHidden returns an error if the packs change an attribute that one of a component's own link rules
// reads. It considers the packs that own what the rule selects, and the pack whose rule it replaces.
func CheckHidden(setting string, rules []linking.Rule, packs []*Pack) error {
	for i := range rules {
		for _, pack := range packs {
			if !pack.decides(&rules[i]) {
				continue
			}
			if read, why := pack.hides(&rules[i]); why != "" {
				return fmt.Errorf("%s.%d.%s: %s", setting, i, read, why)
			}
		}
	}
	return nil
}

// checkHidden returns an error if a pack changes an attribute that a link rule of another one reads.
func checkHidden(sources []source) error {
	for _, s := range sources {
		for n := range s.pack.Links {
			for _, other := range sources {
				if other.pack == s.pack || !other.pack.decides(&s.pack.Links[n]) {
					continue
				}
				if read, why := other.pack.hides(&s.pack.Links[n]); why != "" {
					return fmt.Errorf("packs[%d]: %v: links.%d.%s: %s", s.index, s.entry, n, read, why)
				}
			}
		}
	}
	return nil
}

// decides reports whether the pack decides the attributes of a stage's telemetry. A rule that selects
// nothing of the pack's resources may be about other telemetry, which has the attribute.
func (p *Pack) decides(rule *linking.Rule) bool {
	if p.Owns.All {
		return true
	}
	for i := range p.Links {
		if p.Links[i].Name == rule.Name {
			return true
		}
	}
	return p.selects(rule.From) || p.selects(rule.To) ||
		slices.ContainsFunc(rule.Stages, func(s linking.Stage) bool { return p.selects(&s) })
}

// selects reports whether a stage has only spans of the pack's resources.
func (p *Pack) selects(s *linking.Stage) bool {
	if s == nil {
		return false
	}
	owns := func(key string, value glob.Glob) bool {
		// A star of the text can only match a star of the pack's glob.
		return slices.ContainsFunc(p.Owns.Resource, func(r OwnedResource) bool {
			return r.Key == key && r.Values.Match(value.String())
		})
	}
	for key, value := range s.Attributes {
		if owns(key, value) {
			return true
		}
	}
	return s.Service != nil && owns("service.name", *s.Service)
}

// attributePrefix begins the attributes whose form is decided for all telemetry of packs, which is
// conformantKey.
const attributePrefix = "tc."

var conformantKey = regexp.MustCompile(`^tc(?:\.[a-z0-9]+(?:_[a-z0-9]+)*)+$`)

// hides returns the first attribute that a rule reads and the pack takes away or changes before a rule can
// read it, and why.
func (p *Pack) hides(rule *linking.Rule) (linking.Read, string) {
	for _, read := range rule.Reads() {
		if strings.HasPrefix(strings.ToLower(read.Attribute), attributePrefix) && !conformantKey.MatchString(read.Attribute) {
			return read, fmt.Sprintf("%q of rule %q is renamed to lower_snake_case, so that the rule does not see it", read.Attribute, rule.Name)
		}
		for _, attribute := range p.Attributes {
			if attribute.Key != read.Attribute {
				continue
			}
			if why := attribute.hides(read); why != "" {
				return read, fmt.Sprintf("%q of rule %q %s by the pack %q, so that the rule does not see it", read.Attribute, rule.Name, why, p.System)
			}
		}
	}
	return linking.Read{}, ""
}

func (r *AttributeRule) hides(read linking.Read) string {
	switch {
	case r.Rename != "" && r.Rename != r.Key && !linking.IsField(r.Rename, r.Key):
		return fmt.Sprintf("is renamed to %q", r.Rename)
	case r.Sensitive == SensitiveRemove:
		return "is removed"
	case r.Sensitive == SensitiveRedact:
		return "is redacted"
	case r.Allowed != nil && read.InKey:
		return "has no other than its allowed values"
	}
	return ""
}
