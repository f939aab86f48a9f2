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

// The levels of findings, as in OpenTelemetry Weaver.
const (
	LevelViolation   = conformance.LevelViolation
	LevelImprovement = conformance.LevelImprovement
	LevelInformation = conformance.LevelInformation
)

// Rule is the rule that a finding is about. Scores have its ID as a label, so there are few rules.
type Rule struct{ ID, Level, Reason string }

// These rules are not about names. Add a new one to Rules, and to the README.
var (
	RuleRenamed = &Rule{"renamed", LevelInformation, "an earlier component made the name conformant"}

	RuleMigrationEnds = &Rule{"migration_ends", LevelImprovement, "naming keeps this name beside another one, and stops within 30 days. Use the other name in dashboards, alerts and autoscalers"}

	RuleNoTrace          = &Rule{"log_without_trace", LevelImprovement, "the record has no trace id"}
	RuleIDsInAttributes  = &Rule{"log_ids_in_attributes", LevelViolation, "the record has its trace id in attributes, and not in its trace id field"}
	RuleSpanWithoutTrace = &Rule{"log_span_without_trace", LevelViolation, "the record has a span id and no trace id"}

	RuleMissingParent = &Rule{"missing_parent", LevelViolation, "the parent span did not arrive within the window"}
	RuleImplausible   = &Rule{"implausible_time", LevelViolation, "the span starts or ends before 2001: its start or its end was never set, or the clock of its process counts from boot. Set the clock before the SDK starts, and leave the times of spans to the SDK"}
	RuleEndsBefore    = &Rule{"ends_before_start", LevelViolation, "the span ends before it starts: the clock of its process was set back, or its start and its end are from two clocks. Let the clock be slewed, and leave the times of spans to the SDK"}
	RuleStartsBefore  = &Rule{"starts_before_parent", LevelImprovement, "the span starts before its parent"}
	RuleEndsAfter     = &Rule{"ends_after_parent", LevelImprovement, "the span ends after its parent"}
	RuleClockSkew     = &Rule{"clock_skew", LevelImprovement, "the clocks of the server and the client differ"}
	RuleBrokenEdge    = &Rule{"broken_edge", LevelImprovement, "the trace ends at a component after which the pack expects another"}

	RuleOverBudget = &Rule{"over_budget", LevelViolation, "the metric has more series than the limit"}
	RuleFolded     = &Rule{"folded", LevelViolation, "the metric has more series than its budget, and cardinality merges the rest into one"}
	RuleNearBudget = &Rule{"near_budget", LevelInformation, "the metric has more than 80 % of the series that the limit allows"}

	RuleMissingMetric    = &Rule{"missing_metric", LevelImprovement, "the pack expects metrics with this name, and none arrived"}
	RuleMissingComponent = &Rule{"missing_component", LevelImprovement, "the pack expects spans of this component, and none arrived"}
	RuleMissingEdge      = &Rule{"missing_edge", LevelImprovement, "the pack expects traces with this edge, and none arrived"}
)

// Rules contains the rules above. A test compares them with the README.
var Rules = []*Rule{
	RuleRenamed, RuleMigrationEnds, RuleNoTrace, RuleIDsInAttributes, RuleSpanWithoutTrace, RuleMissingParent, RuleImplausible, RuleEndsBefore,
	RuleStartsBefore, RuleEndsAfter,
	RuleClockSkew, RuleBrokenEdge, RuleOverBudget, RuleFolded, RuleNearBudget, RuleMissingMetric, RuleMissingComponent, RuleMissingEdge,
}

// NamingRules contains the rules of package naming.
var NamingRules = func() (all [naming.RuleCount]*Rule) {
	for i := range all {
		r := naming.Rule(i)
		all[i] = &Rule{r.String(), LevelViolation, r.Reason()}
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
	LimitMetrics                 // data points of metrics beyond max_metrics
	LimitFindings                // findings that share a row
	LimitTraces                  // spans of traces beyond max_traces
	LimitSpans                   // spans beyond max_spans
	LimitSkews                   // calls between pairs of services beyond the maximum
	LimitComponents              // spans of components and edges beyond the maximum
	LimitSources                 // records of sources beyond the maximum
	limits
)

// LimitTexts are the names of the limits.
var LimitTexts = [limits]string{"max_services", "max_metrics", "max_findings", "max_traces", "max_spans", "service_pairs", "components", "log_sources"}
