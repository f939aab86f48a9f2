// Package naming decides what a name should be. It knows the conventions'
// forms, the packs' rules and the general rules behind them, and nothing of
// telemetry: every function here is pure, so that processors can cache what it
// says and a connector can ask without changing anything.
package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// OriginalNameKey is where the name that was replaced is kept: an attribute of a
// span, or a key of a metric's metadata.
const OriginalNameKey = "tc.original_name"

// Unknown says what becomes of a metric name that no pack knows.
type Unknown string

// What can become of an unknown metric name.
const (
	UnknownRename Unknown = "rename" // the general rule makes it conformant
	UnknownPass   Unknown = "pass"   // it stays as it is and counts as a violation
	UnknownDrop   Unknown = "drop"   // the metric is dropped
)

// Options are the settings that decisions depend on.
type Options struct {
	// Prefix begins every conformant metric name, such as tc_.
	Prefix string
	// Unknown says what becomes of a metric name that no pack knows.
	Unknown Unknown
	// Exempt are metric names that are never changed by a prefix or the general rule.
	Exempt []string
	// SensitiveKeys are the last parts of attribute keys whose values must not travel.
	SensitiveKeys []string
	// Sensitive says what becomes of the values of SensitiveKeys.
	Sensitive conventions.Sensitive
}

// Namer decides names by packs and options. It is immutable and safe for
// concurrent use.
type Namer struct {
	systems []*System
	common  []*System // those whose packs own all telemetry
	prefix  string
	unknown Unknown
	exempt  []glob.Glob
	ids     map[string]*System // in telemetry that no pack owns

	sensitiveKeys map[string]bool
	sensitive     conventions.Sensitive
}

// System is one pack, prepared for look-ups. A nil *System stands for telemetry
// that no pack owns.
type System struct {
	name       string
	index      int // from 1; 0 is nil's
	pack       *conventions.Pack
	renames    map[string]string
	prefixes   []prefix
	attributes map[string]conventions.AttributeRule
	deciders   []*System // itself, then those whose packs own all telemetry
	ids        map[string]*System
}

type prefix struct{ from, to string }

// New prepares packs for decisions. Where two packs own the same telemetry the
// earlier one decides.
func New(packs []*conventions.Pack, opts Options) *Namer {
	n := &Namer{
		prefix:        opts.Prefix,
		unknown:       opts.Unknown,
		sensitiveKeys: make(map[string]bool, len(opts.SensitiveKeys)),
		sensitive:     opts.Sensitive,
	}
	for _, key := range opts.SensitiveKeys {
		n.sensitiveKeys[snakeCase(key)] = true
	}
	for _, text := range opts.Exempt {
		n.exempt = append(n.exempt, glob.New(text))
	}
	for _, pack := range packs {
		s := &System{name: pack.System, index: len(n.systems) + 1, pack: pack, renames: map[string]string{}, attributes: map[string]conventions.AttributeRule{}}
		for from, to := range pack.Metrics.Prefixes {
			s.prefixes = append(s.prefixes, prefix{from, n.ownPrefix(to)})
		}
		for from, to := range pack.Metrics.Rename {
			s.renames[from] = n.ownPrefix(to)
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
	for _, s := range n.systems {
		s.deciders = append(s.deciders, s)
		for _, common := range n.common {
			if common != s {
				s.deciders = append(s.deciders, common)
			}
		}
		s.ids = n.idKeys(s)
	}
	n.ids = n.idKeys(nil)
	return n
}

// ownPrefix puts the configured prefix in place of tc_, which packs are written in.
func (n *Namer) ownPrefix(name string) string {
	return n.prefix + strings.TrimPrefix(name, conventions.MetricPrefix)
}

// Name is the pack's name, or "none" for a nil System.
func (s *System) Name() string {
	if s == nil {
		return "none"
	}
	return s.name
}

// RedactBody takes what must not travel out of a text in a log's body, and tells
// whether there was any.
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

// Index numbers the systems of a Namer from 1; a nil System has 0.
func (s *System) Index() int {
	if s == nil {
		return 0
	}
	return s.index
}

// Systems are the systems of all packs, in the packs' order.
func (n *Namer) Systems() []*System { return n.systems }

// Owner returns the system that owns what a resource and a scope send, or nil. A
// pack that owns everything owns nothing in particular. Attr looks a resource
// attribute up.
func (n *Namer) Owner(attr func(key string) (value string, ok bool), scope string) *System {
	for _, s := range n.systems {
		for key, globs := range s.pack.Owns.Resource {
			if value, ok := attr(key); ok && matchAny(globs, value) {
				return s
			}
		}
		if matchAny(s.pack.Owns.Scopes, scope) {
			return s
		}
	}
	return nil
}

// deciders are the systems whose rules apply to an owner's telemetry, in order:
// its own, then those of the packs that own everything.
func (n *Namer) deciders(owner *System) []*System {
	if owner == nil {
		return n.common
	}
	return owner.deciders
}

func matchAny(globs []glob.Glob, name string) bool {
	return slices.ContainsFunc(globs, func(g glob.Glob) bool { return g.Match(name) })
}

// ValidatePrefix reports a prefix that no conformant name can begin with.
func ValidatePrefix(prefix string) error {
	if !conformantPrefix(prefix) {
		return fmt.Errorf("prefix: must be lower_snake_case and end in an underscore, such as tc_ (got %q)", prefix)
	}
	return nil
}

// ValidateSensitive reports a value that Sensitive does not have.
func ValidateSensitive(value string) error {
	switch conventions.Sensitive(value) {
	case conventions.SensitiveRedact, conventions.SensitiveRemove:
		return nil
	}
	return fmt.Errorf("sensitive: must be redact or remove (got %q)", value)
}

// ValidateUnknown reports a value that Unknown does not have.
func ValidateUnknown(value string) error {
	switch Unknown(value) {
	case UnknownRename, UnknownPass, UnknownDrop:
		return nil
	}
	return fmt.Errorf("unknown: must be rename, pass or drop (got %q)", value)
}
