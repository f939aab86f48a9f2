// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"cmp"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Unowned is the kinds of names that the general rules repair in telemetry that no pack owns. The
// other names pass as they are. The zero value lets all of them pass.
type Unowned struct{ Metrics, Spans, Attributes bool }

// RepairAll makes the general rules apply to everybody's names.
var RepairAll = Unowned{Metrics: true, Spans: true, Attributes: true}

// ServiceRule is the choice for the services whose service.name matches.
type ServiceRule struct {
	Match   glob.Glob
	Unowned Unowned
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
	s.ids, s.copies = n.idKeys(s), n.attributeCopies(s)
	return s
}

// nobodyName is the name of the owner of telemetry that no pack owns.
const nobodyName = "none"

// service is the System of the services that match.
type service struct {
	match  glob.Glob
	system *System
}

// prepareServices sorts the rules for services, the most specific one first.
func (n *Namer) prepareServices(rules []ServiceRule) {
	for _, rule := range rules {
		n.services = append(n.services, service{rule.Match, n.nobody(rule.Unowned)})
	}
	slices.SortStableFunc(n.services, func(a, b service) int { return glob.Specific(a.match, b.match) })
}

// Owner returns the system that owns the telemetry of a resource and a scope. Without one it
// returns nil, or the system of a service that Options.Services names. Packs that own all
// telemetry are not considered. Attr looks up a resource attribute.
func (n *Namer) Owner(attr func(key string) (value string, ok bool), scope string) *System {
	for _, s := range n.systems {
		if s.pack.Owns.Selects(attr, scope) {
			return s
		}
	}
	if len(n.services) == 0 {
		return nil
	}
	name, _ := attr(serviceNameKey)
	for _, service := range n.services {
		if service.match.Match(name) {
			return service.system
		}
	}
	return nil
}

const serviceNameKey = "service.name"

// Owners returns every result that Owner can have, at its Index.
func (n *Namer) Owners() []*System {
	return slices.Concat([]*System{nil}, n.systems, n.nobodies)
}

// Owned reports whether a pack owns the telemetry. It is false for nil.
func (s *System) Owned() bool { return s != nil && !s.unowned }

// repairs returns the kinds of an owner's names to which the general rules apply.
func (n *Namer) repairs(owner *System) Unowned {
	if owner == nil {
		return n.unowned
	}
	return owner.repairs
}

// Adopted returns a Namer with the same packs whose general rules apply to everybody, as if all
// telemetry that no pack owns were to be repaired.
func (n *Namer) Adopted() *Namer {
	adopted := *n
	adopted.unowned, adopted.services, adopted.nobodies = RepairAll, nil, nil
	adopted.ids, adopted.copies = adopted.idKeys(nil), adopted.attributeCopies(nil)
	return &adopted
}

// ownerBy returns the system to which a name belongs by its form, or the owner of its resource
// or scope if that is a pack or no form is known.
func ownerBy(owner *System, byName func() *System) *System {
	if owner.Owned() {
		return owner
	}
	return cmp.Or(byName(), owner)
}
