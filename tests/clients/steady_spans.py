# SPDX-License-Identifier: Apache-2.0

"""Makes spans with the SDK, whose settings come from OTEL_* variables, until stdin ends.

Then it prints the ids of all spans, as tests/gospans does.
"""

from __future__ import annotations

import json
import sys
import threading
import time

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import format_span_id

from otlp import Destination, destination_parser

# Senders start one after the other, so that their batches end at different times.
SENDERS = 5
STAGGER_SECONDS = 1


def send(destination: Destination, pause: float, ended: threading.Event, ids: list[str]) -> None:
    """Makes spans until the event."""
    traces, _, _ = destination.exporters()
    insecure = {"insecure": True} if destination.protocol == "grpc" else {}
    exporter = traces.OTLPSpanExporter(endpoint=destination.url("traces"), **insecure)
    provider = TracerProvider(resource=Resource({"service.name": "steady-spans"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("steady-spans")
    while not ended.is_set():
        span = tracer.start_span("Work/Do")
        span.end()
        ids.append(format_span_id(span.get_span_context().span_id))
        time.sleep(pause)
    provider.shutdown()


def main() -> None:
    parser = destination_parser(__doc__)
    parser.add_argument("--rate", type=int, default=20, help="spans a second of each sender")
    arguments = parser.parse_args()
    destination = Destination(arguments.protocol, arguments.endpoint)
    ended, ids, senders = threading.Event(), [], []
    for i in range(SENDERS):
        sender = threading.Timer(i * STAGGER_SECONDS, send, (destination, 1 / arguments.rate, ended, ids))
        sender.start()
        senders.append(sender)
    sys.stdin.read()
    ended.set()
    for sender in senders:
        sender.join()
    print(json.dumps({"spans": ids}))


if __name__ == "__main__":
    main()
