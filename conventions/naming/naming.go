// SPDX-License-Identifier: Apache-2.0

// Package naming decides the conformant names of metrics, spans and attributes. New prepares
// the packs; the methods of Namer then decide by the packs' rules and the general rules.
// Nothing here depends on telemetry: all functions are pure, so processors can cache decisions,
// and a connector can ask for them without a change.
package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// OriginalNameKey holds the name that was replaced: an attribute of a span, or a key of a
// metric's metadata.
const OriginalNameKey = "tc.original_name"

// ScrapedTypeKey is a key of a metric's metadata: its type on the page that the prometheus receiver scraped. With
// it, and without OriginalNameKey, a metric has the name that it had there.
const ScrapedTypeKey = "prometheus.type"

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

// Namer decides names by packs and options. It is immutable and safe for concurrent use.
type Namer struct {
	systems  []*System
	common   []*System // the systems whose packs own all telemetry
	prefix   string
	unowned  Unowned
	services []service
	nobodies []*System          // of the services that have a choice of their own
	exempt   []glob.Glob        // by default
	kept     []glob.Glob        // exempt ones that prefix mappings do not change
	ids      map[string]*System // of telemetry that no pack owns
	copies   *AttributeCopies   // in telemetry that no pack owns

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
	copies     *AttributeCopies
}

type prefix struct{ from, to string }

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
	n.ids, n.copies = n.idKeys(nil), n.attributeCopies(nil)
	for _, s := range n.systems {
		s.deciders = append(s.deciders, s)
		for _, common := range n.common {
			if common != s {
				s.deciders = append(s.deciders, common)
			}
		}
		s.ids, s.copies = n.idKeys(s), n.copies
		if s.repairs != n.unowned || !s.hasNobodysCopies() {
			s.copies = n.attributeCopies(s)
		}
	}
	n.prepareServices(opts.Services)
	return n
}

// ownPrefix replaces tc_, which packs are written in, by the configured prefix.
func (n *Namer) ownPrefix(name string) string {
	return n.prefix + strings.TrimPrefix(name, conventions.MetricPrefix)
}

// Name returns the pack's name, or "none" for a nil System.
func (s *System) Name() string {
	if s == nil {
		return nobodyName
	}
	return s.name
}

// RedactBody replaces sensitive parts of a text in a log's body, and reports whether there were
// any.
func (n *Namer) RedactBody(owner *System, text, replacement string) (string, bool) {
	found := false
	for _, system := range n.deciders(owner) {
		for _, pattern := range system.pack.Logs.Redact {
			if pattern.MatchString(text) {
				text, found = pattern.ReplaceAllLiteralString(text, replacement), true
			}
		}
	}
	return text, found
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

// ValidatePrefix returns an error for a prefix that no conformant name can have.
func ValidatePrefix(prefix string) error {
	if !conformantPrefix(prefix) {
		return fmt.Errorf("prefix: must be lower_snake_case and end in an underscore, such as tc_ (got %q)", prefix)
	}
	return nil
}
