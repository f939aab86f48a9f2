// SPDX-License-Identifier: Apache-2.0

package pipetest

import (
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// compare returns the difference between got and the output file of a case, or an empty string for equal
// data. The file may have any YAML style.
func compare(dir, got string) (difference string, err error) {
	var documents [][]byte
	err = eachDocument(filepath.Join(dir, outputFile), func(document map[string]any) error {
		b, err := parse(document)
		if err != nil {
			return err
		}
		content, err := toJSON(b)
		documents = append(documents, content)
		return err
	})
	if err != nil {
		return "", err
	}
	want, err := marshal(documents)
	if err != nil {
		return "", err
	}
	// Compared by line, so that the report shows the different lines with some context.
	return cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")), nil
}
