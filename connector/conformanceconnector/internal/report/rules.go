// SPDX-License-Identifier: Apache-2.0

package report

import (
	"embed"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// Kind is the kind of a judged item.
type Kind uint8

// The kinds of items.
const (
	KindMetric Kind = iota
	KindSpan
	KindLog
	KindAttribute
	Kinds
)

var (
	signals = [Kinds]string{"metrics", "traces", "logs", "attributes"}
	samples = [Kinds]string{"metric", "span", "log", "attribute"}
)

// Signal returns the label signal of scores and findings.
func (k Kind) Signal() string { return signals[k] }

// Sample returns OpenTelemetry Weaver's name for an item of the kind.
func (k Kind) Sample() string { return samples[k] }

// Rule is the rule that a finding is about. Scores have its ID as a label, so there are few rules.
type Rule struct {
	ID     string `yaml:"-"`
	Level  string
	Reason string
	Advice `yaml:",inline"`
}

// Advice is what to do about the findings of a rule.
type Advice struct {
	Action string // for the team of the service, or of the collector
	Code   string // a change of the service's code, as an example, or empty
	YAML   string // a part of the collector's configuration, or empty
	Docs   string // a file of the repository, and a section of it
}

// texts are the rules, and the changes of code. Each is complete for one SDK; those of other languages have the same.
//
//go:embed rules.yaml code
var texts embed.FS

// rules are those of rules.yaml, by id.
var rules = func() (all map[string]*Rule) {
	text, err := texts.ReadFile("rules.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &all)
	}
	for id, r := range all {
		r.ID = id
		if r.Code != "" && err == nil {
			text, err = texts.ReadFile("code/" + r.Code + ".txt")
			r.Code = string(text)
		}
	}
	if err != nil { // the files are embedded above
		panic(err)
	}
	return all
}()

// These rules are not about names. Add a new one to rules.yaml, and to the README.
var (
	RuleRenamed          = rules["renamed"]
	RuleNoTrace          = rules["log_without_trace"]
	RuleOutsideTrace     = rules["log_outside_trace"]
	RuleIDsInAttributes  = rules["log_ids_in_attributes"]
	RuleSpanWithoutTrace = rules["log_span_without_trace"]
	RuleMissingParent    = rules["missing_parent"]
	RuleImplausible      = rules["implausible_time"]
	RuleEndsBefore       = rules["ends_before_start"]
	RuleStartsBefore     = rules["starts_before_parent"]
	RuleEndsAfter        = rules["ends_after_parent"]
	RuleClockSkew        = rules["clock_skew"]
	RuleBrokenEdge       = rules["broken_edge"]
	RuleFolded           = rules["folded"]
	RuleGrowing          = rules["growing"]
	RuleNearBudget       = rules["near_budget"]
	RuleMissingMetric    = rules["missing_metric"]
	RuleMissingComponent = rules["missing_component"]
	RuleMissingEdge      = rules["missing_edge"]
	RuleScrapeFailed     = rules["scrape_failed"]
	RuleSourceSilent     = rules["source_silent"]
)

// NamingRules contains the rules of package naming.
var NamingRules = func() (all [naming.RuleCount]*Rule) {
	for i := range all {
		r := naming.Rule(i)
		all[i] = rules[r.String()]
		all[i].Level, all[i].Reason = conformance.LevelViolation, r.Reason()
	}
	return all
}()

// Rules returns all rules, by id.
func Rules() []*Rule {
	return slices.SortedFunc(maps.Values(rules), func(a, b *Rule) int { return strings.Compare(a.ID, b.ID) })
}

// ofName reports whether the rule is about a name.
func (r *Rule) ofName() bool { return r == RuleRenamed || slices.Contains(NamingRules[:], r) }

// docsURL begins the address of each page of the documentation.
const docsURL = "https://github.com/otelcol-tc/otelcol-tc/tree/main/"

// Actions of findings that are not those of their rules.
const (
	actionRenamed = "Nothing has to be done: the collector makes the name conformant. To send it so from the start: "
	actionPassing = "Nothing has to be done: no pack owns the name, so it passes. To make it conformant, adopt the service."
	docsPassing   = "extension/conventionsextension/README.md#services"
	// actionFolded is for folded metrics without a known attribute that makes most of the series.
	actionFolded = "See in the series explorer which attributes the metric has, and what is known of them. Drop those that nobody needs by `drop_attributes`, or in the service by a view of its SDK. Raise the `limit` if all are needed."
)

// adviceOf returns the advice about a finding.
func (r *Row) adviceOf() Advice {
	switch {
	case r.passes:
		return Advice{Action: actionPassing, Docs: docsPassing}
	case r.Rule == RuleFolded && r.Paste == "":
		without := r.Rule.Advice
		without.Action = actionFolded
		return without
	case r.By != nil:
		by := r.By.Advice
		by.Action = actionRenamed + by.Action
		return by
	}
	return r.Rule.Advice
}

// Bound is a limit of the connector.
type Bound int

// The limits.
const (
	LimitServices   Bound = iota // items of services beyond max_services
	LimitMetrics                 // batches of metrics beyond max_metrics
	LimitFindings                // findings that share a row
	LimitTraces                  // spans of traces beyond max_traces
	LimitSpans                   // spans beyond max_spans
	LimitSkews                   // calls between pairs of services beyond the maximum
	LimitComponents              // spans of components and edges beyond the maximum
	LimitSources                 // records of sources beyond the maximum
	LimitTargets                 // scrapes of targets beyond the maximum
	limits
)

// LimitTexts are the names of the limits.
var LimitTexts = [limits]string{"max_services", "max_metrics", "max_findings", "max_traces", "max_spans", "service_pairs", "components", "log_sources", "scrape_targets"}
