// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

// Page reports whether the metrics of a scope are those of one scraped page.
func Page(scope string) bool { return strings.HasSuffix(scope, "prometheusreceiver") }

// MetricOwner returns the system to which a metric of this name belongs, or nil.
func (n *Namer) MetricOwner(name string) *System {
	for _, s := range n.systems {
		if matchAny(s.pack.Owns.Metrics, name) {
			return s
		}
	}
	return nil
}

// several is how many metrics a system has to own by name for a whole page to be its own.
const several = 2

// PageOwner returns the system that a scraped page belongs to as a whole, or nil: the only system with evidence. Its
// pack owns several of the metrics by name, or lists names that are all there. It is not ok if nothing is decided yet:
// the page may have more metrics later. OwnerOf returns what MetricOwner does.
func (n *Namer) PageOwner(metrics iter.Seq[string], ownerOf func(name string) *System) (owner *System, ok bool) {
	owned := 0
	for name := range metrics {
		by := ownerOf(name)
		switch {
		case by == nil:
			continue
		case owner != nil && by != owner:
			return nil, true
		}
		owner = by
		owned++
	}
	for _, s := range n.systems {
		switch {
		case len(s.pack.Owns.Page) == 0 || !hasAll(metrics, s.pack.Owns.Page):
			continue
		case owner != nil && s != owner:
			return nil, true
		}
		owner, owned = s, several
	}
	if owned < several {
		return nil, false
	}
	return owner, true
}

// hasAll reports whether a page has all metrics of a list.
func hasAll(metrics iter.Seq[string], list []string) bool {
	missing := slices.Clone(list)
	for name := range metrics {
		if i := slices.Index(missing, name); i >= 0 {
			missing = slices.Delete(missing, i, i+1)
		}
	}
	return len(missing) == 0
}

// Namer decides names by packs and options. It is immutable and safe for concurrent use.
type Namer struct {
	systems   []*System
	resources []ownedKey                   // the keys by which the systems own resources
	scopes    namecache.Cache[string, int] // the index of the first system that owns a scope
	common    []*System                    // the systems whose packs own all telemetry
	prefix    string
	unowned   Unowned
	services  []service
	nobodies  []*System               // of the services that have a choice of their own
	exempt    []glob.Glob             // by default
	kept      []glob.Glob             // exempt ones that prefix mappings do not change
	ids       map[string]*System      // of telemetry that no pack owns
	copies    func() *AttributeCopies // in telemetry that no pack owns

	copyNames map[string]bool // of copies by rules, in lower case
}

// System is a pack that is prepared for look-ups. A nil *System stands for telemetry that no
// pack owns, and so does a System that is not Owned: that of a service with a choice of its own.
type System struct {
	name       string
	index      int // from 1; a nil System has 0
	pack       *conventions.Pack
	unowned    bool    // stands for telemetry that no pack owns
	repairs    Unowned // the names to which the general rules apply
	renames    map[string]string
	prefixes   []prefix
	attributes map[string]conventions.AttributeRule
	deciders   []*System // this system, then those whose packs own all telemetry
	ids        map[string]*System
	copies     func() *AttributeCopies
}

type prefix struct{ from, to string }

// Name returns the pack's name, or "none" for a nil System.
func (s *System) Name() string {
	if s == nil {
		return nobodyName
	}
	return s.name
}

// OwnerRule returns the pack's rule for the owners of what a metric measures, or nil if the pack has none, if systems
// does not name it, or if the rule selects none of the metric's names.
func (s *System) OwnerRule(systems []string, names ...string) *conventions.OwnerRule {
	if s == nil || s.pack == nil || s.pack.Owner == nil || !slices.Contains(systems, s.name) || !s.pack.Owner.Selects(names...) {
		return nil
	}
	return s.pack.Owner
}

// Index returns the number of the system within its Namer, from 1. A nil System has 0.
func (s *System) Index() int {
	if s == nil {
		return 0
	}
	return s.index
}

// Systems returns the systems of all packs, in the packs' order.
func (n *Namer) Systems() []*System { return n.systems }

// deciders returns the systems whose rules apply to an owner's telemetry, in order: the owner,
// then those whose packs own all telemetry.
func (n *Namer) deciders(owner *System) []*System {
	if owner == nil {
		return n.common
	}
	return owner.deciders
}

func matchAny(globs []glob.Glob, name string) bool {
	return slices.ContainsFunc(globs, func(g glob.Glob) bool { return g.Match(name) })
}

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

// nobodyName is the name of the owner of telemetry that no pack owns.
const nobodyName = "none"

// service is the System of the services that match.
type service struct {
	match  glob.Glob
	system *System
}

// Owner returns the system that owns the telemetry of a resource and a scope. Without one it
// returns nil, or the system of a service that Options.Services names. Packs that own all
// telemetry are not considered. Attr looks up a resource attribute.
func (n *Namer) Owner(attr func(key string) (value string, ok bool), scope string) *System {
	first := namecache.ByText(n.scopes, scope, n.firstByScope)
	for i := range n.resources {
		if value, ok := attr(n.resources[i].key); ok {
			first = min(first, namecache.ByText(n.resources[i].values, value, n.resources[i].first))
		}
	}
	if first < len(n.systems) {
		return n.systems[first]
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

// ownedKey is a resource attribute by which packs own telemetry. All packs together have few keys, so a resource is
// asked for each once. The packs decide only about a value that is new.
type ownedKey struct {
	key    string
	first  func(value string) (index int) // of the first system that owns a value
	values namecache.Cache[string, int]   // what first returned
}

// addOwnedKeys prepares Owner. Nobody's index is the number of the systems.
func (n *Namer) addOwnedKeys() {
	n.scopes = namecache.New[string, int]()
	for _, s := range n.systems {
		for _, owned := range s.pack.Owns.Resource {
			if slices.ContainsFunc(n.resources, func(k ownedKey) bool { return k.key == owned.Key }) {
				continue
			}
			first := func(value string) int {
				return n.first(func(o *conventions.Ownership) bool { return o.SelectsResource(owned.Key, value) })
			}
			n.resources = append(n.resources, ownedKey{owned.Key, first, namecache.New[string, int]()})
		}
	}
}

func (n *Namer) firstByScope(scope string) int {
	return n.first(func(o *conventions.Ownership) bool { return o.SelectsScope(scope) })
}

// first returns the index of the first system whose pack selects.
func (n *Namer) first(selects func(o *conventions.Ownership) bool) int {
	if i := slices.IndexFunc(n.systems, func(s *System) bool { return selects(&s.pack.Owns) }); i >= 0 {
		return i
	}
	return len(n.systems)
}

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

// ownerBy returns the system to which a name belongs by its form, or the owner of its resource
// or scope if that is a pack or no form is known.
func ownerBy(owner *System, byName func() *System) *System {
	if owner.Owned() {
		return owner
	}
	return cmp.Or(byName(), owner)
}

// Repairs returns the kinds of names that the general rules repair in telemetry that no pack owns.
func (n *Namer) Repairs(service string) Unowned {
	for _, s := range n.services {
		if s.match.Match(service) {
			return n.repairs(s.system)
		}
	}
	return n.unowned
}

// spanOwner returns the system to which a span of this name belongs, or nil.
func (n *Namer) spanOwner(name string) *System {
	for _, s := range n.systems {
		if slices.ContainsFunc(s.pack.Owns.Spans, func(p *regexp.Regexp) bool { return p.MatchString(name) }) {
			return s
		}
	}
	return nil
}
