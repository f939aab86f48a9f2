// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/source"
)

// unsetVariable is the rule of UnsetVariables, which checks texts instead of settings.
var unsetVariable = Rule{ID: "unset-variable", Why: "The setting is empty and has its default, which may differ from the intended value."}

// UnsetVariables reports each variable that the resolver requested once, as a note: it may be set where the collector
// will run. The resolver does not request variables in settings that a later file replaces. This needs no readable
// configuration, so it can explain why one is unreadable.
func UnsetVariables(sources *source.Sources) (findings []Finding) {
	unset := sources.Unset()
	if len(unset) == 0 {
		return nil
	}
	references := sources.References()
	for _, name := range slices.Sorted(maps.Keys(unset)) {
		places := references[name]
		if len(places) == 0 {
			continue
		}
		text := fmt.Sprintf("the variable %s is not set and has no default", name)
		if len(places) > 1 {
			text += fmt.Sprintf(" (%d settings)", len(places))
		}
		findings = append(findings, Finding{
			Position: places[0], Severity: Note, Rule: unsetVariable.ID, Text: text, Fix: fmt.Sprintf("set it, or write ${env:%s:-default}", name),
		})
	}
	return findings
}
