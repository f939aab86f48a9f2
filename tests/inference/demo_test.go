// SPDX-License-Identifier: Apache-2.0

package inference

import (
	"context"
	"os/exec"
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
	text, err := exec.CommandContext(ctx, collectortest.Program(t, "demo"), "--duration", "2s", "--binary", collectortest.Binary(t),
		"--data", t.TempDir()).CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.Contains(t, string(text), "vllm, scraped: gen_ai.client.token.usage, ")
}
