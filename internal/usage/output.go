// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// WriteUndecided lists the readers that are not decided, and what cannot be read.
func (u *Usage) WriteUndecided(w io.Writer, indent string) {
	for _, undecided := range u.Undecided {
		fmt.Fprintf(w, "%s%s: not decided: %s\n", indent, paste.OneLine(undecided.Place()), paste.OneLine(undecided.Reason))
		if undecided.Query != "" {
			fmt.Fprintf(w, "%s    %s\n", indent, paste.OneLine(undecided.Query))
		}
	}
	if u.Unreadable > 0 {
		fmt.Fprintf(w, "%s%d files or parts of files cannot be read: what they read is not known, and may need anything.\n", indent, u.Unreadable)
	}
}

// Lists returns the attributes by verdict, as texts.
func (m *Metric) Lists() (free, needed string) {
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
func readBy(readers []*Reader) string {
	counts := map[string]map[*Reader]bool{}
	for _, reader := range readers {
		if counts[reader.Kind] == nil {
			counts[reader.Kind] = map[*Reader]bool{}
		}
		counts[reader.Kind][reader] = true
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

// Place returns where a reader is.
func (r *Reader) Place() string {
	place := r.File
	if r.Line > 0 {
		place += fmt.Sprintf(":%d", r.Line)
	}
	if r.Title != "" {
		place += " (" + r.Title + ")"
	}
	return place
}

// WriteYAML writes overrides of the cardinality processor. What is a guess, and what nobody reads, is a comment.
// If a file cannot be read, all settings are comments.
func (u *Usage) WriteYAML(w io.Writer, processor string) {
	fmt.Fprintf(w, "# A list replaces the one of an earlier configuration: add its overrides below.\nprocessors:\n  %s:\n    overrides:\n", paste.Scalar(processor))
	written := 0
	for _, m := range u.Metrics {
		var keys []string
		for _, attribute := range m.Attributes {
			if attribute.Free && attribute.Key != Bound && paste.Selects(attribute.Key) {
				keys = append(keys, scalar(attribute.Key))
			}
		}
		buckets := dropBuckets(m.Free()[Bound])
		if len(keys) == 0 && buckets == "" || m.Series == nil || !paste.Selects(m.Name) {
			continue
		}
		atMost, comment := "", ""
		if u.Unreadable > 0 {
			comment = "# "
		}
		if m.Series.AtMost {
			atMost = "at most "
		}
		fmt.Fprintf(w, "      # %d series become %s%d. Read by %s.\n", m.Series.Now, atMost, m.Series.After, m.ReadBy)
		if m.Guessed {
			comment = "# "
			fmt.Fprintln(w, "      # Its type is unknown: remove the comment sign if it is a "+string(m.Type)+".")
		} else if u.Unreadable == 0 {
			written++
		}
		settings := buckets
		if len(keys) > 0 {
			settings = ", drop_attributes: [" + strings.Join(keys, ", ") + "]" + settings
		}
		if m.Function != "" {
			settings += ", gauge: " + m.Function
		}
		fmt.Fprintf(w, "      %s- {metric: %s%s}\n", comment, scalar(m.Name), settings)
	}
	if written == 0 {
		fmt.Fprintln(w, "      []")
	}
	u.WriteUndecided(w, "      # ")
	for i, m := range u.Unread {
		if i == 0 {
			fmt.Fprintln(w, "      # Read by nobody in these files. Without its comment sign a line leaves one series a resource:")
		}
		if paste.Selects(m.Name) {
			fmt.Fprintf(w, "      # - {metric: %s, keep_attributes: []%s} # %d series\n", scalar(m.Name), dropBuckets(m.bounds), m.Series)
		}
	}
}

// dropBuckets returns the setting that removes the buckets of a histogram that does not need them.
func dropBuckets(free bool) string {
	if free {
		return ", buckets: drop"
	}
	return ""
}

// scalar returns a text as YAML, in which a collector expands no variables.
func scalar(text string) string { return paste.Scalar(strings.ReplaceAll(text, "$", "$$")) }
