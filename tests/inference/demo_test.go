// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// TestDemo runs what `make demo` runs. It fails if something was lost, renamed wrongly or put into a wrong trace.
func TestDemo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	text, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "demo"), "../demo").CombinedOutput()
	require.NoError(t, err, "%s", text)
	text, err = exec.CommandContext(ctx, filepath.Join(dir, "demo"), "--duration", "2s", "--binary", collectortest.Binary(t),
		"--data", filepath.Join(dir, "data")).CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.Contains(t, string(text), "vllm, scraped: gen_ai.client.token.usage, ")
}
