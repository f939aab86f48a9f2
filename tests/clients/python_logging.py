# SPDX-License-Identifier: Apache-2.0

"""A service of none of the four systems: Python's logging in the instrumentation's own format, to a file and over OTLP.

The instrumentation writes to stderr; as under a supervisor, that is the log file.
"""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

from opentelemetry import trace

from otlp import destination, destination_parser, telemetry
from recorder import EntryRecorder, Sent

RESOURCE = {"service.name": "shop"}

log = logging.getLogger("shop.orders")


def order() -> None:
    """Logs in a span, in one below it, and again in the first."""
    tracer = trace.get_tracer("shop")
    with tracer.start_as_current_span("Shop/Order"):
        log.info("order %d received", 17)
        with tracer.start_as_current_span("Shop/Pay") as pay:
            log.warning("two lines of one message:\n  card: declined\n  retry: in 3 s")
            try:
                charge()
            except ConnectionError:
                log.exception("payment failed")
                pay.set_status(trace.StatusCode.ERROR)
        log.info("order kept for later")


def charge() -> None:
    """Fails with an exception that has a cause, so that its traceback has blank lines."""
    try:
        {}["card"]
    except KeyError as error:
        raise ConnectionError("bank did not answer") from error


def main() -> None:
    """Logs inside and outside of spans, and prints what was sent and written."""
    parser = destination_parser(__doc__)
    parser.add_argument("--log-file", type=Path, required=True, help="the text log to write")
    arguments = parser.parse_args()
    sent = Sent()
    with (
        arguments.log_file.open("a") as stderr,
        contextlib.redirect_stderr(stderr),
        telemetry(destination(arguments), RESOURCE, sent, set_logging_format=True),
    ):
        logging.getLogger().addHandler(EntryRecorder(sent, arguments.log_file.name))
        log.info("started outside of any span")
        order()
        log.error("stopped outside of any span")
    sent.print()


if __name__ == "__main__":
    main()
