# SPDX-License-Identifier: Apache-2.0

"""Tracing of Ray's processes: each calls set_up when it starts, by _tracing_startup_hook.

A span is exported when it ends, because Ray kills its workers, and noted in RAY_TEST_SPANS once the collector has it.
"""

import json
import os

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult


class NotingExporter(SpanExporter):
    """Exports over OTLP/HTTP, and notes what the collector acknowledged. With gRPC, whose library Ray links too, the
    driver has crashed."""

    def __init__(self):
        self.otlp = OTLPSpanExporter(endpoint=os.environ["RAY_TEST_OTLP"])
        self.notes = open(os.path.join(os.environ["RAY_TEST_SPANS"], f"{os.getpid()}.jsonl"), "a", buffering=1)

    def export(self, spans):
        result = self.otlp.export(spans)
        if result is SpanExportResult.SUCCESS:
            for span in spans:
                self.notes.write(json.dumps(note(span)) + "\n")
        return result

    def shutdown(self):
        self.otlp.shutdown()


def note(span):
    return {
        "trace_id": f"{span.context.trace_id:032x}",
        "span_id": f"{span.context.span_id:016x}",
        "parent_span_id": f"{span.parent.span_id:016x}" if span.parent else "",
        "name": span.name,
        "kind": span.kind.name,
        "attributes": dict(span.attributes),
    }


def set_up():
    provider = TracerProvider(resource=Resource.create({"service.name": "orders"}))
    provider.add_span_processor(SimpleSpanProcessor(NotingExporter()))
    trace.set_tracer_provider(provider)


def no_processors():
    """Serve's own tracing uses the provider of set_up, which sends each span once."""
    return []
