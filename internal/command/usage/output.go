// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// writeJSON writes everything.
func (u *Usage) writeJSON(w io.Writer) error {
	to := json.NewEncoder(w)
	to.SetIndent("", "  ")
	to.SetEscapeHTML(false)
	return to.Encode(u)
}

// writeTable writes a line for each metric, and what is not decided.
func (u *Usage) writeTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "METRIC\tTYPE\tREAD BY\tSERIES\tAFTER\tFREE\tNEEDED")
	now, after, free := 0, 0, 0
	for _, m := range u.Metrics {
		series, left := "", ""
		if m.Series != nil {
			now, after = now+m.Series.Now, after+m.Series.After
			series, left = fmt.Sprint(m.Series.Now), fmt.Sprint(m.Series.After)
			if m.Series.AtMost && m.saved() > 0 {
				left = "≤" + left
			}
		}
		kind := string(m.Type)
		if m.Guessed {
			kind += "?"
		}
		if m.Function != "" {
			kind += " by " + m.Function
		}
		freeKeys, needed := m.lists()
		if len(m.free()) > 0 {
			free++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Name, kind, readBy(m.Readers), series, left, freeKeys, needed)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	u.writeUndecided(w, "")
	fmt.Fprintf(w, "%d metrics are read, %d of them have attributes that are free, %d readers are not decided.\n", len(u.Metrics), free, len(u.Undecided))
	if u.Live {
		unread := 0
		for _, m := range u.Unread {
			unread += m.Series
		}
		fmt.Fprintf(w, "Their %d series become %d. %d metrics with %d series are read by nobody.\n", now, after, len(u.Unread), unread)
	} else {
		fmt.Fprintln(w, "Types are guesses, and so are the attributes: --series shows which there are.")
	}
	return nil
}

// writeUndecided lists the readers that are not decided, and what cannot be read.
func (u *Usage) writeUndecided(w io.Writer, indent string) {
	for _, undecided := range u.Undecided {
		fmt.Fprintf(w, "%s%s: not decided: %s\n", indent, oneLine(undecided.place()), oneLine(undecided.Reason))
		if undecided.Query != "" {
			fmt.Fprintf(w, "%s    %s\n", indent, oneLine(undecided.Query))
		}
	}
	if u.Unreadable > 0 {
		fmt.Fprintf(w, "%s%d files or parts of files cannot be read: what they read is not known, and may need anything.\n", indent, u.Unreadable)
	}
}

// oneLine returns the beginning of a text as a part of a line, which can be a comment of YAML.
func oneLine(text string) string { return paste.Comment(cli.OneLine(text)) }

// lists returns the attributes by verdict, as texts.
func (m *Metric) lists() (free, needed string) {
	var frees, needs []string
	for _, attribute := range m.Attributes {
		if attribute.Free {
			frees = append(frees, attribute.Key)
		} else {
			needs = append(needs, attribute.Key)
		}
	}
	switch {
	case m.Others && m.Series == nil:
		frees = append(frees, "all others")
	case !m.Others:
		needs = append(needs, "all others")
	}
	return strings.Join(frees, ", "), strings.Join(needs, ", ")
}

// readBy counts readers by their kind.
func readBy(readers []Reading) string {
	counts := map[string]map[*Reader]bool{}
	for _, reader := range readers {
		if counts[reader.Kind] == nil {
			counts[reader.Kind] = map[*Reader]bool{}
		}
		counts[reader.Kind][reader.Reader] = true
	}
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d %s", len(counts[kind]), kind))
		if len(counts[kind]) > 1 && kind != Logged {
			all[len(all)-1] += "s"
		}
	}
	return strings.Join(all, ", ")
}

// place returns where a reader is.
func (r *Reader) place() string {
	place := r.File
	if r.Line > 0 {
		place += fmt.Sprintf(":%d", r.Line)
	}
	if r.Title != "" {
		place += " (" + r.Title + ")"
	}
	return place
}

// writeYAML writes overrides of the cardinality processor. What is a guess, and what nobody reads, is a comment.
// If a file cannot be read, all settings are comments.
func (u *Usage) writeYAML(w io.Writer, processor string) {
	fmt.Fprintf(w, "# A list replaces the one of an earlier configuration: add its overrides below.\nprocessors:\n  %s:\n    overrides:\n", paste.Scalar(processor))
	written := 0
	for _, m := range u.Metrics {
		var keys []string
		for _, attribute := range m.Attributes {
			if attribute.Free && paste.Selects(attribute.Key) {
				keys = append(keys, scalar(attribute.Key))
			}
		}
		if len(keys) == 0 || m.Series == nil || !paste.Selects(m.Name) {
			continue
		}
		atMost, comment := "", ""
		if u.Unreadable > 0 {
			comment = "# "
		}
		if m.Series.AtMost {
			atMost = "at most "
		}
		fmt.Fprintf(w, "      # %d series become %s%d. Read by %s.\n", m.Series.Now, atMost, m.Series.After, readBy(m.Readers))
		if m.Guessed {
			comment = "# "
			fmt.Fprintln(w, "      # Its type is unknown: remove the comment sign if it is a "+string(m.Type)+".")
		} else if u.Unreadable == 0 {
			written++
		}
		function := ""
		if m.Function != "" {
			function = ", gauge: " + m.Function
		}
		fmt.Fprintf(w, "      %s- {metric: %s, drop_attributes: [%s]%s}\n", comment, scalar(m.Name), strings.Join(keys, ", "), function)
	}
	if written == 0 {
		fmt.Fprintln(w, "      []")
	}
	u.writeUndecided(w, "      # ")
	for i, m := range u.Unread {
		if i == 0 {
			fmt.Fprintln(w, "      # Read by nobody in these files. Without its comment sign a line leaves one series a resource:")
		}
		if paste.Selects(m.Name) {
			fmt.Fprintf(w, "      # - {metric: %s, keep_attributes: []} # %d series\n", scalar(m.Name), m.Series)
		}
	}
}

// scalar returns a text as YAML, in which a collector expands no variables.
func scalar(text string) string { return paste.Scalar(strings.ReplaceAll(text, "$", "$$")) }
