package conventions

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The forms of names that a pack can give: schema.json's metricName and the
// rename of an attribute.
var (
	metricForm = regexp.MustCompile(`^tc(_[a-z0-9]+)+$`)
	keyForm    = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$`)
)

// pack says in rules what the registry says in names.
func (r *registry) pack(system string) *Pack {
	p := &Pack{System: system, Owns: Ownership{All: true}}
	for _, name := range slices.Sorted(maps.Keys(r.metrics)) {
		known := r.metrics[name]
		if to, ok := r.metricRename(name); ok {
			if p.Metrics.Rename == nil {
				p.Metrics.Rename = map[string]string{}
			}
			p.Metrics.Rename[name] = to
			// What is sent under the old name has to fit the new one.
			known = cmp.Or(r.metrics[r.metricNames.current(name)], known)
		}
		if rule, ok := known.rule(name); ok {
			p.Metrics.Rules = append(p.Metrics.Rules, rule)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.attributes)) {
		if rule, ok := r.attributeRule(key); ok {
			p.Attributes = append(p.Attributes, rule)
		}
	}
	return p
}

// metricRename returns what a deprecated metric is called now, with underscores
// as in a pack. A new name of another namespace than tc is no name a pack can
// give: the general rule makes the old one conformant.
func (r *registry) metricRename(name string) (to string, ok bool) {
	current := r.metricNames.current(name)
	to = strings.ReplaceAll(current, ".", "_")
	return to, current != name && to != name && metricForm.MatchString(to)
}

// rule says of one metric that it is a counter, or which unit its values have to
// come to. Units in braces are words, which nothing can be converted to. The
// rule is for the name with underscores as well: that is its conformant form.
func (m registryMetric) rule(name string) (rule MetricRule, ok bool) {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(name), `\.`, `[._]`)
	rule.Match = Pattern{regexp.MustCompile("^" + pattern + "$")}
	if m.instrument == "counter" {
		rule.Type = TypeCounter
	}
	if !strings.HasPrefix(m.unit, "{") {
		rule.Convert = m.unit
	}
	return rule, rule.Type != "" || rule.Convert != ""
}

// attributeRule tells whether the registry says anything of a key that a pack
// has a place for.
func (r *registry) attributeRule(key string) (rule AttributeRule, ok bool) {
	known := r.attributes[key]
	rule.Key = key
	current := r.attributeNames.current(key)
	// A template declares no key, only the beginning of some.
	if current != key && keyForm.MatchString(current) && !known.template && !r.attributes[current].template {
		rule.Rename = current
		if target, ok := r.attributes[current]; ok {
			known = target
		}
	}
	rule.Type, rule.Allowed = known.valueType, known.allowed
	return rule, rule.Rename != "" || rule.Type != ""
}
