// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package disk

import "os"

// Replace puts a new file in the place of an old one.
func (System) Replace(newFile, oldFile string) error { return os.Rename(newFile, oldFile) }
