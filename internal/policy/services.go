// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// serviceRule is the complete settings of the services that a glob matches.
type serviceRule struct {
	match glob.Glob
	Service
}

// serviceRules returns the settings of all services that an entry matches, the most specific glob first. A
// setting that an entry leaves out is that of the most specific entry that matches the same services and
// has it, and otherwise that of all others.
func (c *Config) serviceRules(others Service) []serviceRule {
	rules := make([]serviceRule, 0, len(c.Services))
	for text, service := range c.Services {
		rules = append(rules, serviceRule{glob.New(text), service})
	}
	slices.SortFunc(rules, func(a, b serviceRule) int { return glob.Specific(a.match, b.match) })
	for i := range rules {
		for _, wider := range rules[i+1:] {
			// A star of the text can only match a star of the wider glob.
			if wider.match.Match(rules[i].match.String()) {
				rules[i].inherit(wider.Service)
			}
		}
		rules[i].inherit(others)
	}
	return rules
}

// inherit takes the settings that are not set from others.
func (s *Service) inherit(from Service) {
	s.Mode = cmp.Or(s.Mode, from.Mode)
	s.Unowned.Metrics = cmp.Or(s.Unowned.Metrics, from.Unowned.Metrics)
	s.Unowned.Spans = cmp.Or(s.Unowned.Spans, from.Unowned.Spans)
	s.Unowned.Attributes = cmp.Or(s.Unowned.Attributes, from.Unowned.Attributes)
	s.Content = cmp.Or(s.Content, from.Content)
	s.ModelCalls = cmp.Or(s.ModelCalls, from.ModelCalls)
	s.CopiedAttributes = cmp.Or(s.CopiedAttributes, from.CopiedAttributes)
}

// others returns the settings of services that no entry matches.
func (c *Config) others() Service {
	return Service{Mode: c.Mode, Unowned: c.Unowned, Content: cmp.Or(c.Content.Default, content.Redact), CopiedAttributes: c.CopiedAttributes}
}

// of returns the settings of a service.
func (p *Policy) of(service string) *Service {
	for i := range p.rules {
		if p.rules[i].match.Match(service) {
			return &p.rules[i].Service
		}
	}
	return &p.others
}

// RemovesCopied reports whether an attribute of a service is removed once it is copied to another key.
func (p *Policy) RemovesCopied(service string) bool {
	return p.of(service).CopiedAttributes == RemoveOriginals
}

// contentOfServices returns what the settings say of the content of services, by glob.
func contentOfServices(rules []serviceRule) map[string]content.Service {
	services := map[string]content.Service{}
	for _, rule := range rules {
		services[rule.match.String()] = content.Service{Action: rule.Content, Models: rule.ModelCalls}
	}
	return services
}

// naming returns what naming calls the setting.
func (u Unowned) naming() naming.Unowned {
	return naming.Unowned{Metrics: u.Metrics == Repair, Spans: u.Spans == Repair, Attributes: u.Attributes == Repair}
}
