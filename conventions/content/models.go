// SPDX-License-Identifier: Apache-2.0

package content

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/internal/namecache"
)

//go:embed models.yaml
var modelsYAML []byte

// entry is names of models.yaml, with where they were read. A text can have several names, with spaces between them.
type entry struct {
	Source string   `yaml:"source"`
	Scope  string   `yaml:"scope"` // of scoped
	Names  []string `yaml:"names"`
}

// document is models.yaml, which says what each list is.
type document struct {
	Namespaces []entry `yaml:"namespaces"`
	Scopes     []entry `yaml:"scopes"`
	Packs      []entry `yaml:"packs"`
	Services   []entry `yaml:"services"`
	Harmless   []entry `yaml:"harmless"`
	Free       []entry `yaml:"free"`
	Words      []entry `yaml:"words"`
	Operations []entry `yaml:"operations"`
	Logged     []entry `yaml:"logged"`
	Named      []entry `yaml:"named"`
	Speakers   []entry `yaml:"speakers"`
	Phrases    []entry `yaml:"phrases"`
	Searched   []entry `yaml:"searched"`
	Leaves     []entry `yaml:"leaves"`
	Leafy      []entry `yaml:"leafy"`
	Fields     []entry `yaml:"fields"`
	Weak       []entry `yaml:"weak"`
	Content    []entry `yaml:"content"`
	Scoped     []entry `yaml:"scoped"`
}

// names returns the names of a list.
func names(entries []entry) (all []string) {
	for _, e := range entries {
		for _, text := range e.Names {
			all = append(all, strings.Fields(text)...)
		}
	}
	return all
}

// list is models.yaml, prepared for look-ups.
type list struct {
	namespaces       []string
	scopes, services glob.List
	packs            []string
	harmless         keySet
	free             keySet
	searched         keySet
	named            []string
	leaves, leafy    map[string]bool
	fields, weak     map[string]bool
	words            map[string]bool
	speakers         map[string]bool
	phrases          []string
	operations       keySet
	logged           map[string]bool
	content          []string
	scoped           []entry
}

var models = sync.OnceValue(func() *list {
	var d document
	if err := yaml.Unmarshal(modelsYAML, &d); err != nil {
		panic(err) // every test reads the embedded file
	}
	var phrases []string
	for _, e := range d.Phrases {
		phrases = append(phrases, e.Names...)
	}
	return &list{
		speakers: set(names(d.Speakers)), phrases: phrases,
		namespaces: names(d.Namespaces), scopes: globs(names(d.Scopes)), services: globs(names(d.Services)), packs: names(d.Packs),
		harmless: newKeySet(names(d.Harmless)), free: newKeySet(names(d.Free)), searched: newKeySet(names(d.Searched)), named: names(d.Named),
		leaves: set(names(d.Leaves)), leafy: set(names(d.Leafy)), fields: set(names(d.Fields)), weak: set(names(d.Weak)), words: set(names(d.Words)),
		operations: newKeySet(names(d.Operations)), logged: set(names(d.Logged)),
		content: names(d.Content), scoped: d.Scoped,
	}
})

func globs(texts []string) (list glob.List) {
	for _, text := range texts {
		list = append(list, glob.New(text))
	}
	return list
}

func set(texts []string) map[string]bool {
	all := make(map[string]bool, len(texts))
	for _, text := range texts {
		all[text] = true
	}
	return all
}

// keySet matches whole keys in lower case: exact ones, and globs.
type keySet struct {
	exact map[string]bool
	globs glob.List
}

func newKeySet(texts []string) keySet {
	s := keySet{exact: map[string]bool{}}
	for _, text := range texts {
		if strings.Contains(text, "*") {
			s.globs = append(s.globs, glob.New(text))
		} else {
			s.exact[text] = true
		}
	}
	return s
}

func (s *keySet) has(key string) bool { return s.exact[key] || s.globs.Match(key) }

// inNamespace reports whether a key or the name of an event, in lower case, is one of telemetry about models.
func (l *list) inNamespace(name string) bool {
	return slices.ContainsFunc(l.namespaces, func(namespace string) bool { return strings.HasPrefix(name, namespace) })
}

