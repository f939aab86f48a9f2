// SPDX-License-Identifier: Apache-2.0

// Package naming decides the conformant names of metrics, spans and attributes. New prepares the packs. The methods of
// Namer then decide by the packs' rules and the general rules. Nothing here depends on earlier telemetry: all functions
// are pure, so processors can cache decisions, and a connector can ask for them without a change.
//
// The files read downwards, and call no function of a file above:
//   - naming.go prepares packs, by series.go (ids, gauges), copies.go and attributecopies.go.
//   - metric.go, span.go and attribute.go decide: a pack's rules, then the general rules. span.go uses components.go and
//     spanforms.go. fold.go limits the names of spans.
//   - decision.go is what they return, and source.go the rules that decided. owner.go finds the system that owns telemetry, and whose rules apply.
//   - forms.go knows which names are conformant. placeholders.go, values.go, ids.go, cpp.go, length.go and words.go work
//     on texts.
package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Options are the settings that decisions depend on.
type Options struct {
	// Prefix begins every conformant metric name, such as tc_.
	Prefix string
	// Unowned is the kinds of names that are repaired in telemetry that no pack owns.
	Unowned Unowned
	// Services are the choices for single services. The most specific one that matches applies.
	Services []ServiceRule
	// Exempt are metric names that the general rule does not change. Those outside of DefaultExempt
	// are not changed by prefix mappings either.
	Exempt []string
}

// New prepares packs for decisions. Where two packs own the same telemetry, the earlier one
// decides.
func New(packs []*conventions.Pack, opts Options) *Namer {
	n := &Namer{
		prefix:    opts.Prefix,
		unowned:   opts.Unowned,
		copyNames: map[string]bool{},
	}
	for _, text := range opts.Exempt {
		if slices.Contains(DefaultExempt, text) {
			n.exempt = append(n.exempt, glob.New(text))
		} else {
			n.kept = append(n.kept, glob.New(text))
		}
	}
	for _, pack := range packs {
		s := &System{name: pack.System, index: len(n.systems) + 1, pack: pack, repairs: RepairAll, renames: map[string]string{}, attributes: map[string]conventions.AttributeRule{}}
		if pack.Names == conventions.NamesKeep {
			s.repairs = Unowned{}
		}
		for from, to := range pack.Metrics.Prefixes {
			s.prefixes = append(s.prefixes, prefix{from, n.ownPrefix(to)})
		}
		for from, to := range pack.Metrics.Rename {
			s.renames[from] = n.ownPrefix(to)
		}
		for _, rule := range pack.Metrics.Also {
			n.copyNames[strings.ToLower(n.copyName(rule.Name))] = true
		}
		// The longest prefix is the most specific one.
		slices.SortFunc(s.prefixes, func(a, b prefix) int {
			return cmp.Or(len(b.from)-len(a.from), strings.Compare(a.from, b.from))
		})
		for _, rule := range pack.Attributes {
			s.attributes[rule.Key] = rule
		}
		n.systems = append(n.systems, s)
		if pack.Owns.All {
			n.common = append(n.common, s)
		}
	}
	n.addOwnedKeys()
	n.ids, n.copies = n.idKeys(nil), n.lazyCopies(nil)
	for _, s := range n.systems {
		s.deciders = append(s.deciders, s)
		for _, common := range n.common {
			if common != s {
				s.deciders = append(s.deciders, common)
			}
		}
		s.ids, s.copies = n.idKeys(s), n.copies
		if s.repairs != n.unowned || !s.hasNobodysCopies() {
			s.copies = n.lazyCopies(s)
		}
	}
	n.prepareServices(opts.Services)
	return n
}

// ValidatePrefix returns an error for a prefix that no conformant name can have.
func ValidatePrefix(prefix string) error {
	if !conformantPrefix(prefix) {
		return fmt.Errorf("prefix: must be lower_snake_case and end in an underscore, such as tc_ (got %q)", prefix)
	}
	return nil
}

// nobody returns the system of a service that no pack owns and for which a choice of its own was
// made. It has no rules.
func (n *Namer) nobody(unowned Unowned) *System {
	if unowned == n.unowned {
		return nil
	}
	i := slices.IndexFunc(n.nobodies, func(s *System) bool { return s.repairs == unowned })
	if i >= 0 {
		return n.nobodies[i]
	}
	s := &System{
		name: nobodyName, index: 1 + len(n.systems) + len(n.nobodies), pack: &conventions.Pack{},
		unowned: true, repairs: unowned, deciders: n.common,
	}
	n.nobodies = append(n.nobodies, s)
	s.ids, s.copies = n.idKeys(s), n.lazyCopies(s)
	return s
}

// prepareServices sorts the rules for services, the most specific one first.
func (n *Namer) prepareServices(rules []ServiceRule) {
	for _, rule := range rules {
		n.services = append(n.services, service{rule.Match, n.nobody(rule.Unowned)})
	}
	slices.SortStableFunc(n.services, func(a, b service) int { return glob.Specific(a.match, b.match) })
}

// Adopted returns a Namer with the same packs whose general rules apply to everybody, as if all
// telemetry that no pack owns were to be repaired.
func (n *Namer) Adopted() *Namer {
	adopted := *n
	adopted.unowned, adopted.services, adopted.nobodies = RepairAll, nil, nil
	adopted.ids, adopted.copies = adopted.idKeys(nil), adopted.lazyCopies(nil)
	return &adopted
}
