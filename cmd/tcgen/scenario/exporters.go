// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
)

// alike returns families that differ only by their names, which are separated by spaces. Exporters have many of
// these. Their help is their name.
func alike(kind familyKind, labels []string, values [][]string, scale float64, names string) []family {
	var families []family
	for _, name := range strings.Fields(names) {
		families = append(families, family{kind, name, name + ".", labels, values, scale})
	}
	return families
}

// combined returns the label values of each combination of tuples, one of each list.
func combined(lists ...[][]string) [][]string {
	all := unlabelled
	for _, list := range lists {
		var longer [][]string
		for _, head := range all {
			for _, tail := range list {
				longer = append(longer, append(append([]string{}, head...), tail...))
			}
		}
		all = longer
	}
	return all
}

// numbered returns one value for each number from 0, by a format with %d.
func numbered(format string, count int) [][]string {
	var tuples [][]string
	for i := range count {
		tuples = append(tuples, []string{fmt.Sprintf(format, i)})
	}
	return tuples
}

// hexOf returns digits of an id that is always the same for a number. Ids of families with known label values
// cannot be random: a generator has none when its page is described.
func hexOf(number, digits int) string {
	var b strings.Builder
	for state := uint64(number+1) * 0x9e3779b97f4a7c15; b.Len() < digits; state = state*6364136223846793005 + 1442695040888963407 {
		fmt.Fprintf(&b, "%08x", uint32(state>>32))
	}
	return b.String()[:digits]
}

// uuidOf is hexOf in the form of a UUID.
func uuidOf(number int) string {
	h := hexOf(number, 32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

// setBounds sets the bucket bounds of histograms, whose names are separated by spaces.
func setBounds(bounds map[string][]float64, of []float64, names string) {
	for _, name := range strings.Fields(names) {
		bounds[name] = of
	}
}
