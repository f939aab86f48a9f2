# SPDX-License-Identifier: Apache-2.0

"""The OpenTelemetry SDK as an application sets it up: all three signals over one protocol."""

from __future__ import annotations

import argparse
import contextlib
import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from opentelemetry import _logs, metrics, trace
from opentelemetry.exporter.otlp.proto.grpc import _log_exporter as grpc_logs
from opentelemetry.exporter.otlp.proto.grpc import metric_exporter as grpc_metrics
from opentelemetry.exporter.otlp.proto.grpc import trace_exporter as grpc_traces
from opentelemetry.exporter.otlp.proto.http import _log_exporter as http_logs
from opentelemetry.exporter.otlp.proto.http import metric_exporter as http_metrics
from opentelemetry.exporter.otlp.proto.http import trace_exporter as http_traces
from opentelemetry.instrumentation.logging import LoggingInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from recorder import Sent, record

EXPORT_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Destination:
    """Where to send: the protocol (grpc or http) and the collector's host:port for it."""

    protocol: str
    endpoint: str

    def url(self, signal: str) -> str:
        """The exporter's endpoint for a signal; only OTLP/HTTP has one path for each."""
        base = f"http://{self.endpoint}"
        return base if self.protocol == "grpc" else f"{base}/v1/{signal}"

    def exporters(self) -> tuple[ModuleType, ModuleType, ModuleType]:
        """The exporter modules for traces, metrics and logs."""
        if self.protocol == "grpc":
            return grpc_traces, grpc_metrics, grpc_logs
        return http_traces, http_metrics, http_logs


def destination_parser(description: str | None) -> argparse.ArgumentParser:
    """A command line with --protocol and --endpoint, for destination()."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--protocol", choices=["grpc", "http"], required=True)
    parser.add_argument("--endpoint", required=True, help="the collector's host:port for the protocol")
    return parser


def destination(arguments: argparse.Namespace) -> Destination:
    """The destination that a command line names."""
    return Destination(arguments.protocol, arguments.endpoint)


@contextlib.contextmanager
def telemetry(
    to: Destination, resource: dict[str, str], sent: Sent, *, set_logging_format: bool = False
) -> Iterator[None]:
    """Makes the global providers send to a destination, and flushes them on leaving.

    With set_logging_format, log records are written to stderr as well, as the
    instrumentation writes them by default, with their ids.

    Metrics are collected only when asked for and at the end, so that the
    number of data points does not depend on the machine's speed.
    """
    traces, metric_points, log_records = to.exporters()
    attributes = Resource.create(resource)
    timeout = EXPORT_TIMEOUT_SECONDS

    spans = traces.OTLPSpanExporter(endpoint=to.url("traces"), timeout=timeout)
    tracer_provider = TracerProvider(resource=attributes)
    tracer_provider.add_span_processor(BatchSpanProcessor(record(spans, sent, sent.add_spans)))

    points = metric_points.OTLPMetricExporter(endpoint=to.url("metrics"), timeout=timeout)
    reader = PeriodicExportingMetricReader(record(points, sent, sent.add_metrics), math.inf)
    meter_provider = MeterProvider([reader], resource=attributes)

    logs = log_records.OTLPLogExporter(endpoint=to.url("logs"), timeout=timeout)
    logger_provider = LoggerProvider(resource=attributes)
    logger_provider.add_log_record_processor(BatchLogRecordProcessor(record(logs, sent, sent.add_logs)))

    trace.set_tracer_provider(tracer_provider)
    metrics.set_meter_provider(meter_provider)
    _logs.set_logger_provider(logger_provider)
    logging.getLogger().setLevel(logging.INFO)
    LoggingInstrumentor().instrument(inject_trace_context=True, set_logging_format=set_logging_format)
    try:
        yield
    finally:
        # Away with the handler first: what a failing export logs cannot be exported.
        LoggingInstrumentor().uninstrument()
        tracer_provider.shutdown()
        meter_provider.force_flush()  # with no interval, shutdown alone would not collect
        meter_provider.shutdown()
        logger_provider.shutdown()
