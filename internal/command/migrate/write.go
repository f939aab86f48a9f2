// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"os"
)

// write changes the files, or none of them if one must not be written.
func (m *migration) write() error {
	for _, c := range m.changed {
		file, err := os.OpenFile(c.source.name, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%w; no file is changed", err)
		}
		file.Close()
	}
	for _, c := range m.changed {
		if err := replace(c.source.name, c.source.text, c.text); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a file's new text where the old one is, so its owner, its permissions and links to it stay. If
// there is no space, the old text still has its own.
func replace(name, old, text string) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err = overwrite(file, text); err != nil {
		if again := overwrite(file, old); again != nil {
			return fmt.Errorf("%w, and its old text cannot be written again: %w", err, again)
		}
	}
	return err
}

func overwrite(file *os.File, text string) error {
	if _, err := file.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	if err := file.Truncate(int64(len(text))); err != nil {
		return err
	}
	return file.Sync()
}
