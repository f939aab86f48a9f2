// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

// table is licences.csv: a line for each module.
func table(modules []module) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	lines := [][]string{{"module", "version", "licences", "files"}}
	for _, m := range modules {
		var files []string
		for _, t := range m.Texts {
			files = append(files, t.Name)
		}
		lines = append(lines, []string{m.Path, m.Version, strings.Join(m.licences(), " "), strings.Join(files, " ")})
	}
	err := w.WriteAll(lines)
	return out.Bytes(), err
}

const rule = "================================================================================\n"

// texts is licences.txt: each text once, below the files that it is.
func texts(modules []module) []byte {
	var order []string
	files := map[string][]string{}
	for _, m := range modules {
		for _, t := range m.Texts {
			if !slices.Contains(order, t.Content) {
				order = append(order, t.Content)
			}
			files[t.Content] = append(files[t.Content], fmt.Sprintf("%s@%s %s", m.Path, m.Version, t.Name))
		}
	}
	var out bytes.Buffer
	for _, content := range order {
		fmt.Fprintf(&out, "%s%s\n%s\n%s\n\n", rule, strings.Join(files[content], "\n"), rule, strings.TrimRight(content, "\n"))
	}
	return out.Bytes()
}
