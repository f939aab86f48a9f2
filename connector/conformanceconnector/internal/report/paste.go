// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// PasteMetric returns a pack section that maps a metric to its name, in which a person can choose a better
// name. It is empty if a pack already maps the metric.
func PasteMetric(d *naming.Decision, name string) string {
	if d.Rule != naming.MetricGeneral || !paste.Exact(name) || !strings.HasPrefix(d.Name, conventions.MetricPrefix) {
		return ""
	}
	return fmt.Sprintf("metrics:\n  rename:\n    %s: %s\n", strconv.Quote(name), d.Name)
}

// PasteSpan returns a pack section that maps a span to its name. It is empty for a name with ids, which
// needs a pattern that only a person can write.
func PasteSpan(d *naming.Decision, name string) string {
	switch d.Rule {
	case naming.SpanCode, naming.SpanText, naming.SpanRPC:
	default:
		return ""
	}
	component, operation, ok := strings.Cut(d.Name, "/")
	if !ok || d.IDs != nil || d.Attributes != nil || !paste.Exact(name) {
		return ""
	}
	return fmt.Sprintf("spans:\n  rules:\n    - match: %s\n      component: %s\n      operation: %s\n",
		strconv.Quote("^"+regexp.QuoteMeta(name)+"$"), component, operation)
}
