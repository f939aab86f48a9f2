// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const damagedMark = ".damaged-"

// setAside renames a file to a name that no component opens. It deletes the oldest such files of the same
// original name, beyond keep. It returns the new name, or none if the rename failed, and the errors of
// both steps.
func setAside(path string, now time.Time, keep int) (aside string, err error) {
	aside = path + damagedMark + now.UTC().Format("20060102T150405.000Z")
	if _, err := os.Lstat(aside); err == nil {
		return "", fmt.Errorf("%s already exists", aside)
	}
	if err := os.Rename(path, aside); err != nil {
		return "", err
	}
	directory, name := filepath.Split(path)
	entries, err := os.ReadDir(directory)
	if err != nil {
		return aside, err
	}
	var kept []string
	for _, entry := range entries {
		if other, found := strings.CutPrefix(entry.Name(), name); found && strings.HasPrefix(other, damagedMark) && setAsideFile.MatchString(other) {
			kept = append(kept, entry.Name())
		}
	}
	slices.Sort(kept) // by time, which is at the end of the names
	var errs error
	for len(kept) > keep {
		errs = errors.Join(errs, os.Remove(filepath.Join(directory, kept[0])))
		kept = kept[1:]
	}
	return aside, errs
}
