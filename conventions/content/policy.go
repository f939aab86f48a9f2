// SPDX-License-Identifier: Apache-2.0

// Package content decides which values must not travel on, and what replaces them: texts of
// conversations with models, credentials, and secrets in URLs. A Policy decides by the attribute key, and
// by the service where the services have different settings. It knows no container of telemetry: the
// naming processor finds the values and replaces them.
package content

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// Policy decides which values are replaced, and by what. It is safe for concurrent use.
type Policy struct {
	action   Action // of services without an entry
	secrets  Action
	services []service // most specific first
	replacer replacer

	allow   []keyGlob // neither content nor credentials
	plain   []keyGlob // of content
	further rules     // content, by the user's globs
	content rules
	secret  secrets
	headers rules // whole keys with credentials
	events  []globRule
	scopes  []Scope
	lines   []lineRule
	markers markers // of lines
	// ofPrograms are the lines whose rules depend on the record, as bits.
	ofPrograms uint64
	urlRule    *Rule
	byIndex    []*Rule
	counters   *counters

	// About calls to models.
	resources  conventions.OwnedResources
	packKeys   map[string]bool
	free       *Rule // text under a key that is not known
	inText     *Rule // fields of texts
	fieldKinds namecache.Cache[string, fieldKind]
	ofModels   namecache.Cache[string, bool] // names of services
}

// Service is what a setting says of some services.
type Service struct {
	// Action is what happens to content. Empty means the default.
	Action Action
	// Models means that all their telemetry is about calls to models.
	Models bool
}

type service struct {
	match  glob.Glob
	action Action
	models bool
}

// New prepares a valid configuration without packs. Services are the actions of some services for content, by glob of
// service.name; the most specific glob applies.
func New(cfg Config, services map[string]Action) *Policy {
	all := make(map[string]Service, len(services))
	for text, action := range services {
		all[text] = Service{Action: action}
	}
	return NewWith(cfg, all, nil)
}

// NewWith is New with packs. They know services of models, and keys without content.
func NewWith(cfg Config, services map[string]Service, packs []*conventions.Pack) *Policy {
	p := &Policy{
		action:   cmp.Or(cfg.Default, Redact),
		secrets:  cmp.Or(cfg.Secrets, Redact),
		counters: &counters{},
		replacer: replacer{[]byte(cfg.HashKey), cmp.Or(cfg.TruncateBytes, defaultTruncateBytes)},
		further:  rules{exact: map[string]*Rule{}},
		content:  rules{exact: map[string]*Rule{}},
		headers:  rules{exact: map[string]*Rule{}},

		fieldKinds: namecache.New[string, fieldKind](), ofModels: namecache.New[string, bool](),
	}
	for text, set := range services {
		if set.Action != "" || set.Models {
			p.services = append(p.services, service{glob.New(text), cmp.Or(set.Action, p.action), set.Models})
		}
	}
	slices.SortFunc(p.services, func(a, b service) int { return glob.Specific(a.match, b.match) })
	for _, text := range cfg.Allow {
		p.allow = append(p.allow, newKeyGlob(text))
	}
	for _, text := range plain {
		p.plain = append(p.plain, newKeyGlob(text))
	}
	p.addSecrets(cfg)
	p.addContent(cfg.Keys)
	p.addScopes()
	p.addLines()
	p.addPacks(packs)
	p.free = p.rule(newContentRule("free text"))
	p.inText = p.rule(newContentRule("fields in text"))
	p.urlRule = p.rule(&Rule{Label: "url", Secret: true})
	return p
}

// rule gives a rule its index.
func (p *Policy) rule(r *Rule) *Rule {
	r.index = len(p.byIndex)
	p.byIndex = append(p.byIndex, r)
	return r
}

func (p *Policy) addContent(further []string) {
	for _, text := range further {
		p.further.add(strings.ToLower(text), p.rule(newContentRule(text)))
	}
	for _, text := range models().content {
		p.content.add(text, p.rule(newContentRule(text)))
	}
	for _, text := range events {
		p.events = append(p.events, globRule{newKeyGlob(text), p.rule(newContentRule(text))})
	}
}

// Service returns what happens to the content of a service.
func (p *Policy) Service(name string) Action {
	for i := range p.services {
		if p.services[i].match.Match(name) {
			return p.services[i].action
		}
	}
	return p.action
}

// Protects reports whether anything of a service can change, where content is the action of the service.
func (p *Policy) Protects(content Action) bool { return content != Keep || p.secrets != Keep }

// Key is what is known about an attribute key.
type Key struct {
	// Rule says why the value is replaced. Nil means that it is not.
	Rule *Rule
	// URL is the form of URLs in the value.
	URL URL
	// Leaf means that the value stays if it is an identifier, such as a role.
	Leaf bool
	// Line means that the value of a log record's attribute is a line of a log.
	Line bool
	// Models means that what has the key is about a call to a model. The next fields are about such telemetry.
	Models bool
	// Harmless means that the key is known to have no content.
	Harmless bool
	// Word means that only values without white space have none.
	Word bool
	// Searched means that the fields of the value are replaced, and not the value.
	Searched bool
	// Allowed means that the user allows all values of the key.
	Allowed bool

	// Name means that the value is a name as those of spans are.
	Name bool
	// Call means that a log record with the key is about one call itself. Lines of programs have ids and what formats of
	// logs set, too.
	Call bool
	// Text means that the key is a text itself.
	Text bool

	// Field means that its name is that of a field with content.
	Field bool
	// Plain means that the key is one of names and counts in a namespace with content.
	Plain bool
}

