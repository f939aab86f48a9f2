// SPDX-License-Identifier: Apache-2.0

package packs

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The examples of the packs in the binary hold.
func TestBuiltinExamples(t *testing.T) {
	t.Parallel()
	result := collectortest.Run(t, "pack", "test")
	assert.Zero(t, result.Code, result.Stdout+result.Stderr)
	assert.Contains(t, result.Stdout, "builtin/tensorcast.yaml: ")
}

func TestExplainAndCheck(t *testing.T) {
	t.Parallel()
	result := collectortest.Run(t, "pack", "explain", "artifact_id", "--config", "builtin:dev", "--resource", "service.namespace=tensorcast")
	assert.Zero(t, result.Code, result.Stderr)
	assert.Contains(t, result.Stdout, "out         tc.artifact.id\n")

	packs, err := filepath.Glob("../../conventions/*.yaml")
	assert.NoError(t, err)
	result = collectortest.Run(t, append([]string{"pack", "check"}, packs...)...)
	assert.Zero(t, result.Code, result.Stdout+result.Stderr)
	assert.Contains(t, result.Stdout, "tuft.yaml: no problems\n")
}
