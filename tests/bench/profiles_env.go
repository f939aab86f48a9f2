// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
)

// profileEnv points a profile at a sink, and all else that it would listen at or read at
// nothing.
func profileEnv(data, telemetry, state string, s *sink) []string {
	_, telemetryPort, _ := net.SplitHostPort(telemetry)
	return []string{
		"OTELCOL_TC_OTLP_GRPC_ENDPOINT=" + data,
		"OTELCOL_TC_OTLP_HTTP_ENDPOINT=" + anyPort,
		"OTELCOL_TC_PROMETHEUS_ENDPOINT=" + anyPort,
		"OTELCOL_TC_HEALTH_ENDPOINT=" + anyPort,
		"OTELCOL_TC_READINESS_ENDPOINT=" + anyPort,
		"OTELCOL_TC_PAGE_ENDPOINT=" + anyPort,
		"OTELCOL_TC_TELEMETRY_PORT=" + telemetryPort,
		"OTELCOL_TC_STATE=" + state,
		"OTELCOL_TC_LOG_FILES=[/nowhere]",
		"OTELCOL_TC_SCRAPE_TARGETS=[]",
		"OTELCOL_TC_NODE=node-7",
		fmt.Sprintf("OTELCOL_TC_GATEWAYS=[%q]", s.grpcAddress),
		"BENCH_GATEWAY=" + s.grpcAddress, // for stock, which has one exporter for each
		"OTELCOL_TC_BACKEND=http://" + s.httpAddress,
		"ROTEL_OTLP_GRPC_ENDPOINT=" + data,
		"ROTEL_OTLP_HTTP_ENDPOINT=" + telemetry, // it serves no metrics of its own there
		"ROTEL_OTLP_EXPORTER_ENDPOINT=http://" + s.grpcAddress,
	}
}