// Stricter reports whether less may leave under the key than under another one, where one value has both.
func (k *Key) Stricter(other *Key) bool {
	return k.Rule != nil && other.Rule == nil || k.Models && !other.Models || other.Known() && !k.Known() || k.Field && !other.Field
}

// Passes reports whether a text of the key may leave, in telemetry about calls to models, because the key is known.
func (k *Key) Passes(text string) bool {
	return k.passes(text, classesOf(text))
}

// passes is Passes for a text with these classes. A word can be an id, a type or a value of an enumeration, which may
// be long and be in quotes or brackets.
func (k *Key) passes(text string, found uint16) bool {
	return k.Known() && (k.Allowed || (!k.Word || found&noWord == 0) && (!k.Name || isShort(text)))
}

// Leaves reports whether a text of the key may leave as it is, in telemetry about calls to models: it passes or is an
// identifier, and has neither fields nor URLs. Most texts do, so their bytes are read once.
func (k *Key) Leaves(text string) bool {
	found := classesOf(text)
	switch {
	case k.URL != AnyText || found&separator != 0:
		return false
	case !k.Searched && k.passes(text, found):
		return true
	}
	return !k.Field && isIdentifier(text, found)
}

// Known reports whether all texts of the key may leave, in telemetry about calls to models.
func (k *Key) Known() bool { return k.Harmless || k.Searched || k.Allowed }

// Key decides about an attribute key, or about a path of keys that are joined by dots. The decision can be
// cached: it does not depend on the service.
func (p *Policy) Key(key string) Key {
	lower := strings.ToLower(key)
	k := Key{URL: urlOf(key), Line: logLines().keys[lower], Allowed: matchAny(p.allow, lower)}
	p.classify(&k, lower)
	if k.Allowed {
		return k
	}
	if rule := cmp.Or(p.secret.find(key), p.headers.find(lower)); rule != nil {
		k.Rule = rule
		return k
	}
	if k.Rule = p.further.find(lower); k.Rule != nil {
		return k
	}
	if matchAny(p.plain, lower) {
		k.Field, k.Plain = false, true
		return k
	}
	if k.Rule = p.content.find(lower); k.Rule != nil {
		k.Leaf = k.Rule.isLeaf(lower)
	}
	return k
}

// Path decides about a path of keys that are joined by dots. Loggers wrap the maps of others, so its end counts too,
// from a key of telemetry about models on.
func (p *Policy) Path(path string) Key {
	k := p.Key(path)
	for rest := path; k.Rule == nil && !k.Known() && !k.Models; {
		_, after, ok := strings.Cut(rest, ".")
		if !ok {
			break
		}
		if rest = after; models().inNamespace(strings.ToLower(rest)) {
			k = p.Key(rest)
		}
	}
	return k
}

// Allows reports whether a setting says that an attribute key is neither content nor a credential.
func (p *Policy) Allows(key string) bool { return matchAny(p.allow, strings.ToLower(key)) }

// Event returns the rule for a span event or a log record whose fields are content, or nil.
func (p *Policy) Event(name string) *Rule {
	if name == "" {
		return nil
	}
	lower := strings.ToLower(name)
	for i := range p.events {
		if p.events[i].match(lower) {
			return p.events[i].rule
		}
	}
	return nil
}

// Field decides about a key of such an event, where k is the decision about the key elsewhere. A key can
// be one of several of a field: tool_calls.0.function.arguments.
func (p *Policy) Field(event *Rule, key string, k Key) Key {
	field, _, parts := strings.Cut(key, ".")
	last := key[strings.LastIndexByte(key, '.')+1:]
	if k.Rule != nil || k.Allowed || parts && !partFields[field] || fields[last] || key == EventName || event.program && logLines().recordFields[key] {
		return k
	}
	return Key{Rule: event, Leaf: event.isLeaf(strings.ToLower(key))}
}

// Free returns the rule for a text under a key that is not known, in telemetry about calls to models, or nil if the
// text may leave: it is an identifier, and the key is not that of a field with content.
func (p *Policy) Free(k Key, text string) *Rule {
	if text == "" || (!k.Field || isPlain(text)) && (Identifier(text) || isTime(text) || isQuoted(text)) {
		return nil
	}
	return p.free
}

// Action returns what happens to the values of a rule, where content is the action of the service.
func (p *Policy) Action(rule *Rule, content Action) Action {
	if rule.Secret {
		return p.secrets
	}
	return content
}

// FreeRule returns the rule for text under keys that are not known.
func (p *Policy) FreeRule() *Rule { return p.free }

// Replace returns what replaces a text, which is the text itself if nothing changes.
func (p *Policy) Replace(k Key, action Action, text string) string {
	if k.Leaf && Identifier(text) || k.Rule != nil && k.Rule.Secret && redact.StatesFact(text) {
		return text
	}
	return p.replacer.replace(action, text)
}

// Rules returns all rules, each at its index.
func (p *Policy) Rules() []*Rule { return p.byIndex }

// Index returns the index of the rule in Policy.Rules.
func (r *Rule) Index() int { return r.index }
