// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/layout"
)

// maxSought bounds the length of lines in which needs are sought, in bytes. In a longer line, a layout fails
// sooner than the search ends.
const maxSought = 1024

// commonBytes are in most lines: to seek one of them alone excludes no layout.
const commonBytes = "[]():-./,"

// candidate is a layout with what each of its lines begins with and contains. To look for that costs less
// than to read the time, with which the layouts of many systems begin.
type candidate struct {
	steps
	first [256]bool
	// dated means that each line begins with a year and a dash.
	dated bool
	needs []string
}

func newCandidate(parts layout.Layout, general bool) candidate {
	all := newSteps(parts, general)
	date := parts[0].Kind == layout.Time && (parts[0].Text == layout.ISO || strings.HasPrefix(parts[0].Text, "%Y-"))
	return candidate{all, all.begins(), date, needsOf(parts)}
}

// beginsLike reports whether the layout can match a line that begins like this one.
func (c *candidate) beginsLike(line string) bool {
	const dash = len("2006")
	return line != "" && c.first[line[0]] && (!c.dated || len(line) > dash && line[dash] == '-')
}

// needsOf returns the first text that each line of a layout contains, after the quote of a quoted body.
func needsOf(parts layout.Layout) (needs []string) {
	if parts[len(parts)-1].Text == layout.Quoted {
		needs = append(needs, `"`)
	}
	for i := 0; i < len(parts); i++ {
		part := &parts[i]
		texts := []string{part.Prefix, part.Suffix}
		switch part.Kind {
		case layout.Optional:
			i += part.Optional
		case layout.Literal:
			texts = strings.Split(part.Text, " ") // a space matches a run of spaces
		}
		for _, text := range texts {
			if len(text) > 1 || text != "" && !strings.Contains(commonBytes, text) {
				return append(needs, text)
			}
		}
	}
	return needs
}

// lacks returns a text that the layout needs and the line lacks, or an empty string. Missing is one that the
// line is known to lack.
func (c *candidate) lacks(line, missing string) string {
	if len(line) > maxSought {
		return ""
	}
	for _, need := range c.needs {
		if need == missing || !strings.Contains(line, need) {
			return need
		}
	}
	return ""
}
