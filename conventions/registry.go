package conventions

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/weaver"
)

// The forms of names that a pack can give: schema.json's metricName and the
// rename of an attribute.
var (
	metricForm = regexp.MustCompile(`^tc(_[a-z0-9]+)+$`)
	keyForm    = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$`)
)

// LoadRegistry reads a semantic-convention registry as a pack. The pack owns all telemetry,
// since a registry says what names mean and not who sends them. Only what a pack has a place
// for is read.
func LoadRegistry(dir string) (*Pack, error) {
	r, err := weaver.Read(dir)
	if err != nil {
		return nil, err
	}
	p := &Pack{System: r.Name, Owns: Ownership{All: true}}
	for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
		metric := r.Metrics[name]
		if to := metricRename(name, metric.RenamedTo); to != "" {
			if p.Metrics.Rename == nil {
				p.Metrics.Rename = map[string]string{}
			}
			p.Metrics.Rename[name] = to
			// What is sent under the old name has to fit the new one.
			metric = cmp.Or(r.Metrics[metric.RenamedTo], metric)
		}
		if rule := metricRule(name, metric); rule.Type != "" || rule.Convert != "" {
			p.Metrics.Rules = append(p.Metrics.Rules, rule)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Attributes)) {
		if rule := attributeRule(key, r.Attributes); rule.Rename != "" || rule.Type != "" {
			p.Attributes = append(p.Attributes, rule)
		}
	}
	return p, nil
}

// metricRename returns the name in force with underscores, as in a pack. Without the
// prefix of packs it is no name that a pack can give, and metricRename returns nothing.
func metricRename(name, renamedTo string) string {
	to := strings.ReplaceAll(renamedTo, ".", "_")
	if to == name || !metricForm.MatchString(to) {
		return ""
	}
	return to
}

// metricRule returns a rule that a metric is a counter, or which unit its values have to
// come to. Units in braces are words, which nothing can be converted to. The rule is for
// the name with underscores as well: that is its conformant form.
func metricRule(name string, metric weaver.Metric) (rule MetricRule) {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(name), `\.`, `[._]`)
	rule.Match = regexp.MustCompile("^" + pattern + "$")
	if metric.Instrument == "counter" {
		rule.Type = TypeCounter
	}
	if !strings.HasPrefix(metric.Unit, "{") {
		rule.Convert = metric.Unit
	}
	return rule
}

// attributeRule returns what the registry says of a key that a pack has a place for.
func attributeRule(key string, all map[string]weaver.Attribute) AttributeRule {
	rule, attribute := AttributeRule{Key: key}, all[key]
	target, declared := all[attribute.RenamedTo]
	// A template declares no key, only the beginning of some.
	if keyForm.MatchString(attribute.RenamedTo) && !attribute.Template && !target.Template {
		rule.Rename = attribute.RenamedTo
		if declared {
			attribute = target
		}
	}
	rule.Type, rule.Allowed = ValueType(attribute.Type), attribute.Allowed
	return rule
}
