package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Severity says whether a finding makes the command fail.
type Severity string

const (
	// Warning is something that will hurt.
	Warning Severity = "warning"
	// Note is something to know, which may be meant.
	Note Severity = "note"
)

// Finding is what a rule reports at a line.
type Finding struct {
	Position
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`
	Text     string   `json:"text"`
	Fix      string   `json:"fix"`
}

// sorted returns the findings by file, in the order of the command line, and by line. Each is
// there once: one file can be read from two settings.
func sorted(findings []Finding) []Finding {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.order, b.order),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Text, b.Text),
		)
	})
	return slices.Compact(findings)
}

func hasWarning(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Warning })
}

// writeText writes a line for each finding, which editors and CI systems make a link of.
func writeText(out io.Writer, findings []Finding) error {
	for _, f := range findings {
		if _, err := fmt.Fprintf(out, "%s:%d: %s %s: %s (%s)\n", f.File, f.Line, f.Severity, f.Rule, f.Text, f.Fix); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes one array.
func writeJSON(out io.Writer, findings []Finding) error {
	if findings == nil {
		findings = []Finding{}
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(findings)
}
