# SPDX-License-Identifier: Apache-2.0

"""A loopback OTLP/gRPC receiver that records what reaches it.

It stands beside the collector as a second endpoint, for clients whose
exporters are out of Python's reach: PyTango's C++ half is configured by
environment variables only and sends the same spans to every endpoint.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs_service
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2_grpc as logs_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as trace_service
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as trace_grpc
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from recorder import Sent, SentLog, SentSpan


@contextlib.contextmanager
def otlp_tap(sent: Sent) -> Iterator[str]:
    """Serves on a free loopback port, yields its host:port and adds what arrives to sent."""
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    trace_grpc.add_TraceServiceServicer_to_server(_Traces(sent), server)
    logs_grpc.add_LogsServiceServicer_to_server(_Logs(sent), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(grace=2).wait()


class _Traces(trace_grpc.TraceServiceServicer):
    def __init__(self, sent: Sent) -> None:
        self._sent = sent

    def Export(
        self, request: trace_service.ExportTraceServiceRequest, context: grpc.ServicerContext
    ) -> trace_service.ExportTraceServiceResponse:
        for resource in request.resource_spans:
            service = _service(resource.resource.attributes)
            for scope in resource.scope_spans:
                self._sent.spans.extend(_sent_span(span, service) for span in scope.spans)
        return trace_service.ExportTraceServiceResponse()


class _Logs(logs_grpc.LogsServiceServicer):
    def __init__(self, sent: Sent) -> None:
        self._sent = sent

    def Export(
        self, request: logs_service.ExportLogsServiceRequest, context: grpc.ServicerContext
    ) -> logs_service.ExportLogsServiceResponse:
        for resource in request.resource_logs:
            for scope in resource.scope_logs:
                self._sent.logs.extend(
                    SentLog(log.body.string_value, _hex_id(log.trace_id), _hex_id(log.span_id))
                    for log in scope.log_records
                )
        return logs_service.ExportLogsServiceResponse()


def _sent_span(span: Span, service: str) -> SentSpan:
    return SentSpan(
        trace_id=_hex_id(span.trace_id),
        span_id=_hex_id(span.span_id),
        parent_span_id=_hex_id(span.parent_span_id),
        name=span.name,
        kind=Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").capitalize(),
        start_unix_nano=span.start_time_unix_nano,
        end_unix_nano=span.end_time_unix_nano,
        status=Status.StatusCode.Name(span.status.code).removeprefix("STATUS_CODE_").capitalize(),
        service=service,
    )


def _hex_id(identifier: bytes) -> str:
    """The id as hex; a missing or all-zero id is empty, as it is in the collector's data model."""
    return identifier.hex() if any(identifier) else ""


def _service(attributes: list[KeyValue]) -> str:
    return next((kv.value.string_value for kv in attributes if kv.key == "service.name"), "")
