// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// adoption returns the configuration that makes the names of a service conformant. It is empty if there are
// none to change, or if no key of the configuration can select the service.
func adoption(s *conformance.Service) string {
	wrong := func(part func(conformance.Score) conformance.Part) bool {
		return slices.ContainsFunc(s.Scores, func(score conformance.Score) bool {
			p := part(score)
			return score.Signal != KindLog.Signal() && p.Checked > p.Conformant
		})
	}
	unowned := wrong(func(s conformance.Score) conformance.Part { return s.Unowned })
	owned := s.Audit && wrong(func(s conformance.Score) conformance.Part { return s.Owned })
	if !unowned && !owned || !selectable(s.Name) {
		return ""
	}
	settings := "mode: enforce"
	if unowned {
		settings += ", unowned: repair"
	}
	return fmt.Sprintf("extensions:\n  conventions:\n    services:\n      %s: {%s}\n", paste.Scalar(s.Name), settings)
}

// selectable reports whether the configuration can select a service, and no other, by its name.
func selectable(service string) bool {
	return service != Other && service != conformance.UnknownService && paste.Selects(service)
}
