// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// TestWriterOfServiceOverflow checks that the overflow series of a service names its writer: a restart with the state
// keeps it, and another collector has its own.
func TestWriterOfServiceOverflow(t *testing.T) {
	limited := func(cfg *Config) { cfg.ServiceLimit = 1 }
	writerOf := func(r *rig, at float64) string {
		r.process(r.deltas(pt{"route=/a", at - 1, at, 1}))
		out := r.process(r.deltas(pt{"route=/b", at - 1, at, 1}))
		require.Equal(t, 1, out.ResourceMetrics().Len())
		return attributes.Text(out.ResourceMetrics().At(0).Resource().Attributes(), "service.instance.id")
	}
	r, restarted, second := plainRig(t, limited), plainRig(t, limited), plainRig(t, limited)
	writer := writerOf(r, 10)
	assert.Regexp(t, "^overflow-[0-9a-f]{16}$", writer)
	copySeries(t, r.p, restarted.p)
	assert.Equal(t, writer, writerOf(restarted, 20))
	assert.NotEqual(t, writer, writerOf(second, 20))
}
