// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"

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
	ID, Level, Reason string
	Advice
}

// These rules are not about names. Add a new one to Rules, and to the README.
var (
	RuleRenamed = &Rule{"renamed", conformance.LevelInformation, "an earlier component made the name conformant", Advice{
		Action: "Nothing has to be done: the collector makes the name conformant.", Docs: docsNaming,
	}}

	RuleMigrationEnds = &Rule{"migration_ends", conformance.LevelImprovement, "naming keeps this name beside another one, and stops within 30 days", Advice{
		Action: "Use the other name in dashboards, alerts and autoscalers before that day. Or set a later day in `also` of the pack.", Docs: docsTwoNames,
	}}

	RuleNoTrace = &Rule{"log_without_trace", conformance.LevelImprovement, "the record has no trace id, though its service has traces", Advice{
		Action: "Add the trace id to the records, by the instrumentation of the service's logging library, and carry the context into its threads and tasks. Lines that belong to no span can stay as they are.",
		Code:   codeLogs, Docs: docsCorrelation,
	}}
	RuleOutsideTrace = &Rule{"log_outside_trace", conformance.LevelInformation, "the record has no trace id, and cannot have one: no trace of its service came before, or only other loggers of the service have traces", Advice{
		Action: "Nothing has to be done about lines of the start, and of loggers outside of requests. For a service without traces, instrument it first: its logs then get the ids of its spans.",
		Code:   codeLogs, Docs: docsFindings,
	}}
	RuleIDsInAttributes = &Rule{"log_ids_in_attributes", conformance.LevelViolation, "the record has its trace id in attributes, and not in its trace id field", Advice{
		Action: "Put the log_correlation processor before this connector: it moves the ids.", YAML: yamlCorrelation, Docs: docsCorrelation,
	}}
	RuleSpanWithoutTrace = &Rule{"log_span_without_trace", conformance.LevelViolation, "the record has a span id and no trace id", Advice{
		Action: "Let the service log both ids of the span's context: a span id alone identifies no span.", Code: codeLogs, Docs: docsCorrelation,
	}}

	RuleMissingParent = &Rule{"missing_parent", conformance.LevelViolation, "the parent span did not arrive within the window", Advice{
		Action: "Find what loses the parent: a process whose spans are not exported, a sampler that decides for each process, or a context that is passed on without its span. Set `window` longer if the parent ends much later than its children.",
		Code:   codePropagation, Docs: docsFindings,
	}}
	RuleImplausible = &Rule{"implausible_time", conformance.LevelViolation, "the span starts or ends before 2001: its start or its end was never set, or the clock of its process counts from boot", Advice{
		Action: "Set the clock before the SDK starts, and leave the times of spans to the SDK.", Docs: docsFindings,
	}}
	RuleEndsBefore = &Rule{"ends_before_start", conformance.LevelViolation, "the span ends before it starts: the clock of its process was set back, or its start and its end are from two clocks", Advice{
		Action: "Let the clock be slewed, and leave the times of spans to the SDK.", Docs: docsFindings,
	}}
	RuleStartsBefore = &Rule{"starts_before_parent", conformance.LevelImprovement, "the span starts before its parent", Advice{
		Action: "Start the parent first in the service. If they are of two hosts, synchronise the clocks of both.", Docs: docsFindings,
	}}
	RuleEndsAfter = &Rule{"ends_after_parent", conformance.LevelImprovement, "the span ends after its parent", Advice{
		Action: "End the parent last in the service. If the work goes on by itself, begin a new trace for it and link it to the span that began it.", Docs: docsFindings,
	}}
	RuleClockSkew = &Rule{"clock_skew", conformance.LevelImprovement, "the clocks of the server and the client differ", Advice{
		Action: "Synchronise the clocks of both hosts, by NTP or PTP. Set `tolerance` to a difference that is accepted.", Docs: docsFindings,
	}}
	RuleBrokenEdge = &Rule{"broken_edge", conformance.LevelImprovement, "the trace ends at a component after which the pack expects another", Advice{
		Action: "Pass the context from the first component to the second, and export the spans of both. If the edge is not taken by each trace, remove it from `expect` of the pack.",
		Code:   codePropagation, Docs: docsExpected,
	}}

	RuleFolded = &Rule{"folded", conformance.LevelViolation, "the metric has more series than its budget, and cardinality merges the rest into one", Advice{
		Action: "Paste the YAML: it removes the attribute that makes the series. Or drop the attribute in the service by a view of its SDK. The page has more settings, with the series that each leaves.",
		Code:   codeDropAttribute, Docs: docsCardinality,
	}}
	RuleNearBudget = &Rule{"near_budget", conformance.LevelInformation, "the metric has more than 80 % of the series that the limit allows", Advice{
		Action: "Look which attribute gets new values. Drop it in the service by a view of its SDK, or paste the YAML before the limit is met.",
		Code:   codeDropAttribute, Docs: docsCardinality,
	}}

	RuleMissingMetric = &Rule{"missing_metric", conformance.LevelImprovement, "the pack expects metrics with this name, and none arrived", Advice{
		Action: "Switch the metric on in the system, or let the collector scrape its endpoint. If this version does not have it, remove it from `expect` of the pack.", Docs: docsExpected,
	}}
	RuleMissingComponent = &Rule{"missing_component", conformance.LevelImprovement, "the pack expects spans of this component, and none arrived", Advice{
		Action: "Switch tracing on in the component, and set its OTLP endpoint. If it is not used here, remove it from `expect` of the pack.", Docs: docsExpected,
	}}
	RuleMissingEdge = &Rule{"missing_edge", conformance.LevelImprovement, "the pack expects traces with this edge, and none arrived", Advice{
		Action: "Pass the context from the first component to the second. If the edge is not taken here, remove it from `expect` of the pack.",
		Code:   codePropagation, Docs: docsExpected,
	}}

	RuleScrapeFailed = &Rule{"scrape_failed", conformance.LevelViolation, "the target does not answer scrapes, or not in a format of Prometheus: its metric up is 0", Advice{
		Action: "Ask the target for its metrics from the collector's host. Repair its address, port, path, TLS or token in the scrape configuration, or remove it there (`OTELCOL_TC_SCRAPE_TARGETS` of builtin:dev).",
		Docs:   docsStops,
	}}
	RuleSourceSilent = &Rule{"source_silent", conformance.LevelImprovement, "the source sent, and has sent nothing for ten minutes", Advice{
		Action: "See whether the process runs and reaches the collector. If it has ended as intended, nothing has to be done: it is forgotten after an hour.",
		Docs:   docsStops,
	}}
)

// Rules contains the rules above. A test compares them with the README.
var Rules = []*Rule{
	RuleRenamed, RuleMigrationEnds, RuleNoTrace, RuleOutsideTrace, RuleIDsInAttributes, RuleSpanWithoutTrace, RuleMissingParent, RuleImplausible, RuleEndsBefore,
	RuleStartsBefore, RuleEndsAfter,
	RuleClockSkew, RuleBrokenEdge, RuleFolded, RuleNearBudget, RuleMissingMetric, RuleMissingComponent, RuleMissingEdge,
	RuleScrapeFailed, RuleSourceSilent,
}

// NamingRules contains the rules of package naming.
var NamingRules = func() (all [naming.RuleCount]*Rule) {
	for i := range all {
		r := naming.Rule(i)
		all[i] = &Rule{r.String(), conformance.LevelViolation, r.Reason(), namingAdvice[i]}
	}
	return all
}()

// ofName reports whether the rule is about a name.
func (r *Rule) ofName() bool { return r == RuleRenamed || slices.Contains(NamingRules[:], r) }

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
