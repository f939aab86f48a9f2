// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// brokenState returns a directory of the cardinality processor whose file is damaged.
func brokenState(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, "series"), []byte("TCs"), 0o600))
	return directory
}
