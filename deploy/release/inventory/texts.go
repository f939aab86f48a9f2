// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	classifier "github.com/google/licenseclassifier/v2"
)

// text is a file of a module that has to travel with the binary.
type text struct {
	// Name is relative to the module's folder.
	Name    string
	Content string
	// Licences are SPDX identifiers. A notice has none.
	Licences []string
}

var (
	licenceName = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)s?([-._].*)?$`)
	// What else licences ask to be handed on, such as Apache-2.0 in 4(d).
	noticeName = regexp.MustCompile(`(?i)^(notice|copyright|patents|authors)s?([-._].*)?$`)
	codeName   = regexp.MustCompile(`\.(go|s|py|sh|tmpl)$`)
)

// readTexts finds the licences and notices in a module's folders. A module without a
// licence is an error, and so is a licence that nobody knows.
func readTexts(m module, known *classifier.Classifier) ([]text, error) {
	var texts []text
	licensed := false
	for _, dir := range m.Dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			isLicence := licenceName.MatchString(e.Name())
			if !e.Type().IsRegular() || codeName.MatchString(e.Name()) || !isLicence && !noticeName.MatchString(e.Name()) {
				continue
			}
			path := filepath.Join(dir, e.Name())
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(m.Dirs[0], path)
			if err != nil {
				return nil, err
			}
			t := text{Name: filepath.ToSlash(name), Content: string(content)}
			if isLicence {
				if t.Licences = classify(content, known); len(t.Licences) == 0 {
					return nil, fmt.Errorf("%s@%s: %s is a licence that is not known", m.Path, m.Version, t.Name)
				}
				licensed = true
			}
			texts = append(texts, t)
		}
	}
	if !licensed {
		return nil, fmt.Errorf("%s@%s has no licence", m.Path, m.Version)
	}
	return texts, nil
}

// spdx has the identifiers of licences that the classifier calls otherwise.
var spdx = map[string]string{"GNU-All-permissive-Copying-License": "FSFAP"}

// classify returns the SPDX identifiers of the licences in a text, sorted. A header that
// refers to a licence stands for it.
func classify(content []byte, known *classifier.Classifier) []string {
	var names []string
	for _, match := range known.Match(content).Matches {
		if match.MatchType == "License" || match.MatchType == "Header" {
			names = append(names, cmp.Or(spdx[match.Name], match.Name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
