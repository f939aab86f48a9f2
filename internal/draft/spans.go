// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"fmt"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// spans writes what the general rules make of span names. They apply without a rule of the pack, so those
// that look well are comments. The others are undecided.
func (d *draft) spans() {
	var well []string
	for _, f := range d.spanNames {
		line := fmt.Sprintf("%s becomes %s", shown(f.Original), shown(f.Suggestion))
		if poor(f) {
			d.decide("The span %s. If that says too little: spans.rules: [{match: …, component: …, operation: …}].", line)
		} else {
			well = append(well, line)
		}
	}
	if len(well) > 0 {
		d.line("")
		d.line("# The general rules make these spans:")
		d.list("# ", well)
	}
}

// poor reports whether the general rules lose what a span's name says: the component is only the service, the
// name had other letters, or nothing is left.
func poor(f conformance.Finding) bool {
	component, operation, ok := strings.Cut(f.Suggestion, "/")
	if !ok {
		return false
	}
	rule := f.Rule
	if f.Naming != "" {
		rule = f.Naming
	}
	return rule == "span_text" || component == "Unknown" || operation == "Unnamed"
}

// logs adds what the report has of logs to what is undecided. Only a person can write a layout.
func (d *draft) logs() {
	for _, s := range d.report.LogSources {
		if s.Service != d.service {
			continue
		}
		if s.NoFormat > 0 {
			d.decide("%d of %d lines of %s have no known format (logs.formats). They look like: %s", s.NoFormat, s.Records, shown(s.Name), shown(s.Shape))
		}
		if without := s.Records - s.WithTrace; without > 0 {
			d.decide("%d of %d log records of %s have no trace. If one of its spans has a key that they have too: links.", without, s.Records, shown(s.Name))
		}
	}
}
