// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// maxText is the length of a query in a list.
const maxText = 300

// writeUndecided lists what has to be changed by hand.
func (m *migration) writeUndecided(w io.Writer) {
	for _, u := range m.undecided {
		fmt.Fprintf(w, "%s: not decided", position(u.file, u.line))
		if where := strings.TrimSpace(u.title + " " + bracketed(u.path)); where != "" {
			fmt.Fprintf(w, ": %s", where)
		}
		fmt.Fprintln(w)
		if u.text != "" {
			fmt.Fprintf(w, "    %s\n", oneLine(u.text))
		}
		for _, reason := range u.reasons {
			fmt.Fprintf(w, "    %s\n", reason)
		}
	}
}

func position(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func bracketed(path string) string {
	if path == "" {
		return ""
	}
	return "(" + path + ")"
}

// oneLine returns the beginning of a text without line breaks.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// writeSummary writes the numbers.
func (m *migration) writeSummary(w io.Writer) {
	fmt.Fprintf(w, "%d of %d queries change in %d files, %d things are not decided. %d names in queries belong to no pack and stay.\n",
		m.counts.changed, m.counts.queries, len(m.changed), len(m.undecided), m.counts.unowned)
}

// writeReport writes the table of names: old, new, until when packs keep the old one, whether it is still
// sent, and its users. Sent is nil if that is unknown.
func (m *migration) writeReport(w io.Writer, sent map[string]bool) {
	users := map[[2]string][]user{}
	for _, u := range m.users {
		if u.Old != u.New {
			users[[2]string{u.Old, u.New}] = append(users[[2]string{u.Old, u.New}], u)
		}
	}
	var keys [][2]string
	for key := range users {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	defer table.Flush()
	header := "OLD NAME\tNEW NAME\tKEPT UNTIL\t"
	if sent != nil {
		header += "STILL SENT\t"
	}
	fmt.Fprintln(table, header+"USED BY")
	for _, key := range keys {
		for i, u := range users[key] {
			old, renamed := key[0], key[1]
			if i > 0 {
				old, renamed = "", ""
			}
			kept := "-"
			if !u.Kept.IsZero() {
				kept = u.Kept.Format(time.DateOnly)
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t", old, renamed, kept)
			if sent != nil {
				fmt.Fprintf(table, "%s\t", map[bool]string{true: "yes", false: "no"}[sent[key[0]]])
			}
			what := cmp.Or(u.title, u.path)
			if u.undecided {
				what += ", not decided"
			}
			fmt.Fprintf(table, "%s %s\n", position(u.file, u.line), what)
		}
	}
}
