// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
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

// adopt sets the configuration that makes the names of a service conformant, and lets its logs get their ids. It is
// empty if there is nothing to change, or if no key of the configuration can select the service.
func adopt(s *conformance.Service) {
	wrong := func(logs bool, part func(conformance.Score) conformance.Part) bool {
		return slices.ContainsFunc(s.Scores, func(score conformance.Score) bool {
			p := part(score)
			return (score.Signal == KindLog.Signal()) == logs && p.Checked > p.Conformant
		})
	}
	unowned := wrong(false, func(s conformance.Score) conformance.Part { return s.Unowned })
	owned := s.Audit && wrong(false, func(s conformance.Score) conformance.Part { return s.Owned })
	logs := s.Audit && wrong(true, func(s conformance.Score) conformance.Part { return s.Part })
	if !unowned && !owned && !logs || !selectable(s.Name) {
		return
	}
	settings := map[string]string{"mode": "enforce"}
	text := "mode: enforce"
	if unowned {
		settings["unowned"] = "repair"
		text += ", unowned: repair"
	}
	entry := fmt.Sprintf("%s: {%s}\n", paste.Scalar(s.Name), text)
	s.Adopt = "extensions:\n  conventions:\n    services:\n      " + entry
	s.AdoptValues = "conventions:\n  services:\n    " + entry
	variable, err := json.Marshal(map[string]map[string]string{s.Name: settings})
	if err == nil {
		s.AdoptVariable = "OTELCOL_TC_SERVICES=" + string(variable)
	}
}

// selectable reports whether the configuration can select a service, and no other, by its name.
func selectable(service string) bool {
	return service != Other && service != conformance.UnknownService && paste.Selects(service)
}
