// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// writeUndecided lists what has to be changed by hand.
func (m *migration) writeUndecided(w io.Writer) {
	for _, u := range m.undecided {
		position := u.file
		if u.line > 0 {
			position = fmt.Sprintf("%s:%d", u.file, u.line)
		}
		fmt.Fprintf(w, "%s: not decided", position)
		if u.path != "" {
			fmt.Fprintf(w, ": %s", strings.TrimSpace(fmt.Sprintf("%s (%s)", u.title, u.path)))
		}
		fmt.Fprintln(w)
		if u.text != "" {
			fmt.Fprintf(w, "    %s\n", paste.OneLine(u.text))
		}
		for _, reason := range u.reasons {
			fmt.Fprintf(w, "    %s\n", reason)
		}
	}
}

// writeSummary writes the numbers.
func (m *migration) writeSummary(w io.Writer) {
	fmt.Fprintf(w, "%d of %d queries change in %d files, %d things are not decided. %d names in queries belong to no pack and stay.\n",
		m.rewritten, m.queries, len(m.changed), len(m.undecided), m.unowned)
}

// writeDiff writes the changes of a file as a unified diff.
func (c change) writeDiff(w io.Writer) error {
	return difflib.WriteUnifiedDiff(w, difflib.UnifiedDiff{
		A: lines(c.source.Text), B: lines(c.text), FromFile: c.source.Name, ToFile: c.source.Name, Context: 3,
	})
}

// lines returns the lines of a text with their line breaks.
func lines(text string) []string { return difflib.SplitLines(strings.TrimSuffix(text, "\n")) }

// write changes the files, or none of them if one must not be written. A file's owner, its permissions and links to it
// stay.
func (m *migration) write() error {
	for _, c := range m.changed {
		file, err := os.OpenFile(c.source.Name, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%w; no file is changed", err)
		}
		file.Close()
	}
	for _, c := range m.changed {
		if err := os.WriteFile(c.source.Name, []byte(c.text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
