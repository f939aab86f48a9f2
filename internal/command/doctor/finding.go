package doctor

import (
	"cmp"
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

// Finding is what one rule says of one place.
type Finding struct {
	Position
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`
	Text     string   `json:"text"`
	Fix      string   `json:"fix"`
}

// sorted returns the findings in the order of the files on the command line and of their
// lines, each once: one file can be read from two places.
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
