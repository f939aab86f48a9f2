// SPDX-License-Identifier: Apache-2.0

// Package judge decides whether what came out of a collector is right, for the end-to-end tests.
// It says once more what the convention says: it does not ask the product whether it did well.
package judge

import (
	"regexp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// The convention's forms, and the names that it leaves to their owners. The Prometheus exporter writes dots as
// underscores.
var (
	metricForm   = regexp.MustCompile(`^tc_[a-z0-9]+(_[a-z0-9]+)*$`)
	exemptMetric = regexp.MustCompile(`^((rpc|system|k8s|container|hw|gen_ai)[._]|http\.|http_(server|client)_|process[._]|(python|go|scrape|otel|otelcol)_)|^(up|target_info)$`)
	spanForm     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*/[A-Z][A-Za-z0-9]*$`)
	exemptSpan   = regexp.MustCompile(`^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /\S*$`)
)

// MetricName reports whether a name is conformant, or left to its owner.
func MetricName(name string) bool {
	return metricForm.MatchString(name) || exemptMetric.MatchString(name)
}

// SpanName reports whether a name is conformant, or that of an HTTP span.
func SpanName(name string) bool {
	return spanForm.MatchString(name) || exemptSpan.MatchString(name)
}

// perIndex are names per index, which become one metric under the first one's name.
var perIndex = regexp.MustCompile(`_rate_\d+$`)

// MissingFamilies returns the families of a page that did not come out, by original name. A counter goes over
// the wire with _total, whether its owner named it so or not.
func MissingFamilies(families []string, cameOut func(original string) bool) []string {
	return slices.DeleteFunc(slices.Clone(families), func(family string) bool {
		family = perIndex.ReplaceAllString(family, "_rate_0")
		return cameOut(family) || cameOut(strings.TrimSuffix(family, "_total")+"_total")
	})
}

// redacted replaces content.
const redacted = "[redacted]"

// MadeOf reports whether a record with a body can be made of a line. What is missing is in other fields, or was
// content, which is at the end of lines. In the text each of the body's lines may have a header of its own.
func MadeOf(body string, line scenario.Line) bool {
	kept, _, _ := strings.Cut(body, redacted)
	if kept == "" {
		kept = scenario.Content // the body was nothing else
	}
	for part := range strings.SplitSeq(kept, "\n") {
		if !strings.Contains(line.Text, part) {
			return false
		}
	}
	return body != ""
}

// SpanOf returns the span that a record came out in.
func SpanOf(record plog.LogRecord) scenario.SpanRef {
	return scenario.SpanRef{TraceID: record.TraceID(), SpanID: record.SpanID()}
}
