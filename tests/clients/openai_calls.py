# SPDX-License-Identifier: Apache-2.0

"""An application that calls the API of OpenAI, instrumented by one of the libraries that do that.

The calls are the same for all of them: a chat, a streamed one, one with tools, one that is refused, and
embeddings. Each is in a span of the application with the name of the call.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
from collections.abc import Callable, Iterator

from opentelemetry import trace

from otlp import destination, destination_parser, telemetry
from recorder import Sent

log = logging.getLogger("assistant")

MODEL = "gpt-5-mini"


def instrument_otel() -> None:
    """OpenTelemetry's own instrumentation, by the newest conventions and with content in spans."""
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_AND_EVENT"
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

    OpenAIInstrumentor().instrument()


def instrument_otel_events() -> None:
    """OpenTelemetry's own instrumentation as it is by default, with content in log records."""
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

    OpenAIInstrumentor().instrument()


def instrument_openinference() -> None:
    """OpenInference, which captures content by default."""
    from openinference.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor().instrument()


def instrument_openllmetry() -> None:
    """OpenLLMetry, which captures content by default."""
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor().instrument()


INSTRUMENTATIONS: dict[str, Callable[[], None]] = {
    "otel": instrument_otel,
    "otel-events": instrument_otel_events,
    "openinference": instrument_openinference,
    "openllmetry": instrument_openllmetry,
}


@contextlib.contextmanager
def call(name: str) -> Iterator[None]:
    """A span of the application around a call."""
    with trace.get_tracer("assistant").start_as_current_span(name):
        log.info("calling %s", name)
        yield


@contextlib.contextmanager
def session(instrumentation: str, session_id: str) -> Iterator[None]:
    """Says which conversation the calls belong to, where the instrumentation can be told."""
    if instrumentation != "openinference":
        yield
        return
    from openinference.instrumentation import using_session

    with using_session(session_id):
        yield


def run(api: str, secret: str) -> None:
    """Makes all calls. Whatever the application says has the secret in it."""
    import openai

    client = openai.OpenAI(base_url=api, api_key=f"sk-{secret}", max_retries=0)
    system = {"role": "system", "content": f"Answer briefly, {secret}-system."}
    question = {"role": "user", "content": f"What is the weather, {secret}-question?"}

    with call("chat"):
        client.chat.completions.create(
            model=MODEL,
            messages=[system, question],
            temperature=0.2,
            top_p=0.9,
            max_tokens=64,
            frequency_penalty=0.5,
            presence_penalty=0.25,
            seed=7,
            stop=["END"],
        )
    with call("stream"):
        stream = client.chat.completions.create(
            model=MODEL, messages=[question], stream=True, stream_options={"include_usage": True}
        )
        for _ in stream:
            pass
    with call("tools"):
        client.chat.completions.create(
            model=MODEL,
            messages=[
                question,
                {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "get_weather", "arguments": f'{{"city": "{secret}-argument"}}'},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "call_1", "content": f"Rain, {secret}-result."},
            ],
            tools=[
                {
                    "type": "function",
                    "function": {
                        "name": "get_weather",
                        "description": f"The weather, {secret}-description",
                        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
                    },
                }
            ],
        )
    with call("embeddings"):
        client.embeddings.create(
            model="text-embedding-3-small",
            input=[f"A text, {secret}-text"],
            dimensions=3,
            encoding_format="float",
        )
    with call("refused"), contextlib.suppress(openai.RateLimitError):
        client.chat.completions.create(model="gpt-refused", messages=[question])


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = destination_parser(__doc__)
    parser.add_argument("--instrumentation", choices=sorted(INSTRUMENTATIONS), required=True)
    parser.add_argument("--api", required=True, help="the URL of the API")
    parser.add_argument("--secret", required=True, help="what each text has in it")
    parser.add_argument("--session", default="s-17", help="the id of the conversation")
    return parser.parse_args()


def main() -> None:
    """Makes the calls and prints what was sent."""
    given = arguments()
    sent = Sent()
    resource = {"service.name": f"assistant-{given.instrumentation}"}
    with telemetry(destination(given), resource, sent):
        INSTRUMENTATIONS[given.instrumentation]()
        with session(given.instrumentation, given.session):
            run(given.api, given.secret)
    sent.print()


if __name__ == "__main__":
    main()
