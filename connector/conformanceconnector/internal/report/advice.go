// SPDX-License-Identifier: Apache-2.0

package report

import (
	_ "embed"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// actionFolded is for folded metrics without a known attribute that makes most of the series.
const actionFolded = "See in the series explorer which attributes the metric has, and what is known of them. Drop those that nobody needs by `drop_attributes`, or in the service by a view of its SDK. Raise the `limit` if all are needed."

// Advice is what to do about the findings of a rule. It is the same for all of them, and has no text from
// telemetry: whoever copies code or YAML from it runs nothing that a sender wrote.
type Advice struct {
	Action string // for the team of the service, or of the collector
	Code   string // a change of the service's code, as an example, or empty
	YAML   string // a part of the collector's configuration, or empty
	Docs   string // a file of the repository, and a section of it
}

// docsURL begins the address of each page of the documentation.
const docsURL = "https://github.com/otelcol-tc/otelcol-tc/tree/main/"

// The sections that advice refers to.
const (
	docsFindings    = "connector/conformanceconnector/README.md#findings"
	docsNaming      = "processor/namingprocessor/README.md#what-it-does"
	docsMetrics     = "conventions/README.md#metrics"
	docsTwoNames    = "conventions/README.md#two-names-of-one-metric"
	docsSpans       = "conventions/README.md#spans"
	docsAttributes  = "conventions/README.md#attributes"
	docsExpected    = "conventions/README.md#what-is-expected"
	docsConventions = "extension/conventionsextension/README.md#configuration"
	docsServices    = "extension/conventionsextension/README.md#services"
	docsCardinality = "processor/cardinalityprocessor/README.md#configuration"
	docsCorrelation = "processor/logcorrelationprocessor/README.md#log-correlation-processor"
	docsContent     = "docs/genai.md#settings"
	docsStops       = "docs/debugging.md#where-it-stops"
)

// The changes of code. Each is complete for one SDK; those of other languages have the same.
var (
	//go:embed code/rename_metric.txt
	codeRenameMetric string
	//go:embed code/drop_attribute.txt
	codeDropAttribute string
	//go:embed code/unit.txt
	codeUnit string
	//go:embed code/counter.txt
	codeCounter string
	//go:embed code/span_name.txt
	codeSpanName string
	//go:embed code/attribute.txt
	codeAttribute string
	//go:embed code/logs.txt
	codeLogs string
	//go:embed code/propagation.txt
	codePropagation string
)

const yamlCorrelation = `service:
  pipelines:
    logs:
      processors: [memory_limiter, naming, log_correlation]
`

// namingAdvice is the advice for the rules of package naming.
var namingAdvice = [naming.RuleCount]Advice{
	naming.Conformant: {Action: "Nothing has to be done: the name is conformant.", Docs: docsNaming},
	naming.Exempt:     {Action: "Nothing has to be done. If the name should follow this convention, remove it from `exempt`.", Docs: docsConventions},
	naming.Passed:     {Action: "Nothing has to be done. To make its names conformant, adopt the service or write a pack that owns it.", Docs: docsServices},
	naming.Kept:       {Action: "Nothing has to be done: the pack of the system keeps its names.", Docs: docsNaming},

	naming.MetricRename:    {"Let the service send the name that the pack has, by a view of its SDK. Or put the naming processor before this connector, which renames it.", codeRenameMetric, "", docsMetrics},
	naming.MetricPrefix:    {"Let the service send the name with the pack's prefix, by a view of its SDK. Or put the naming processor before this connector, which renames it.", codeRenameMetric, "", docsMetrics},
	naming.MetricGeneral:   {"Choose a good name: paste the YAML into a pack of the system and edit the name there. Or let the service send the suggested name, by a view of its SDK.", codeRenameMetric, "", docsMetrics},
	naming.MetricUnit:      {"Give the instrument the unit that the pack requires, in UCUM, where the service makes it.", codeUnit, "", docsMetrics},
	naming.MetricType:      {"Make the instrument a counter in the service. Or name it under `gauges` of the pack if its values can fall.", codeCounter, "", docsMetrics},
	naming.MetricMerge:     {"Let the service send one metric with an attribute that tells the cases apart, instead of several metrics.", codeRenameMetric, "", docsMetrics},
	naming.MetricCollision: {"Rename one of the two metrics in the service or in the pack, so that each name has one type and unit.", codeRenameMetric, "", docsMetrics},

	naming.SpanPack:  {"Let the service name the span as the pack does. Or put the naming processor before this connector, which renames it.", codeSpanName, "", docsSpans},
	naming.SpanRoute: {"Let the HTTP instrumentation set `http.route`, and name the span by the route and not by the path.", codeSpanName, "", docsSpans},
	naming.SpanRPC:   {"Let the RPC instrumentation set `rpc.service` and `rpc.method`, and name the span by them.", codeSpanName, "", docsSpans},
	naming.SpanCode:  {"Name the span by component and operation in the service. Or paste the YAML into a pack of the system and choose better words there.", codeSpanName, "", docsSpans},
	naming.SpanText:  {"Name the span by component and operation in the service, with values as attributes. Or paste the YAML into a pack of the system and choose better words there.", codeSpanName, "", docsSpans},
	naming.SpanFold:  {"Move ids and other values out of the span's name into attributes. Or write a pattern under `spans.rules` of the pack that does.", codeSpanName, "", docsSpans},

	naming.AttributeRename:    {"Let the service set the key that the pack has. Or put the naming processor before this connector, which renames it.", codeAttribute, "", docsAttributes},
	naming.AttributeKeyForm:   {"Let the service set the key in lower case, with dots between its words. Or put the naming processor before this connector, which renames it.", codeAttribute, "", docsAttributes},
	naming.AttributeCollision: {"Remove one of the two attributes in the service: the item has both the old key and the conformant one.", codeAttribute, "", docsAttributes},
	naming.AttributeCopied:    {"Nothing has to be done. When no reader uses the old key, remove it in the service.", "", "", "conventions/README.md#two-keys-of-one-attribute"},
	naming.AttributeType:      {"Let the service set a value of the type that the pack has.", codeAttribute, "", docsAttributes},
	naming.AttributeValue:     {"Let the service set one of the values that the pack allows. Or add the value to `values` of the pack.", codeAttribute, "", docsAttributes},
	naming.AttributeSensitive: {"Do not set this attribute in the service: switch the capture of content off in its instrumentation.", "", "", docsContent},
	naming.AttributeSize:      {"Shorten the value in the service, for instance by `OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT`.", "", "", docsAttributes},
	naming.BodySensitive:      {"Do not log this text in the service: switch the capture of content off in its instrumentation.", "", "", docsContent},
	naming.NameLength:         {"Shorten the name in the service: values in it belong into attributes.", codeSpanName, "", docsNaming},
	naming.SchemaURL:          {"Nothing has to be done. A backend that translates by schema must not translate this telemetry again.", "", "", docsNaming},
	naming.Unnameable:         {"Give it a name with letters in the service. The naming processor cannot make one of this.", "", "", docsNaming},
}

// Actions for findings of naming rules that need no change of the service.
const (
	actionRenamed = "Nothing has to be done: the collector makes the name conformant. To send it so from the start: "
	actionPassing = "Nothing has to be done: no pack owns the name, so it passes. To make it conformant, adopt the service."
)

// adviceOf returns the advice about a finding.
func (r *Row) adviceOf() Advice {
	switch {
	case r.passes:
		return Advice{Action: actionPassing, Docs: docsServices}
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
