package pipetest

import (
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// compare returns how got differs from the output file of a case, "" when the
// data is the same. The file may be written in any YAML style.
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
	// Line by line, so that the report shows the lines that differ and a few around.
	return cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")), nil
}
