# SPDX-License-Identifier: Apache-2.0

"""An application that calls models through LiteLLM, which traces the calls itself."""

from __future__ import annotations

import contextlib
import logging
import os
import time

from opentelemetry import trace

from otlp import destination, destination_parser, telemetry
from recorder import Sent

# How long the threads that trace a call may take.
TRACED_SECONDS = 120


def run(api: str, secret: str) -> None:
    """Makes a chat, one that is refused, and asks for embeddings. Whatever the application says has the secret in it."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # do not ask the network for prices
    import litellm

    litellm.telemetry = False
    litellm.callbacks = ["otel"]
    # Not in a span: LiteLLM would set its attributes on that one, which may have ended.
    litellm.completion(
        model="openai/gpt-4o",
        api_base=api,
        api_key=f"sk-{secret}",
        messages=[
            {"role": "system", "content": f"Answer briefly, {secret}-system."},
            {"role": "user", "content": f"What is the weather, {secret}-question?"},
        ],
        temperature=0.2,
        max_tokens=64,
    )
    with contextlib.suppress(litellm.exceptions.RateLimitError):
        litellm.completion(
            model="openai/gpt-refused",
            api_base=api,
            api_key=f"sk-{secret}",
            messages=[{"role": "user", "content": f"What is the weather, {secret}-question?"}],
            max_retries=0,
        )
    litellm.embedding(
        model="openai/text-embedding-3-small",
        api_base=api,
        api_key=f"sk-{secret}",
        input=[f"A text, {secret}-text"],
    )


def main() -> None:
    """Makes the calls and prints what was sent."""
    parser = destination_parser(__doc__)
    parser.add_argument("--api", required=True, help="the URL of the API")
    parser.add_argument("--secret", required=True, help="what each text has in it")
    given = parser.parse_args()
    sent = Sent()
    with telemetry(destination(given), {"service.name": "assistant-litellm"}, sent):
        with trace.get_tracer("assistant").start_as_current_span("start"):
            logging.getLogger("assistant").info("starting")
        run(given.api, given.secret)
        deadline = time.monotonic() + TRACED_SECONDS
        while time.monotonic() < deadline and not traced(sent):
            trace.get_tracer_provider().force_flush()  # type: ignore[attr-defined]
            time.sleep(0.2)
    sent.print()


def traced(sent: Sent) -> bool:
    """Whether all calls were traced."""
    return sum(span.name == "litellm_request" for span in sent.spans) == 3


if __name__ == "__main__":
    main()
