// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// BenchmarkConsume measures the cost of a line from the tailer to the next component, without
// reading the file.
func BenchmarkConsume(b *testing.B) {
	f := func(name, line string) {
		b.Run(name, func(b *testing.B) {
			cfg := createDefaultConfig().(*Config)
			cfg.Include = []string{"*.log"}
			r, err := newReceiver(receivertest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
			require.NoError(b, err)
			require.NoError(b, r.prepare(componenttest.NewNopHost()))
			var text []byte
			for i := range tail.MaxLines {
				text = fmt.Appendf(text, "%s %d\n", line, i)
			}
			one := r.newFile(1)
			one.Renamed(filepath.Join(b.TempDir(), "a.log"))
			b.ReportAllocs()
			b.SetBytes(int64(len(text) / tail.MaxLines))
			for n := 0; b.Loop(); n++ {
				if n%tail.MaxLines == 0 {
					require.NoError(b, one.Read(context.Background(), text, tail.Checkpoint{}))
				}
			}
		})
	}
	f("tensorcast_cpp", `2026-11-21T10:00:00.000000001+00:00 I tid=4101 store_daemon_service.cc:412 trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 MaterializeReplicaV2 artifact=mi2:6c device=0`)
	f("tensorcast_python", `INFO 11-21 10:00:00 [grpc-worker-1] trace_id=0af7651916cd43dd8448eb211c80319c span_id=00f067aa0ba902b7 transport_rpc_handler.py:141: transport granted from node-b`)
	f("unknown", `neither a time nor a level begins this line, which is as long as lines are in the logs of most of the runtimes that there are`)
}
