// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

// Metric is who reads a metric, and what of it.
type Metric struct {
	Name string `json:"metric"`
	Type Type   `json:"type"`
	// Guessed reports whether the type follows from the name and the functions around it only.
	Guessed bool `json:"guessed,omitempty"`
	// Function is how a gauge's series have to be merged, or empty.
	Function string `json:"function,omitempty"`
	// ReadBy counts the readers by their kind. It is empty without readers.
	ReadBy  string    `json:"read_by"`
	Readers []Reading `json:"readers"`
	// Attributes are those that are known or named by a query, by their label in queries.
	Attributes []Attribute `json:"attributes"`
	// Others reports whether attributes that no query names are free.
	Others bool   `json:"others_free"`
	Series *Count `json:"series,omitempty"`

	// Samples are its names in queries.
	Samples []string `json:"-"`
	touches []*touch
	native  bool // a histogram without bounds
}

// Reading is how a reader reads a metric.
type Reading struct {
	*Reader
	// Path is what is around the selector, from inside to outside.
	Path     []string `json:"path,omitempty"`
	Matchers []string `json:"matchers,omitempty"`
}

// Attribute is the verdict on an attribute of a metric.
type Attribute struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Free  bool   `json:"free"`
	// ReadBy counts the readers that need it by their kind.
	ReadBy string `json:"read_by,omitempty"`
	// Reasons are why it is needed, each with the number of readers.
	Reasons map[string]int `json:"reasons,omitempty"`

	readers []*Reader
}

// Type is the type of a metric.
type Type string

// The types.
const (
	Counter       Type = "counter"
	Histogram     Type = "histogram"
	UpDownCounter Type = "updowncounter"
	Gauge         Type = "gauge"
	Summary       Type = "summary"
	Info          Type = "info"
)

// merging is how cardinality merges series: gauges by a function, others as their type needs.
type merging struct {
	function string
	merge    promql.Merge
}

// mergings returns how series of a type can be merged. Of those that free equally many attributes the first is taken.
func (t Type) mergings() []merging {
	switch t {
	case Gauge: // without a function if no query has a value
		return []merging{{"", promql.Other}, {"sum", promql.Sum}, {"max", promql.Max}, {"min", promql.Min}}
	case UpDownCounter:
		return []merging{{"", promql.Sum}}
	case Info:
		return []merging{{"", promql.Other}}
	}
	return []merging{{"", promql.Increases}}
}

// own are labels that no point has as an attribute.
var own = map[string]bool{"__name__": true, "le": true, "quantile": true, "job": true, "instance": true}

// analysis decides by readings.
type analysis struct {
	*Readings
	decided map[remaining]string // why readers of a recording rule need what remains in its result
}

// remaining is a label in the result of a recording rule, whose series become one by a merge.
type remaining struct {
	record, label string
	merge         promql.Merge
}

// metric decides a metric by its samples' names and the labels that are known of it.
func (a *analysis) metric(m *Metric, keys map[string]string) {
	labels := map[string]bool{}
	for _, name := range m.Samples {
		for _, u := range a.uses[name] {
			a.mentions(u, labels, map[string]bool{})
			m.Readers = append(m.Readers, reading(u))
		}
	}
	for _, t := range a.touches {
		if slices.ContainsFunc(m.Samples, t.names) {
			m.touches = append(m.touches, t)
			m.Readers = append(m.Readers, Reading{Reader: t.Reader})
			if t.label != "" {
				labels[t.label] = true
			}
		}
	}
	known := maps.Clone(keys)
	if known == nil {
		known = map[string]string{}
	}
	for word := range labels {
		if label := labelOf(word); known[label] == "" {
			known[label] = word
		}
	}
	maps.DeleteFunc(known, func(label, _ string) bool { return own[label] })
	most := -1
	for _, one := range m.Type.mergings() {
		attributes, others := a.verdicts(m, known, one.merge)
		free := 0
		for _, attribute := range attributes {
			if attribute.Free {
				free++
			}
		}
		if others {
			free++
		}
		if free > most {
			most, m.Attributes, m.Others, m.Function = free, attributes, others, one.function
		}
	}
	if most == 0 {
		m.Function = ""
	}
	if m.Type == Histogram && !m.native {
		m.Attributes = append(m.Attributes, a.buckets(m))
	}
	var readers []*Reader
	for _, reading := range m.Readers {
		readers = append(readers, reading.Reader)
	}
	m.ReadBy = readBy(readers)
	for i, attribute := range m.Attributes {
		m.Attributes[i].ReadBy = readBy(attribute.readers)
	}
}

