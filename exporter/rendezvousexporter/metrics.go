// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pipeline"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/choice"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

var metrics = signal[pmetric.Metrics]{
	name:    pipeline.SignalMetrics,
	empty:   pmetric.NewMetrics,
	keys:    metricKeys,
	owned:   owned(pmetric.NewMetrics),
	divide:  divideMetrics,
	add:     func(batch, more pmetric.Metrics) { more.ResourceMetrics().MoveAndAppendTo(batch.ResourceMetrics()) },
	unsent:  consumererror.NewMetrics,
	newSend: newSendMetrics,
}

// metricKeys returns the key of each resource.
func metricKeys(md pmetric.Metrics) iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) {
		for _, rm := range md.ResourceMetrics().All() {
			if !yield(choice.ResourceKey(rm.Resource()), points(rm)) {
				return
			}
		}
	}
}

func points(rm pmetric.ResourceMetrics) (n int) {
	for _, sm := range rm.ScopeMetrics().All() {
		n += datapoints.CountIn(sm)
	}
	return n
}

func divideMetrics(md pmetric.Metrics, to []int, n int) []pmetric.Metrics {
	divided := make([]pmetric.Metrics, n)
	for i := range divided {
		divided[i] = pmetric.NewMetrics()
	}
	for unit, rm := range md.ResourceMetrics().All() {
		rm.MoveTo(divided[to[unit]].ResourceMetrics().AppendEmpty())
	}
	return divided
}

func newSendMetrics(conn *grpc.ClientConn) func(context.Context, pmetric.Metrics, ...grpc.CallOption) (int64, string, error) {
	client := pmetricotlp.NewGRPCClient(conn)
	return func(ctx context.Context, md pmetric.Metrics, options ...grpc.CallOption) (int64, string, error) {
		response, err := client.Export(ctx, pmetricotlp.NewExportRequestFromMetrics(md), options...)
		if err != nil {
			return 0, "", err
		}
		partial := response.PartialSuccess()
		return partial.RejectedDataPoints(), partial.ErrorMessage(), nil
	}
}
