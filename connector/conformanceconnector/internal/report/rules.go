package report

import "github.com/otelcol-tc/otelcol-tc/conventions/naming"

// Kind is what is judged, one by one.
type Kind uint8

// The kinds.
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

// Sample returns what OpenTelemetry Weaver calls one of the kind.
func (k Kind) Sample() string { return samples[k] }

// The levels of findings, as OpenTelemetry Weaver has them.
const (
	LevelViolation   = "violation"
	LevelImprovement = "improvement"
	LevelInformation = "information"
)

// Rule is what a finding is about. Its ID labels scores, so that there are few.
type Rule struct{ ID, Level, Reason string }

// The rules that are not about names.
var (
	RuleRenamed = &Rule{"renamed", LevelInformation, "the name was made conformant on the way"}

	RuleNoTrace          = &Rule{"log_without_trace", LevelImprovement, "the record has no trace id"}
	RuleIDsInAttributes  = &Rule{"log_ids_in_attributes", LevelViolation, "the record has its trace id in attributes, and not where it belongs"}
	RuleSpanWithoutTrace = &Rule{"log_span_without_trace", LevelViolation, "the record has a span id and no trace id"}

	RuleMissingParent = &Rule{"missing_parent", LevelViolation, "the parent did not come in the window"}
	RuleStartsBefore  = &Rule{"starts_before_parent", LevelImprovement, "the span starts before its parent"}
	RuleEndsAfter     = &Rule{"ends_after_parent", LevelImprovement, "the span ends after its parent"}
	RuleClockSkew     = &Rule{"clock_skew", LevelImprovement, "the clock of the server is not that of the client"}
	RuleBrokenEdge    = &Rule{"broken_edge", LevelImprovement, "the trace ends at a component, and the pack expects another after it"}

	RuleOverBudget = &Rule{"over_budget", LevelViolation, "the metric has more series than the limit"}
	RuleNearBudget = &Rule{"near_budget", LevelInformation, "the metric has more than 80 % of the series that the limit allows"}

	RuleMissingMetric    = &Rule{"missing_metric", LevelImprovement, "the pack expects metrics of this family, and none came"}
	RuleMissingComponent = &Rule{"missing_component", LevelImprovement, "the pack expects spans of this component, and none came"}
	RuleMissingEdge      = &Rule{"missing_edge", LevelImprovement, "the pack expects traces that take this way, and none came"}
)

// Rules are those rules.
var Rules = []*Rule{
	RuleRenamed, RuleNoTrace, RuleIDsInAttributes, RuleSpanWithoutTrace, RuleMissingParent, RuleStartsBefore, RuleEndsAfter,
	RuleClockSkew, RuleBrokenEdge, RuleOverBudget, RuleNearBudget, RuleMissingMetric, RuleMissingComponent, RuleMissingEdge,
}

// NamingRules are the rules about names: those that package naming decides by.
var NamingRules = func() (all [naming.RuleCount]*Rule) {
	for i := range all {
		r := naming.Rule(i)
		all[i] = &Rule{r.String(), LevelViolation, r.Reason()}
	}
	return all
}()

// Bound is a limit that can be met.
type Bound int

// The bounds.
const (
	LimitServices   Bound = iota // items of services past max_services
	LimitMetrics                 // data points of metrics past max_metrics
	LimitFindings                // findings that share a row
	LimitTraces                  // spans of traces past max_traces
	LimitSpans                   // spans past max_spans
	LimitSkews                   // calls between pairs of services past those told apart
	LimitComponents              // spans of components and edges past those told apart
	LimitSources                 // records of sources past those told apart
	limits
)

// LimitTexts are the names of the bounds.
var LimitTexts = [limits]string{"max_services", "max_metrics", "max_findings", "max_traces", "max_spans", "service_pairs", "components", "log_sources"}
