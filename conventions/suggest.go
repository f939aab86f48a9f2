// SPDX-License-Identifier: Apache-2.0

package conventions

import "fmt"

// didYouMean returns a question that names the known text most like an unknown one, or an empty string if
// none is like it.
func didYouMean(got string, known []string) string {
	const longest = 64
	if len(got) > longest {
		return ""
	}
	best, least := "", (len(got)+2)/3+1
	for _, text := range known {
		if d := edits(got, text); d < least {
			best, least = text, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// edits returns the number of letters to insert, remove, replace or swap with the next one that makes one
// text another.
func edits(from, to string) int {
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(from) {
		row[0] = i + 1
		for j := range len(to) {
			replace := last[j]
			if from[i] != to[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(to)]
}
