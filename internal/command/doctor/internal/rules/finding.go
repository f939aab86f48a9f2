// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/source"
)

// Severity decides whether a finding makes the command fail.
type Severity string

const (
	// Warning is a fault.
	Warning Severity = "warning"
	// Note is a setting that may be intended.
	Note Severity = "note"
)

// Finding is a finding of a rule at a line.
type Finding struct {
	source.Position
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`
	Text     string   `json:"text"`
	Fix      string   `json:"fix"`
}

// sorted returns the findings by file, in the order of the command line, and by line. It removes
// duplicates, because two settings can include the same file.
func sorted(findings []Finding) []Finding {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Order, b.Order),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Text, b.Text),
		)
	})
	return slices.Compact(findings)
}

// HasWarning reports whether a finding makes the command fail.
func HasWarning(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Warning })
}

// WriteText writes a line for each finding, in the form that editors and CI systems convert to links.
func WriteText(out io.Writer, findings []Finding) error {
	for _, f := range findings {
		if _, err := fmt.Fprintf(out, "%s:%d: %s %s: %s (%s)\n", f.File, f.Line, f.Severity, f.Rule, f.Text, f.Fix); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes the findings as one array.
func WriteJSON(out io.Writer, findings []Finding) error {
	if findings == nil {
		findings = []Finding{}
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(findings)
}
