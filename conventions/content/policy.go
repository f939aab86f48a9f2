// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// Policy decides which values are replaced, and by what. It is safe for concurrent use.
type Policy struct {
	action   Action // of services without an entry
	secrets  Action
	services []service // most specific first
	replacer replacer

	except   []keyGlob // of everything
	plain    []keyGlob // of content
	further  rules     // content, by the user's globs
	content  rules
	secret   secrets
	headers  rules // whole keys with credentials
	events   []globRule
	scopes   []Scope
	lines    []lineRule
	markers  markers // of lines
	urlRule  *Rule
	byIndex  []*Rule
	counters counters
}

type service struct {
	match  glob.Glob
	action Action
}

// New prepares a valid configuration. Services are the actions of some services for content, by glob of
// service.name; the most specific glob applies.
func New(cfg Config, services map[string]Action) *Policy {
	p := &Policy{
		action:   cmp.Or(cfg.Default, Redact),
		secrets:  cmp.Or(cfg.Secrets, Redact),
		replacer: replacer{[]byte(cfg.HashKey), cmp.Or(cfg.TruncateBytes, defaultTruncateBytes)},
		further:  rules{exact: map[string]*Rule{}},
		content:  rules{exact: map[string]*Rule{}},
		headers:  rules{exact: map[string]*Rule{}},
	}
	for text, action := range services {
		if action != "" {
			p.services = append(p.services, service{glob.New(text), action})
		}
	}
	slices.SortFunc(p.services, func(a, b service) int { return glob.Specific(a.match, b.match) })
	for _, text := range cfg.Except {
		p.except = append(p.except, newKeyGlob(text))
	}
	for _, text := range plain {
		p.plain = append(p.plain, newKeyGlob(text))
	}
	p.addSecrets(cfg)
	p.addContent(cfg.Keys)
	p.addScopes()
	p.addLines()
	p.urlRule = p.rule(&Rule{Label: "url", Secret: true})
	return p
}

// rule gives a rule its index.
func (p *Policy) rule(r *Rule) *Rule {
	r.index = len(p.byIndex)
	p.byIndex = append(p.byIndex, r)
	return r
}

// addContent adds the rules for content.
func (p *Policy) addContent(further []string) {
	for _, text := range further {
		p.further.add(strings.ToLower(text), p.rule(newContentRule(text)))
	}
	for _, source := range sources {
		for _, text := range source.keys {
			p.content.add(text, p.rule(newContentRule(text)))
		}
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
	// Words means that the value stays if it is a word of the conventions, such as a role.
	Words bool
	// URL is the form of URLs in the value.
	URL URL
	// Line means that the value of a log record's attribute is a line of a log.
	Line bool
}

// Key decides about an attribute key, or about a path of keys that are joined by dots. The decision can be
// cached: it does not depend on the service.
func (p *Policy) Key(key string) Key {
	lower := strings.ToLower(key)
	if matchAny(p.except, lower) {
		return Key{URL: Any}
	}
	if rule := cmp.Or(p.secret.find(key), p.headers.find(lower)); rule != nil {
		return Key{Rule: rule}
	}
	k := Key{URL: urlOf(lower), Line: lineKeys[lower]}
	if k.Rule = p.further.find(lower); k.Rule != nil {
		return k
	}
	if matchAny(p.plain, lower) {
		return k
	}
	if k.Rule = p.content.find(lower); k.Rule != nil {
		k.Words = wordKeys[lower[strings.LastIndexByte(lower, '.')+1:]]
	}
	return k
}

// Excepts reports whether a setting says that an attribute key is neither content nor secret.
func (p *Policy) Excepts(key string) bool { return matchAny(p.except, strings.ToLower(key)) }

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
	if k.Rule != nil || parts && !partFields[field] || fields[last] || event.program && recordFields[key] || matchAny(p.except, strings.ToLower(key)) {
		return k
	}
	return Key{Rule: event, Words: wordKeys[last]}
}

// Action returns what happens to the values of a rule, where content is the action of the service.
func (p *Policy) Action(rule *Rule, content Action) Action {
	if rule.Secret {
		return p.secrets
	}
	return content
}

// Replace returns what replaces a text, which is the text itself if nothing changes.
func (p *Policy) Replace(k Key, action Action, text string) string {
	if k.Words && words[text] || k.Rule != nil && k.Rule.Secret && redact.StatesFact(text) {
		return text
	}
	return p.replacer.replace(action, text)
}

// Rules returns all rules, each at its index.
func (p *Policy) Rules() []*Rule { return p.byIndex }

// Index returns the index of the rule in Policy.Rules.
func (r *Rule) Index() int { return r.index }
