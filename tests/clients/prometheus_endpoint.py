# SPDX-License-Identifier: Apache-2.0

"""A real prometheus_client endpoint with the metric families of a system.

Prints one line of JSON, the port and the families' names, and serves until
stdin closes or its time is up.
"""

from __future__ import annotations

import argparse
import itertools
import json
import select
import sys
from dataclasses import dataclass, field

from prometheus_client import (
    GC_COLLECTOR,
    PLATFORM_COLLECTOR,
    PROCESS_COLLECTOR,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    start_http_server,
)

Instrument = type[Counter] | type[Gauge] | type[Histogram]


@dataclass(frozen=True)
class Family:
    """A family: its instrument, name and labels, and the value that each of its series shows."""

    instrument: Instrument
    name: str
    value: float
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def register(self, registry: CollectorRegistry) -> None:
        """Adds the family to a registry and sets a series for each combination of label values."""
        metric = self.instrument(self.name, f"{self.name} of the system", list(self.labels), registry=registry)
        for values in itertools.product(*self.labels.values()):
            series = metric.labels(*values) if values else metric
            if isinstance(series, Counter):
                series.inc(self.value)
            elif isinstance(series, Histogram):
                series.observe(self.value)
            else:
                series.set(self.value)


ARTIFACT = {"artifact_id": ("a-1", "a-2")}
ADDRESS = {"address": ("ipc:///tmp/fd-1", "ipc:///tmp/fd-2")}
PATHS = ("/v1/completions", "/v1/requests/1")
NODE = {"node": ("node-1",)}

SYSTEMS = {
    # The Global Store's page on :8001.
    "tensorcast": [
        Family(Counter, "tc_replica_register_total", 3, ARTIFACT),
        Family(Counter, "tc_replica_unregister_total", 1, ARTIFACT),
        Family(Gauge, "tc_replicas_per_artifact", 2, ARTIFACT),
        Family(Gauge, "tc_replicas_total", 2),
        Family(Counter, "tc_transport_requests_total", 4, ARTIFACT),
        Family(Histogram, "tc_transport_wait_seconds", 0.02, ARTIFACT),
        Family(Counter, "tc_transport_filter_total", 1, ARTIFACT),
        Family(Counter, "tc_transport_no_exportable_total", 1, ARTIFACT),
        Family(Gauge, "tc_transport_source_top1_share", 0.75, ARTIFACT),
        Family(Gauge, "tc_transport_source_hhi", 0.6, ARTIFACT),
        Family(Gauge, "tc_view_partial_backlog_bytes", 512, {**ARTIFACT, "view_id": ("v-1", "v-2")}),
        Family(Gauge, "tensorcast_memory_tier_stable_bytes", 2**30, NODE),
        Family(Gauge, "tensorcast_memory_tier_preemptible_bytes", 2**20, NODE),
        Family(Gauge, "tensorcast_memory_tier_faults_per_sec", 0.5, NODE),
        Family(Gauge, "tensorcast_memory_tier_rehydrate_p99_ns", 2e6, NODE),
        Family(Gauge, "tensorcast_memory_tier_enable_preemptible", 1, NODE),
    ],
    "fastdeploy": [
        Family(Gauge, "fastdeploy:num_requests_running", 2),
        Family(Counter, "fastdeploy:requests_number", 7),
        Family(Counter, "fastdeploy:zmq:msg_send_total", 9, ADDRESS),
        Family(Histogram, "fastdeploy:zmq:latency", 3.5, ADDRESS),
        Family(Gauge, "first_token_latency", 0.12),
        Family(Gauge, "infer_latency", 0.9),
        Family(Counter, "http_requests_total", 5, {"method": ("POST",), "path": PATHS, "status_code": ("200",)}),
        Family(Gauge, "cache_config_info", 1, {"block_size": ("64",), "cache_dtype": ("bfloat16",)}),
    ],
}


def serve(families: list[Family]) -> int:
    """Serves the families and the library's python_* and process_* ones; returns the port."""
    registry = CollectorRegistry()
    for collector in (GC_COLLECTOR, PLATFORM_COLLECTOR, PROCESS_COLLECTOR):
        registry.register(collector)
    for family in families:
        family.register(registry)
    server, _ = start_http_server(0, "127.0.0.1", registry)
    return server.server_port


def wait_for_stdin_to_close(seconds: float) -> None:
    """Returns when stdin is closed, at the latest after so many seconds."""
    select.select([sys.stdin], [], [], seconds)


def main() -> None:
    """Serves one system's page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--system", choices=SYSTEMS, required=True)
    parser.add_argument("--seconds", type=float, default=60, help="the longest time to serve")
    arguments = parser.parse_args()
    families = SYSTEMS[arguments.system]
    print(json.dumps({"port": serve(families), "families": [f.name for f in families]}), flush=True)
    wait_for_stdin_to_close(arguments.seconds)


if __name__ == "__main__":
    main()
