// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// around is the number of lines before and after a change.
const around = 3

// writeDiff writes the changes of a file as a unified diff. Edits change the words of a line, so both texts
// have the same lines.
func writeDiff(w io.Writer, name, before, after string) {
	old, changed := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	fmt.Fprintf(w, "--- %s\n+++ %s\n", name, name)
	last := len(old)
	if old[last-1] == "" {
		last--
	}
	for i := 0; i < last; {
		if old[i] == changed[i] {
			i++
			continue
		}
		begin, end := max(0, i-around), i+1
		// Changes with few lines between them are one hunk.
		for next := end; next < min(end+2*around, last); next++ {
			if old[next] != changed[next] {
				end = next + 1
			}
		}
		stop := min(end+around, last)
		fmt.Fprintf(w, "@@ -%d,%d +%d,%d @@\n", begin+1, stop-begin, begin+1, stop-begin)
		writeHunk(w, old[begin:stop], changed[begin:stop])
		i = stop
	}
}

func writeHunk(w io.Writer, old, changed []string) {
	for i := 0; i < len(old); {
		if old[i] == changed[i] {
			writeLine(w, " ", old[i])
			i++
			continue
		}
		end := i
		for end < len(old) && old[end] != changed[end] {
			end++
		}
		for _, block := range []struct {
			sign  string
			lines []string
		}{{"-", old[i:end]}, {"+", changed[i:end]}} {
			for _, line := range slices.Clip(block.lines) {
				writeLine(w, block.sign, line)
			}
		}
		i = end
	}
}

func writeLine(w io.Writer, sign, line string) {
	fmt.Fprint(w, sign, line)
	if !strings.HasSuffix(line, "\n") {
		fmt.Fprint(w, "\n\\ No newline at end of file\n")
	}
}
