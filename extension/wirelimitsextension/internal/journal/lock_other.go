// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package journal

import "os"

// lock does nothing on systems without flock.
func lock(*os.File) error { return nil }
