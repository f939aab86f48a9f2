// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Truncate cuts a file to 1/part of its size.
func Truncate(t *testing.T, file string, part int64) {
	t.Helper()
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(file, info.Size()/part))
}
