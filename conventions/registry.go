// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/weaver"
)

// The forms of names in a pack: schema.json's metricName and the rename of an attribute.
var (
	metricForm = regexp.MustCompile(`^tc(_[a-z0-9]+)+$`)
	keyForm    = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$`)
)

// loadRegistry reads a semantic-convention registry as a pack. The pack owns all telemetry, because a
// registry has no information about the sender. Declarations without an equivalent in packs are ignored.
func loadRegistry(read Files, dir string) (*Pack, error) {
	r, err := weaver.Read(read, dir)
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
			// Data with the old name must fit the declaration of the new name.
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

// metricRename returns the current name with underscores, as in a pack. It returns an empty string if the
// name does not have the prefix of packs.
func metricRename(name, renamedTo string) string {
	to := strings.ReplaceAll(renamedTo, ".", "_")
	if to == name || !metricForm.MatchString(to) {
		return ""
	}
	return to
}

// metricRule returns a rule for a counter or a unit. Units in braces are annotations, which have no
// conversion. The rule also matches the name with underscores, which is the conformant form.
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

// attributeRule returns the registry's rule for a key, as far as packs can express it.
func attributeRule(key string, all map[string]weaver.Attribute) AttributeRule {
	rule, attribute := AttributeRule{Key: key}, all[key]
	target, declared := all[attribute.RenamedTo]
	// A template declares the beginning of keys, not a key.
	if keyForm.MatchString(attribute.RenamedTo) && !attribute.Template && !target.Template {
		rule.Rename = attribute.RenamedTo
		if declared {
			attribute = target
		}
	}
	rule.Type, rule.Allowed = ValueType(attribute.Type), attribute.Allowed
	return rule
}
