package conformanceconnector

import "github.com/otelcol-tc/otelcol-tc/conventions/naming"

// kind is what is judged, one by one. Its text is the signal of scores and findings.
type kind uint8

const (
	kindMetric kind = iota
	kindSpan
	kindLog
	kindAttribute
	kinds
)

// kindTexts are the label signal, and what Weaver calls the sample.
var kindTexts = [kinds]struct{ signal, sample string }{
	kindMetric:    {"metrics", "metric"},
	kindSpan:      {"traces", "span"},
	kindLog:       {"logs", "log"},
	kindAttribute: {"attributes", "attribute"},
}

// The levels of findings, as OpenTelemetry Weaver has them.
const (
	levelViolation   = "violation"
	levelImprovement = "improvement"
	levelInformation = "information"
)

// rule is what a finding is about. Its id labels scores, so that there are few.
type rule struct{ id, level, reason string }

// The rules that are not about names.
var (
	ruleRenamed = &rule{"renamed", levelInformation, "the name was made conformant on the way"}

	ruleNoTrace          = &rule{"log_without_trace", levelImprovement, "the record has no trace id"}
	ruleIDsInAttributes  = &rule{"log_ids_in_attributes", levelViolation, "the record has its trace id in attributes, and not where it belongs"}
	ruleSpanWithoutTrace = &rule{"log_span_without_trace", levelViolation, "the record has a span id and no trace id"}

	ruleMissingParent = &rule{"missing_parent", levelViolation, "the parent did not come in the window"}
	ruleStartsBefore  = &rule{"starts_before_parent", levelImprovement, "the span starts before its parent"}
	ruleEndsAfter     = &rule{"ends_after_parent", levelImprovement, "the span ends after its parent"}
	ruleClockSkew     = &rule{"clock_skew", levelImprovement, "the clock of the server is not that of the client"}
	ruleBrokenEdge    = &rule{"broken_edge", levelImprovement, "the trace ends at a component, and the pack expects another after it"}

	ruleOverBudget = &rule{"over_budget", levelViolation, "the metric has more series than the limit"}
	ruleNearBudget = &rule{"near_budget", levelInformation, "the metric has more than 80 % of the series that the limit allows"}

	ruleMissingMetric    = &rule{"missing_metric", levelImprovement, "the pack expects metrics of this family, and none came"}
	ruleMissingComponent = &rule{"missing_component", levelImprovement, "the pack expects spans of this component, and none came"}
	ruleMissingEdge      = &rule{"missing_edge", levelImprovement, "the pack expects traces that take this way, and none came"}
)

// namingRules are the rules about names: those that package naming decides by.
var namingRules = func() (all [naming.RuleCount]*rule) {
	for i := range all {
		r := naming.Rule(i)
		all[i] = &rule{r.String(), levelViolation, r.Reason()}
	}
	return all
}()
