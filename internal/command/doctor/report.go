package doctor

import (
	"encoding/json"
	"fmt"
	"io"
)

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
