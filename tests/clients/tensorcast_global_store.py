# SPDX-License-Identifier: Apache-2.0

"""TensorCast's Global Store: a gRPC server whose spans come from the gRPC instrumentation.

Prints the port it listens on as its first line, serves until stdin closes, and
then prints what it sent.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import grpc
from opentelemetry import metrics
from opentelemetry.instrumentation.grpc import GrpcInstrumentorServer

from instruments import Measurement, measure
from otlp import destination, destination_parser, telemetry
from recorder import Sent

RESOURCE = {
    "service.name": "tensorcast-global-store",
    "service.namespace": "tensorcast",
    "service.version": "0.9.0",
    "tc.node.role": "global_store",
}

# Names as the convention wants them, and as TensorCast has them.
MEASUREMENTS = [
    Measurement("counter", "tc_replica_register_total", 1, attributes={"artifact_id": "a-1"}),
    Measurement("counter", "tc_replica_register_total", 2, attributes={"artifact_id": "a-2"}),
    Measurement("gauge", "tc_replicas_per_artifact", 1.0, attributes={"artifact_id": "a-1"}),
    Measurement("gauge", "tc_replicas_per_artifact", 4.0, attributes={"artifact_id": "a-2"}),
    Measurement("gauge", "tensorcast_memory_tier_stable_bytes", 2**30, attributes={"node": "node-1"}),
    Measurement("gauge", "tensorcast_memory_tier_faults_per_sec", 0.5, attributes={"node": "node-1"}),
]

log = logging.getLogger("tensorcast.global_store")

Behavior = Callable[[bytes, grpc.ServicerContext], bytes]


def health_check(request: bytes, context: grpc.ServicerContext) -> bytes:
    """Answers that the store serves."""
    log.info("health check")
    return b"SERVING"


def register_memory_replica(request: bytes, context: grpc.ServicerContext) -> bytes:
    """Registers a replica."""
    log.info("replica of %s registered", request.decode())
    return b"OK"


def get_artifact(request: bytes, context: grpc.ServicerContext) -> bytes:
    """Fails, so that a span with an error status is among those sent."""
    log.warning("artifact %s not found", request.decode())
    context.abort(grpc.StatusCode.NOT_FOUND, "no such artifact")


SERVICES: dict[str, dict[str, Behavior]] = {
    "tensorcast.global_store.v1.ClusterAdminService": {"HealthCheck": health_check},
    "tensorcast.global_store.v1.ArtifactCatalogService": {
        "RegisterMemoryReplica": register_memory_replica,
        "GetArtifact": get_artifact,
    },
}


def serve() -> None:
    """Runs the server until stdin closes."""
    # Messages are plain bytes: generic handlers need no generated code.
    server = grpc.server(ThreadPoolExecutor(max_workers=2))
    for service, methods in SERVICES.items():
        handlers = {name: grpc.unary_unary_rpc_method_handler(behavior) for name, behavior in methods.items()}
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, handlers)])
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    sys.stdin.read()
    server.stop(grace=5).wait()


def main() -> None:
    """Serves and records what was sent."""
    arguments = destination_parser(__doc__).parse_args()
    sent = Sent()
    with telemetry(destination(arguments), RESOURCE, sent):
        GrpcInstrumentorServer().instrument()
        measure(metrics.get_meter("tensorcast.global_store"), MEASUREMENTS)
        serve()
    sent.print()


if __name__ == "__main__":
    main()
