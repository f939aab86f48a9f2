// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
)

// nixl is the page of NIXL's Prometheus exporter in an engine, whose agents have new names after each restart.
var nixl = keptSystem{name: "nixl", families: nixlFamilies(), next: nextNIXL}

func nixlFamilies() []family {
	labels := []string{"hostname", "agent_name"}
	return slices.Concat(
		alike(scrapedCounter, labels, nil, 0, "agent_tx_bytes_total agent_rx_bytes_total agent_tx_requests_num_total agent_rx_requests_num_total agent_memory_registered_total agent_memory_deregistered_total agent_telemetry_events_dropped_total"),
		alike(scrapedGauge, labels, nil, 0, "agent_tx_last_bytes agent_rx_last_bytes"),
		alike(scrapedCounter, append(labels, "status"), nil, 0, "agent_errors_total"),
	)
}

// nextNIXL feeds a page of a new agent, and writes absl's lines.
func nextNIXL(run *keptRun) {
	agent := randomUUID(run.rng)
	for _, f := range run.families {
		values := []string{"gpu-node-7", agent}
		if len(f.labels) == 3 {
			values = append(values, "remote_disconnect")
		}
		run.metrics.feed(f, float64(1+run.rng.IntN(65536)), values)
	}
	at := run.at(10).UTC().Format("0102 15:04:05.000000")
	run.write("nixl.log", 10, root, StatesNothing, fmt.Sprintf("I%s %7d prometheus_exporter.cpp:97] Prometheus exporter initialized on 0.0.0.0:9090", at, 4711))
	run.write("nixl.log", 20, root, StatesNothing, fmt.Sprintf("E%s %7d prometheus_exporter.cpp:226] Failed to export telemetry event: \"%s\"", run.at(20).UTC().Format("0102 15:04:05.000000"), 4711, agent))
}
