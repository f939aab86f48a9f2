// SPDX-License-Identifier: Apache-2.0

package names

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// LabelDecision is what becomes of a label.
type LabelDecision struct {
	// Name is the label on our page.
	Name string
	// Undecided is why queries cannot use the label anymore, or empty.
	Undecided string
	// Allowed are the values that stay. Nil means all of them.
	Allowed []string
}

// pageLabels are labels that the page and Prometheus define.
var pageLabels = []string{model.MetricNameLabel, model.JobLabel, model.InstanceLabel, model.BucketLabel, model.QuantileLabel}

// Label decides a label of the metric's series.
func (m Metric) Label(label string) LabelDecision {
	if m.recorded != nil {
		return m.recordedLabel(label)
	}
	if !m.Owned || slices.Contains(pageLabels, label) || strings.HasPrefix(label, "otel_scope_") {
		return LabelDecision{Name: label}
	}
	keys := []string{label}
	if !m.names.read(m.original) {
		keys = append(keys, m.names.labels[label]...)
	}
	decided, lost := m.names.label(m.System, m.original, keys[0])
	for _, key := range keys[1:] {
		other, otherLost := m.names.label(m.System, m.original, key)
		// A key that a pack has a rule for is more likely than the label itself.
		if other.Name != label || otherLost || other.Undecided != "" || other.Allowed != nil {
			decided, lost = other, otherLost
		}
	}
	if lost {
		decided.Undecided = fmt.Sprintf("the label %s of %s is an id, which the page does not have", label, m.Name)
	}
	return decided
}

// recordedLabel decides a label of a recording rule's series. Several rules can have one name.
func (m Metric) recordedLabel(label string) LabelDecision {
	decided := LabelDecision{Name: label}
	for i, rule := range m.recorded {
		if rule == nil {
			continue
		}
		renamed, undecided := rule(label)
		if i > 0 && renamed != decided.Name {
			undecided = fmt.Sprintf("the label %s of %s is %s or %s now, by the rule", label, m.Name, decided.Name, renamed)
		}
		decided.Name = renamed
		if undecided != "" {
			decided.Undecided = undecided
		}
	}
	return decided
}

// label decides the label of an attribute key, and reports whether series lose it.
func (n *Names) label(owner *naming.System, metric, key string) (decided LabelDecision, lost bool) {
	decided.Name = promql.LabelName(key)
	decision := n.namer.Attribute(owner, key)
	if decision != nil {
		decided.Name, decided.Allowed = promql.LabelName(decision.Key), decision.Allowed
		if decision.Sensitive != "" {
			decided.Undecided = fmt.Sprintf("values of the label %s are protected", decided.Name)
		}
		lost = decision.Sensitive == conventions.SensitiveRemove
	}
	if decided.Name == model.JobLabel || decided.Name == model.InstanceLabel {
		decided.Name = model.ExportedLabelPrefix + decided.Name
	}
	series := n.namer.Series(owner, metric, metric)
	_, id := series.ID(key)
	return decided, id || lost || slices.Contains(n.ownerKeys(series.System, metric), key)
}

// ownerKeys returns the attributes that a metric loses because they are the owner of what is measured.
func (n *Names) ownerKeys(system *naming.System, metric string) []string {
	if rule := system.OwnerRule(n.owners, metric); rule != nil {
		return rule.Attributes
	}
	return nil
}

// lose records the labels that the metric's series lose on our page. A page that was read shows them. Else a pack does, which
// removes ids from metrics that it names, or from all of its own. Queries of conformant names are those of our page.
func (n *Names) lose(m *Metric) {
	shown := n.families[m.original].labels
	for label := range shown {
		if _, lost := n.label(m.System, m.original, label); lost {
			m.Lost = append(m.Lost, label)
		}
	}
	if shown == nil && !n.namer.ConformantMetric(m.original) {
		series := n.namer.Series(m.System, m.original, m.original)
		for _, key := range n.ownerKeys(series.System, m.original) {
			m.Lost = append(m.Lost, promql.LabelName(key))
		}
		for label, keys := range n.labels {
			for _, key := range keys {
				n.mayLose(m, series, label, key)
			}
		}
	}
	slices.Sort(m.Lost)
	slices.Sort(m.MayLose)
	m.Lost, m.MayLose = slices.Compact(m.Lost), slices.Compact(m.MayLose)
}

// mayLose records the label of an id by what the pack says that defines it.
func (n *Names) mayLose(m *Metric, series naming.Series, label, key string) {
	by, id := series.ID(key)
	if !id {
		return
	}
	rule := n.rule(by, key)
	if rule.IDSeen == nil && rule.IDOnly == nil {
		m.MayLose = append(m.MayLose, label)
		return
	}
	seen := glob.List(rule.IDSeen)
	if rule.IDSeen == nil || seen.Match(m.original) || seen.Match(m.Name) { // series.ID has decided by IDOnly
		m.Lost = append(m.Lost, label)
	}
}

// rule returns a system's rule for an id.
func (n *Names) rule(by *naming.System, key string) (found conventions.AttributeRule) {
	for _, pack := range n.packs {
		for _, rule := range pack.Attributes {
			if pack.System == by.Name() && rule.ID && (rule.Key == key || rule.Rename == key) {
				return rule
			}
		}
	}
	return found
}

// Changes reports whether the name or labels of the metric can change: a pack owns it, or rules record it.
func (m Metric) Changes() bool { return m.Owned || m.recorded != nil }

// Relabels reports whether any label of the metric's system changes.
func (m Metric) Relabels() bool {
	if !m.Changes() {
		return false
	}
	for label := range m.names.labels {
		if decided := m.Label(label); decided.Name != label || decided.Undecided != "" {
			return true
		}
	}
	return false
}

// Renames reports whether any pack renames or removes a label.
func (n *Names) Renames(label string) bool {
	for _, system := range n.namer.Systems() {
		decided := Metric{Name: label, Owned: true, System: system, names: n}.Label(label)
		if decided.Name != label || decided.Undecided != "" {
			return true
		}
	}
	return false
}