// addPacks adds what packs say: the resources that systems of models have, and the keys that a pack names. A pack's
// keys are known, but for those that models.yaml calls free.
func (p *Policy) addPacks(packs []*conventions.Pack) {
	p.packKeys = map[string]bool{}
	for _, pack := range packs {
		if slices.Contains(models().packs, pack.System) {
			p.resources = append(p.resources, pack.Owns.Resource...)
		}
		for i := range pack.Attributes {
			rule := &pack.Attributes[i]
			p.packKeys[strings.ToLower(rule.Key)] = true
			for _, also := range rule.Also {
				p.packKeys[strings.ToLower(also.Key)] = true
				if p.content.find(strings.ToLower(also.Key)) != nil {
					delete(p.packKeys, strings.ToLower(rule.Key)) // the pack says that it is content
				}
			}
		}
	}
}

// ModelScope reports whether an instrumentation scope, or the name of a logger, is about calls to models.
func (p *Policy) ModelScope(name string) bool {
	return name != "" && models().scopes.Match(strings.ToLower(name))
}

// ModelEvent reports whether the name of an event is about calls to models.
func (p *Policy) ModelEvent(name string) bool { return models().inNamespace(strings.ToLower(name)) }

// ModelResource reports whether all telemetry of a resource is about calls to models: the user or models.yaml names
// the service, or a pack of an engine, a gateway or an agent owns it. Attr looks up an attribute of the resource.
func (p *Policy) ModelResource(attr func(key string) string) bool {
	if namecache.ByText(p.ofModels, attr(serviceName), p.isModelService) {
		return true
	}
	for i := range p.resources {
		owned := &p.resources[i]
		if owned.Key == serviceName {
			continue
		}
		if value := attr(owned.Key); value != "" && owned.Values.Match(value) {
			return true
		}
	}
	return false
}

const serviceName = "service.name"

// isModelService reports whether the name of a service says so.
func (p *Policy) isModelService(service string) bool {
	for i := range p.services {
		if p.services[i].match.Match(service) {
			if p.services[i].models {
				return true
			}
			break
		}
	}
	owns := func(owned conventions.OwnedResource) bool {
		return service != "" && owned.Key == serviceName && owned.Values.Match(service)
	}
	return models().services.Match(strings.ToLower(service)) || slices.ContainsFunc(p.resources, owns)
}

// classify says what models.yaml, the packs and the user know about a key in lower case.
func (p *Policy) classify(k *Key, lower string) {
	m := models()
	k.Models = m.inNamespace(lower)
	k.Searched = m.searched.has(lower)
	content := fieldOf(lower) == strong
	k.Harmless = !m.free.has(lower) && (m.harmless.exact[lower] || !content && m.harmless.globs.Match(lower) || p.packKeys[lower])
	last := lastPart(lower)
	k.Word = k.Harmless && (!m.harmless.has(lower) && !strings.HasSuffix(last, "description") || m.words[lower] || m.words[last[strings.LastIndexByte(last, '_')+1:]])
	k.Name = k.Harmless && m.operations.has(lower)
	k.Call = k.Models && !m.logged[lower] && last != "id" && !strings.HasSuffix(last, "_id")
	k.Text = isTextKey(lower)
	k.Field = !k.Harmless && !k.Searched && content
}

// Scope is an instrumentation scope with keys of its own.
type Scope struct {
	name  glob.Glob
	rules rules
	index int
}

func (p *Policy) addScopes() {
	for i, e := range models().scoped {
		scope := Scope{name: glob.New(e.Scope), rules: rules{exact: map[string]*Rule{}}, index: i + 1}
		for _, text := range names([]entry{e}) {
			rule := newContentRule(text)
			rule.Label = e.Scope + ":" + text
			scope.rules.add(text, p.rule(rule))
		}
		p.scopes = append(p.scopes, scope)
	}
}

// Scope returns what is known about an instrumentation scope, or nil.
func (p *Policy) Scope(name string) *Scope {
	for i := range p.scopes {
		if p.scopes[i].name.Match(name) {
			return &p.scopes[i]
		}
	}
	return nil
}

// Index returns a small number, which no other scope has. A nil Scope has 0.
func (s *Scope) Index() int {
	if s == nil {
		return 0
	}
	return s.index
}

// InScope decides about a key in a scope, which may be nil, where k is the decision about the key elsewhere.
func (p *Policy) InScope(scope *Scope, key string, k Key) Key {
	if scope != nil && k.Rule == nil && !k.Allowed {
		k.Rule = scope.rules.find(strings.ToLower(key))
	}
	return k
}
