// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

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
