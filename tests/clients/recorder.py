# SPDX-License-Identifier: Apache-2.0

"""The record of what a client sent, in the form the Go tests read.

A batch counts as sent when its exporter reports success, that is, when the
collector acknowledged it. The record therefore says what must come out.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.metrics.export import MetricsData
from opentelemetry.sdk.trace import ReadableSpan


@dataclass(frozen=True)
class SentSpan:
    """One span; ids in lower-case hex as OTLP/JSON writes them, kind and status as OTLP names them."""

    trace_id: str
    span_id: str
    parent_span_id: str
    name: str
    kind: str
    start_unix_nano: int
    end_unix_nano: int
    status: str
    service: str


@dataclass(frozen=True)
class SentLog:
    """One log record; both ids are empty outside a span."""

    body: str
    trace_id: str
    span_id: str


@dataclass(frozen=True)
class SentEntry:
    """One entry of a text log: its message with what follows it, and the span it was written in, if any.

    The ids are the SDK's, not read from the text, which may say less or nothing of them.
    """

    file: str
    body: str
    severity: str
    trace_id: str
    span_id: str


@dataclass
class Sent:
    """What one program sent: spans, log records, and its collections of metrics as OTLP requests in base64.

    And what it wrote: the entries of its text logs.

    Exporters of different signals fill it from their own threads, each its own field.
    """

    spans: list[SentSpan] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)
    logs: list[SentLog] = field(default_factory=list)
    entries: list[SentEntry] = field(default_factory=list)
    failed_batches: int = 0

    def add_spans(self, spans: Sequence[ReadableSpan]) -> None:
        """Records a batch given to a span exporter."""
        self.spans.extend(_sent_span(span) for span in spans)

    def add_metrics(self, data: MetricsData) -> None:
        """Records a collection given to a metric exporter."""
        self.metrics.append(base64.b64encode(encode_metrics(data).SerializeToString()).decode())

    def add_logs(self, batch: Sequence[ReadableLogRecord]) -> None:
        """Records a batch given to a log record exporter."""
        self.logs.extend(_sent_log(item) for item in batch)

    def merge(self, line: str) -> None:
        """Adds the record that another process printed."""
        other = json.loads(line)
        self.spans.extend(SentSpan(**span) for span in other["spans"])
        self.metrics.extend(other["metrics"])
        self.logs.extend(SentLog(**log) for log in other["logs"])
        self.entries.extend(SentEntry(**entry) for entry in other["entries"])
        self.failed_batches += other["failed_batches"]

    def print(self) -> None:
        """Prints the record as one line of JSON: a program's last line on stdout."""
        document = {
            "spans": [asdict(span) for span in self.spans],
            "metrics": self.metrics,
            "logs": [asdict(log) for log in self.logs],
            "entries": [asdict(entry) for entry in self.entries],
            "failed_batches": self.failed_batches,
        }
        print(json.dumps(document), flush=True)


def record(exporter: Any, sent: Sent, keep: Callable[[Any], None]) -> Any:
    """Makes exporter hand every acknowledged batch to keep, and count the others in sent.

    The method of the instance is replaced, not the class wrapped: metric
    readers read private attributes of their exporter, which a wrapper lacks.
    """
    export = exporter.export

    def recorded(batch: Any, *args: Any, **kwargs: Any) -> Any:
        result = export(batch, *args, **kwargs)
        if result.name == "SUCCESS":
            keep(batch)
        else:
            sent.failed_batches += 1
        return result

    exporter.export = recorded
    return exporter


class EntryRecorder(logging.Handler):
    """Keeps the entries that the handlers beside it write to a text log."""

    def __init__(self, sent: Sent, file: str) -> None:
        super().__init__()
        self._sent = sent
        self._file = file

    def emit(self, entry: logging.LogRecord) -> None:
        """Records an entry, in the thread and so in the span that it is written in."""
        context = trace.get_current_span().get_span_context()
        self._sent.entries.append(
            SentEntry(
                file=self._file,
                body=logging.Formatter().format(entry),  # the message and the traceback
                severity=entry.levelname,
                trace_id=f"{context.trace_id:032x}" if context.is_valid else "",
                span_id=f"{context.span_id:016x}" if context.is_valid else "",
            )
        )


def _sent_span(span: ReadableSpan) -> SentSpan:
    context = span.get_span_context()
    return SentSpan(
        trace_id=f"{context.trace_id:032x}",
        span_id=f"{context.span_id:016x}",
        parent_span_id=f"{span.parent.span_id:016x}" if span.parent else "",
        name=span.name,
        kind=span.kind.name.capitalize(),
        start_unix_nano=span.start_time,
        end_unix_nano=span.end_time,
        status=span.status.status_code.name.capitalize(),
        service=str(span.resource.attributes["service.name"]),
    )


def _sent_log(item: ReadableLogRecord) -> SentLog:
    log = item.log_record
    return SentLog(
        body=str(log.body),
        trace_id=f"{log.trace_id:032x}" if log.trace_id else "",
        span_id=f"{log.span_id:016x}" if log.span_id else "",
    )
