# SPDX-License-Identifier: Apache-2.0

"""TuFT: a request's spans, metrics whose names and units TuFT made up, and every log record twice."""

from __future__ import annotations

import logging
import uuid
import warnings

from opentelemetry import metrics, trace
from opentelemetry.sdk._logs import LoggingHandler
from opentelemetry.trace import SpanKind

from instruments import Measurement, measure
from otlp import destination, destination_parser, telemetry
from recorder import Sent

RESOURCE = {"service.name": "tuft"}

BASE_MODEL = {"base_model": "Qwen/Qwen3-8B"}

MODELS = ("m-1", "m-2", "m-3")

MEASUREMENTS = [
    Measurement("up_down_counter", "tuft.training.models.active", 1, attributes=BASE_MODEL),
    Measurement("histogram", "tuft.training.tokens_per_second", 1800, "tokens/s", BASE_MODEL),
    *(Measurement("counter", "tuft.training.checkpoints.saved", 1, attributes={"model_id": m}) for m in MODELS),
    *(Measurement("histogram", "tuft.training.checkpoint.size_bytes", 2**20, "bytes", {"model_id": m}) for m in MODELS),
    *(
        Measurement("counter", "tuft.futures.created", 2, attributes={"operation_type": "forward", "model_id": m})
        for m in MODELS
    ),
    Measurement("counter", "tuft.sampling.requests", 1, attributes=BASE_MODEL),
    Measurement("histogram", "tuft.sampling.output_tokens", 128, "tokens", BASE_MODEL),
    Measurement("up_down_counter", "tuft.futures.queue_length", 1, attributes={"queue_state": "ready"}),
    Measurement("histogram", "tuft.futures.wait_time", 0.2, "s", {"operation_type": "forward"}),
    Measurement("histogram", "tuft.redis.operation.duration", 0.001, "s", {"operation": "SET"}),
    Measurement("gauge", "tuft.resource.cpu.utilization_percent", 12.5, "%"),
    Measurement("gauge", "tuft.resource.gpu.memory_used_bytes", 2**30, "bytes", {"gpu_id": "0"}),
    Measurement("histogram", "http.server.request.duration", 0.01, "s", {"http.request.method": "POST"}),
]

# From the outermost span inwards, as a training request crosses TuFT.
SPANS = [
    ("POST /api/v1/forward_backward", SpanKind.SERVER),
    ("future_store.execute_operation", SpanKind.INTERNAL),
    ("training_controller.run_forward_backward", SpanKind.INTERNAL),
    ("training_backend.forward_backward", SpanKind.INTERNAL),
]

log = logging.getLogger("tuft")


def request() -> None:
    """Nests the spans of one request and logs in the innermost."""
    tracer = trace.get_tracer("tuft")
    attributes = {"tuft.request_id": str(uuid.uuid4()), "tuft.base_model": BASE_MODEL["base_model"]}
    opened = []
    for name, kind in SPANS:
        parent = trace.set_span_in_context(opened[-1]) if opened else None
        opened.append(tracer.start_span(name, context=parent, kind=kind, attributes=attributes))
    with trace.use_span(opened[-1]):
        log.info("Future enqueued: %s", attributes["tuft.request_id"])
    for span in reversed(opened):
        span.end()


def redis_set() -> None:
    """A root span without any key, as TuFT's Redis client leaves behind."""
    with trace.get_tracer("tuft").start_as_current_span("redis.SET", kind=SpanKind.INTERNAL):
        pass


def install_second_handler() -> None:
    """Adds the SDK's own log handler beside the instrumentation's: records arrive twice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        logging.getLogger().addHandler(LoggingHandler())


def main() -> None:
    """Does the work once, and prints what was sent."""
    arguments = destination_parser(__doc__).parse_args()
    sent = Sent()
    with telemetry(destination(arguments), RESOURCE, sent):
        install_second_handler()
        log.info("started outside of any span")
        request()
        redis_set()
        measure(metrics.get_meter("tuft"), MEASUREMENTS)
    sent.print()


if __name__ == "__main__":
    main()