// labelOf returns the label that a word of a query means. Prometheus can keep the characters of an attribute's key.
func labelOf(word string) string {
	if model.LegacyValidation.IsValidLabelName(word) {
		return word
	}
	return promql.LabelName(word)
}

// verdicts decides all keys, by label, for one merge.
func (a *analysis) verdicts(m *Metric, keys map[string]string, merge promql.Merge) (all []Attribute, others bool) {
	all = []Attribute{}
	for _, label := range slices.Sorted(maps.Keys(keys)) {
		key := keys[label]
		reasons, readers := a.reasons(m, label, key, merge)
		all = append(all, Attribute{Key: key, Label: label, Free: len(reasons) == 0, Reasons: reasons, readers: readers})
	}
	reasons, _ := a.reasons(m, unnamed, unnamed, merge)
	return all, len(reasons) == 0
}

// unnamed is a label that no query names.
const unnamed = "otelcol_tc_unnamed"

// reasons returns why a label is needed, with the number of readers, and these. There is none if it is free. Queries
// have the label, or its key.
func (a *analysis) reasons(m *Metric, label, key string, merge promql.Merge) (reasons map[string]int, readers []*Reader) {
	reasons = map[string]int{}
	for _, name := range m.Samples {
		for _, u := range a.uses[name] {
			reason := a.needs(u, label, merge, map[string]bool{})
			if reason == "" && key != label {
				reason = a.needs(u, key, merge, map[string]bool{})
			}
			if reason != "" {
				reasons[reason]++
				readers = append(readers, u.Reader)
			}
		}
	}
	for _, t := range m.touches {
		if t.label == "" || t.label == label || t.label == key {
			reasons[t.Reason]++
			readers = append(readers, t.Reader)
		}
	}
	switch {
	case m.Type == Info:
		reasons["cardinality merges no info metrics"]++
	case m.Type == Summary && slices.ContainsFunc(m.Samples, func(name string) bool { return m.whole(name) && len(a.uses[name]) > 0 }):
		reasons["a merged summary has no quantiles"]++
	}
	return reasons, readers
}

// whole reports whether a name in queries is that of all samples of a histogram or summary, and not of a part.
func (m *Metric) whole(name string) bool { return slices.Contains(m.Samples, name+"_count") }

// Bound is the label of a histogram's buckets. It is free if no query has another bucket than the last one, which stays.
const Bound = "le"

// buckets decides whether a histogram needs its buckets.
func (a *analysis) buckets(m *Metric) Attribute {
	verdict := Attribute{Key: Bound, Label: Bound, Reasons: map[string]int{}}
	needs := func(reason string, reader *Reader) {
		verdict.Reasons[reason]++
		verdict.readers = append(verdict.readers, reader)
	}
	for _, name := range m.Samples {
		for _, u := range a.uses[name] {
			reason := ""
			switch {
			case u.exists:
				reason = u.asks(Bound)
			case strings.HasSuffix(name, "_bucket"), m.whole(name):
				reason = u.selector.Buckets()
			}
			if reason != "" {
				needs(reason, u.Reader)
			}
		}
	}
	for _, t := range m.touches {
		if t.label == "" || t.label == Bound {
			needs(t.Reason, t.Reader)
		}
	}
	verdict.Free = len(verdict.readers) == 0
	return verdict
}

