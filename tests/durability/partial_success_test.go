// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// What a backend rejects of a request that it accepts is counted by signal, over HTTP and over
// gRPC, by the gateway; and by the agent, whose gateways answer it over gRPC.
func TestPartialSuccessIsCounted(t *testing.T) {
	t.Parallel()
	backend := collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // its content does not matter
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/v1/logs") {
			_, _ = io.WriteString(w, `{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}`)
		}
	}))
	jaeger := collectortest.ServeSpans(t, collectortest.Rejecting(1))
	env := map[string]string{"OTELCOL_TC_BACKEND": "http://" + backend, "OTELCOL_TC_JAEGER_ENDPOINT": jaeger}
	gateway := collectortest.Start(t, collectortest.Options{Configs: collectortest.WithFragments("gateway-jaeger"), Env: env})
	collectortest.PostLogs(t, gateway, payload.JobLogs("rejected", "accepted"))
	payload.PostJob(t, gateway, payload.PutName, "")
	requireCounted(t, gateway, "otelcol_partial_success_rejected_items",
		map[string]string{"endpoint": backend, "signal": "logs"}, 2)
	requireCounted(t, gateway, "otelcol_partial_success_rejected_items", map[string]string{"endpoint": jaeger, "signal": "traces"}, 1)

	// The server of this test knows no snappy.
	plain := append(collectortest.WithFragments("agent-host"), "yaml:exporters::rendezvous::client::compression: none")
	agent := collectortest.Start(t, collectortest.Options{Configs: plain, Env: map[string]string{
		"OTELCOL_TC_GATEWAYS": fmt.Sprintf("[%q]", jaeger), "OTELCOL_TC_HOST_INTERVAL": "1h",
	}})
	payload.PostJob(t, agent, payload.PutName, "")
	requireCounted(t, agent, "otelcol_rendezvous_dropped_items", map[string]string{"endpoint": jaeger, "signal": "traces", "reason": "partial_success"}, 1)
}

func requireCounted(t *testing.T, c *collectortest.Collector, metric string, labels map[string]string, want float64) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got := collectortest.Sum(c.SelfMetrics(t)[metric], labels)
		return got == want, fmt.Sprintf("%s%v is %v, not %v", metric, labels, got, want)
	})
}
