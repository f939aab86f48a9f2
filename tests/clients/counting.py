# SPDX-License-Identifier: Apache-2.0

"""A real counter with an id. What it does is read from stdin.

Each line is a list of words, and gets one line as an answer:
  count ID...   adds one for each id
  remove ID...  removes the ids from the page
  fail, work    makes the page fail, or work again
  export        sends a collection (with --endpoint), or
                waits for two scrapes to begin and end (without)

Without --endpoint it is a prometheus_client page in plain text, without start times. The
first answer is its port.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

NEVER_MS = 3_600_000
LABELS = ["artifact_id", "node"]


class Page:
    """A page of prometheus_client."""

    def __init__(self) -> None:
        disable_created_metrics()
        self.registry = CollectorRegistry()
        self.counter = Counter("tc_replica_register_total", "Replicas.", LABELS, registry=self.registry)
        self.wait = Histogram("tc_transport_wait_seconds", "Waits.", LABELS, registry=self.registry)
        self.works = True
        self.scrapes = 0
        self.scraped = threading.Condition()
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200 if page.works else 500)
                self.send_header("Content-Type", CONTENT_TYPE_LATEST)
                self.end_headers()
                self.wfile.write(generate_latest(page.registry))
                with page.scraped:
                    page.scrapes += 1
                    page.scraped.notify_all()

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_port, flush=True)

    def count(self, *ids: str) -> None:
        for id_ in ids:
            self.counter.labels(id_, "n").inc()
            self.wait.labels(id_, "n").observe(0.02)

    def remove(self, *ids: str) -> None:
        for id_ in ids:
            self.counter.remove(id_, "n")
            self.wait.remove(id_, "n")

    def fail(self) -> None:
        self.works = False

    def work(self) -> None:
        self.works = True

    def export(self) -> None:
        with self.scraped:
            after = self.scrapes + 2
            self.scraped.wait_for(lambda: self.scrapes >= after)


class Pusher:
    """An SDK."""

    def __init__(self, protocol: str, endpoint: str) -> None:
        if protocol == "grpc":
            exporter = GrpcExporter(endpoint=f"http://{endpoint}", insecure=True)
        else:
            exporter = HttpExporter(endpoint=f"http://{endpoint}/v1/metrics")
        self.provider = MeterProvider(
            [PeriodicExportingMetricReader(exporter, export_interval_millis=NEVER_MS)],
            resource=Resource({"service.name": "counting", "service.instance.id": protocol}),
        )
        meter = self.provider.get_meter("counting")
        self.counter = meter.create_counter("tc_replica_register_total")
        self.wait = meter.create_histogram("tc_transport_wait_seconds")
        print("ready", flush=True)

    def count(self, *ids: str) -> None:
        for id_ in ids:
            attributes = dict(zip(LABELS, (id_, "n"), strict=True))
            self.counter.add(1, attributes)
            self.wait.record(0.02, attributes)

    def export(self) -> None:
        if not self.provider.force_flush():
            raise SystemExit("the collection was not exported")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", choices=["grpc", "http"])
    parser.add_argument("--endpoint")
    arguments = parser.parse_args()
    source = Pusher(arguments.protocol, arguments.endpoint) if arguments.endpoint else Page()
    for line in sys.stdin:
        command, *words = line.split()
        do: Callable[..., None] = getattr(source, command)
        do(*words)
        print("done", flush=True)


if __name__ == "__main__":
    main()
