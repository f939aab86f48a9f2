# SPDX-License-Identifier: Apache-2.0

"""TensorCast's Store Daemon with a client inside: hand-written spans, and calls to a Global Store.

Starts the Global Store as a second process, so that traces cross a process
boundary, and prints what both sent.
"""

from __future__ import annotations

import contextlib
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
from opentelemetry import metrics, trace
from opentelemetry.propagate import inject
from opentelemetry.trace import SpanKind

from instruments import Measurement, measure
from otlp import Destination, destination, destination_parser, telemetry
from recorder import Sent

RESOURCE = {
    "service.name": "tensorcast-store-daemon",
    "service.namespace": "tensorcast",
    "tc.node.role": "store_daemon",
}

SERVER_ATTRIBUTES = {"rpc.system": "grpc", "rpc.service": "tensorcast.daemon.v2.StoreDaemonService"}

MEASUREMENTS = [
    Measurement("counter", "tc_p2p_bytes_total", 4096),
    # As with the option that labels them with ids.
    *(
        Measurement("counter", "tc_rpc_requests_total", 1, attributes={"method": method, "tc.request.id": request})
        for method in ("MaterializeReplicaV2", "DeregisterArtifact")
        for request in ("r-1", "r-2", "r-3")
    ),
    Measurement("histogram", "tc_artifact_load_seconds", 0.25, "s", {"view_id_prefix": "v" * 24}),
    Measurement("histogram", "tc_artifact_load_seconds", 12, "s", {"view_id_prefix": "w" * 24}),
    Measurement("gauge", "tc_pinned_class_acquire_timeouts_total", 3),
    # Known to no pack: the general rule has to do.
    Measurement("up_down_counter", "tensorcast.loader.queue-depth", 2, "{chunk}"),
    Measurement("histogram", "rpc.server.duration", 12, "ms", {"rpc.system": "grpc"}),
]

CALL_TIMEOUT_SECONDS = 60

log = logging.getLogger("tensorcast.daemon")


@contextlib.contextmanager
def global_store(to: Destination, sent: Sent) -> Iterator[str]:
    """Runs the Global Store, yields its host:port and adds what it sent."""
    program = Path(__file__).with_name("tensorcast_global_store.py")
    command = [sys.executable, program, "--protocol", to.protocol, "--endpoint", to.endpoint]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield f"127.0.0.1:{int(process.stdout.readline())}"
        finally:
            # Closes stdin, which ends the store.
            output, _ = process.communicate(timeout=120)
    sent.merge(output.splitlines()[-1])


def call(channel: grpc.Channel, path: str, request: bytes) -> None:
    """Calls the Global Store in a span of TensorCast's own naming, passing its context on."""
    tracer = trace.get_tracer("tensorcast.client")
    attributes = {"rpc.system": "grpc", "rpc.service": path.split("/")[1]}
    with tracer.start_as_current_span(
        f"GlobalStore/{path.split('/')[2]}", kind=SpanKind.CLIENT, attributes=attributes
    ) as span:
        context: dict[str, str] = {}
        inject(context)
        try:
            channel.unary_unary(path)(request, timeout=CALL_TIMEOUT_SECONDS, metadata=list(context.items()))
        except grpc.RpcError as error:
            span.set_status(trace.StatusCode.ERROR, error.details())


def put(channel: grpc.Channel) -> None:
    """A client's Put: the daemon's engine below it, the Global Store at its end."""
    client, core = trace.get_tracer("tensorcast.client"), trace.get_tracer("tensorcast.core")
    attributes = {"tc.artifact.id": "a-1", "tc.size.bytes": 4096, "tc.location": "gpu"}
    with client.start_as_current_span("Store/Put", attributes=attributes):
        log.info("put a-1")
        with core.start_as_current_span("StoreEngine::lock_chunks", attributes={"component": "engine"}):
            log.info("chunks locked")
        with core.start_as_current_span("registration_commit.gs.register_memory_replica.rpc"):
            call(channel, "/tensorcast.global_store.v1.ArtifactCatalogService/RegisterMemoryReplica", b"a-1")


def materialize(channel: grpc.Channel) -> None:
    """The daemon serves a replica; as in TensorCast, the span has the bare method's name."""
    daemon, core = trace.get_tracer("tensorcast.daemon"), trace.get_tracer("tensorcast.core")
    method = "MaterializeReplicaV2"
    with daemon.start_as_current_span(
        method, kind=SpanKind.SERVER, attributes={**SERVER_ATTRIBUTES, "rpc.method": method}
    ) as server:
        with core.start_as_current_span("ingest_from_p2p_internal", attributes={"tc.source.type": "remote"}):
            for index in range(3):
                with core.start_as_current_span("P2P/ChunkRecv", attributes={"tc.conn.index": index}):
                    pass
        server.add_event("p2p_ingest_complete", {"tc.artifact.id": "a-1"})
        call(channel, "/tensorcast.global_store.v1.ArtifactCatalogService/GetArtifact", b"a-2")


def main() -> None:
    """Does the work once, and prints what was sent."""
    to = destination(destination_parser(__doc__).parse_args())
    sent = Sent()
    with telemetry(to, RESOURCE, sent), global_store(to, sent) as address:
        with grpc.insecure_channel(address) as channel:
            log.info("started outside of any span")
            call(channel, "/tensorcast.global_store.v1.ClusterAdminService/HealthCheck", b"")
            put(channel)
            measure(metrics.get_meter("tensorcast.daemon"), MEASUREMENTS)
            # A second collection of the same streams, as a periodic reader makes.
            metrics.get_meter_provider().force_flush()
            materialize(channel)
    sent.print()


if __name__ == "__main__":
    main()
