// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package statefile

import "os"

// replace puts a new file in the place of an old one.
func replace(newFile, oldFile string) error { return os.Rename(newFile, oldFile) }
