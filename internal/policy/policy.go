// SPDX-License-Identifier: Apache-2.0

// Package policy holds what all components of this distribution have in common: which convention packs
// apply, the prefix of metric names, the names that stay as they are, what happens to telemetry that no
// pack owns, and which services are only audited.
//
// The conventions extension has one Policy for the whole collector. Components call For when they start
// and get that policy, or one of their own settings if there is no such extension.
package policy

import (
	"slices"
	"sync"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// Policy is what all components go by. It is immutable and safe for concurrent use.
type Policy struct {
	config Config
	rules  []serviceRule // the most specific first
	others Service       // the settings of services that no rule matches
	packs  []*conventions.Pack
	namer  func() *naming.Namer
	audit  bool // of all services, if mixed is false
	mixed  bool

	content *content.Policy
	costs   *conformance.CostSources
	logs    *conformance.LogCounts
	links   *conformance.LinkCounts
}

// New reads the files of a valid configuration and prepares its policy.
func New(c Config) (*Policy, error) {
	all, packs, err := c.load(conventions.Disk)
	if err != nil {
		return nil, err
	}
	return Of(*all, packs), nil
}

// Check is New with files from anywhere, which may have faults.
func Check(c Config, read conventions.Files) (*Policy, error) {
	all, packs, err := c.check(read)
	if err != nil {
		return nil, err
	}
	return Of(*all, packs), nil
}

// Of prepares the policy of a valid configuration with packs that are loaded.
func Of(c Config, packs []*conventions.Pack) *Policy {
	p := &Policy{config: c, others: c.others(), packs: packs, audit: c.Mode == Audit}
	p.rules = c.serviceRules(p.others)
	p.mixed = slices.ContainsFunc(p.rules, func(r serviceRule) bool { return (r.Mode == Audit) != p.audit })
	p.content = content.NewWith(c.Content, contentOfServices(p.rules), packs)
	p.costs, p.logs, p.links = &conformance.CostSources{}, &conformance.LogCounts{}, &conformance.LinkCounts{}
	p.namer = sync.OnceValue(func() *naming.Namer { return naming.New(p.packs, p.namingOptions()) })
	return p
}

// share has the policy count where the one before it does, so that no count of a collector starts anew.
func (p *Policy) share(before *Policy) {
	p.costs, p.logs, p.links = before.costs, before.logs, before.links
	p.content.ContinueCounts(before.content)
}

// Packs returns the packs in their order. Callers must not change them.
func (p *Policy) Packs() []*conventions.Pack { return p.packs }

// Owners returns the systems whose packs' rules for owners apply.
func (p *Policy) Owners() []string { return p.config.Owners }

// Prefix returns the beginning of every conformant metric name.
func (p *Policy) Prefix() string { return p.config.Prefix }

// Namer returns the Namer of the packs, which is made once.
func (p *Policy) Namer() *naming.Namer { return p.namer() }

// Repairs returns the kinds of names that are repaired in a service's telemetry that no pack owns.
func (p *Policy) Repairs(service string) naming.Unowned { return p.Namer().Repairs(service) }

// namingOptions returns the options of Namer.
func (p *Policy) namingOptions() naming.Options {
	options := naming.Options{Prefix: p.config.Prefix, Exempt: p.config.Exempt, Unowned: p.config.Unowned.naming()}
	for _, rule := range p.rules {
		options.Services = append(options.Services, naming.ServiceRule{Match: rule.match, Unowned: rule.Unowned.naming()})
	}
	return options
}

// Content returns the policy for content of conversations, credentials and secrets in URLs. It holds in
// audit mode too.
func (p *Policy) Content() *content.Policy { return p.content }

// Costs returns what connects those who know the series of metrics with those who show them.
func (p *Policy) Costs() *conformance.CostSources { return p.costs }

// Logs returns what counts whether records have a trace.
func (p *Policy) Logs() *conformance.LogCounts { return p.logs }

// Links returns what counts spans that are not linked.
func (p *Policy) Links() *conformance.LinkCounts { return p.links }

// Audit reports whether the data of a service stays unchanged.
func (p *Policy) Audit(service string) bool {
	if !p.mixed {
		return p.audit
	}
	return p.of(service).Mode == Audit
}

// Mixed reports whether some services are audited and others are not. If not, Audit is the same for every
// service.
func (p *Policy) Mixed() bool { return p.mixed }

// inMode returns the policy of a component that audits all services or none.
func (p *Policy) inMode(audit bool) *Policy {
	changed := *p
	changed.audit, changed.mixed = audit, false
	return &changed
}
