// SPDX-License-Identifier: Apache-2.0

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Bash ends with an assignment that fails, but ignores a command in an argument: go test would
// test the root package alone.
func TestMakeTestSeesThatListingFails(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(collectortest.Root(t), "Makefile"))
	require.NoError(t, err)
	assert.Empty(t, regexp.MustCompile(`(?m)^\t.*\$\(GO_TEST\).*\$\$\(.*$`).FindAllString(string(text), -1))
}