// needs returns why a use needs a label. What remains in the result of a recording rule is decided by the rule's
// readers. A rule that nothing here reads is read elsewhere.
func (a *analysis) needs(u *use, label string, merge promql.Merge, followed map[string]bool) string {
	if u.exists {
		return u.asks(label)
	}
	verdict := u.query.Fold(u.selector, label, merge)
	switch {
	case verdict.Steady:
		return "the query has the value of a counter, which is another one after merging"
	case verdict.Reason == "":
		return ""
	case !verdict.Remains || u.Record == "":
		return verdict.Reason
	case u.set[label]:
		return "the recording rule sets the label"
	case followed[u.Record]:
		return "recording rules read each other"
	}
	if len(a.uses[u.Record]) == 0 && !slices.ContainsFunc(a.touches, func(t *touch) bool { return t.names(u.Record) }) {
		return fmt.Sprintf("%s records it, and nothing here reads that", u.Record)
	}
	key := remaining{u.Record, label, verdict.Merge}
	reason, known := a.decided[key]
	if !known {
		followed[u.Record] = true
		reason = a.recordNeeds(key, followed)
		delete(followed, u.Record)
		a.decided[key] = reason
	}
	return reason
}

// recordNeeds returns why the readers of a recording rule need a label.
func (a *analysis) recordNeeds(r remaining, followed map[string]bool) string {
	for _, reader := range a.uses[r.record] {
		if reason := a.needs(reader, r.label, r.merge, followed); reason != "" {
			return fmt.Sprintf("%s records it: %s", r.record, reason)
		}
	}
	for _, t := range a.touches {
		if (t.label == "" || t.label == r.label) && t.names(r.record) {
			return fmt.Sprintf("%s records it: %s", r.record, t.Reason)
		}
	}
	return ""
}

// asks returns why a reader of the values of a label, or of whether there are series, needs a label.
func (u *use) asks(label string) string {
	switch {
	case label == u.label:
		return "a variable has its values"
	case slices.ContainsFunc(u.selector.Matchers, func(m promql.Matcher) bool { return m.Label.Variable }):
		return "a variable is a matcher of the selector"
	}
	if _, ok := u.selector.Matcher(label); ok {
		return fmt.Sprintf("the selector asks for %s", label)
	}
	return ""
}

// mentions collects the labels that a query has for a selector, and those of the readers of its recording rule.
func (a *analysis) mentions(u *use, labels, followed map[string]bool) {
	for _, m := range u.selector.Matchers {
		if !m.Label.Variable {
			labels[m.Label.Value] = true
		}
	}
	if u.label != "" {
		labels[u.label] = true
	}
	for _, parent := range u.selector.Parents {
		switch n := parent.(type) {
		case *parser.AggregateExpr:
			for _, w := range u.query.Grouping(n) {
				if !w.Variable {
					labels[w.Value] = true
				}
			}
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				for _, label := range slices.Concat(n.VectorMatching.MatchingLabels, n.VectorMatching.Include) {
					labels[label] = true
				}
			}
		}
	}
	if u.Record == "" || followed[u.Record] {
		return
	}
	followed[u.Record] = true
	for _, reader := range a.uses[u.Record] {
		a.mentions(reader, labels, followed)
	}
}

// reading describes a use.
func reading(u *use) Reading {
	r := Reading{Reader: u.Reader}
	for _, m := range u.selector.Matchers {
		r.Matchers = append(r.Matchers, m.Label.Value+m.Operator.Value)
	}
	for _, parent := range slices.Backward(u.selector.Parents) {
		switch n := parent.(type) {
		case *parser.Call:
			r.Path = append(r.Path, n.Func.Name)
		case *parser.AggregateExpr:
			grouping := ""
			if n.Without {
				grouping = " without"
			} else if len(n.Grouping) > 0 {
				grouping = " by"
			}
			if grouping != "" {
				grouping += " (" + strings.Join(n.Grouping, ", ") + ")"
			}
			r.Path = append(r.Path, n.Op.String()+grouping)
		case *parser.BinaryExpr:
			r.Path = append(r.Path, n.Op.String())
		}
	}
	return r
}
