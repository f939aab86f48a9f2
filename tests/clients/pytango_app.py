# SPDX-License-Identifier: Apache-2.0

"""Runs the PyTango devices with telemetry over OTLP/gRPC and prints what they sent.

Half of the spans come from C++, out of Python's reach. Hence everything is
sent to two endpoints: the collector, and a tap that keeps the record.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tango.constants import TELEMETRY_SUPPORTED

from otlp_tap import otlp_tap
from recorder import Sent

TIMEOUT_SECONDS = 60


def telemetry_environment(*addresses: str) -> dict[str, str]:
    """The variables with which an operator sends a Tango process's telemetry to some addresses."""
    exporters = ",".join("grpc" for _ in addresses)
    endpoints = ",".join(f"grpc://{address}" for address in addresses)
    return {
        "TANGO_TELEMETRY_ENABLE": "on",
        "TANGO_TELEMETRY_TRACING_EXPORTERS": exporters,
        "TANGO_TELEMETRY_TRACING_ENDPOINTS": endpoints,
        "TANGO_TELEMETRY_LOGGING_EXPORTERS": exporters,
        "TANGO_TELEMETRY_LOGGING_ENDPOINTS": endpoints,
    }


def main() -> None:
    """Runs the devices once, and prints what was sent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--endpoint", required=True, help="the collector's host:port for OTLP/gRPC")
    arguments = parser.parse_args()
    if not TELEMETRY_SUPPORTED:
        sys.exit("tango.constants.TELEMETRY_SUPPORTED is False: this PyTango was built without telemetry")

    sent = Sent()
    with otlp_tap(sent) as tap:
        subprocess.run(
            [sys.executable, Path(__file__).with_name("pytango_devices.py")],
            env={**os.environ, **telemetry_environment(arguments.endpoint, tap)},
            stdout=sys.stderr,  # stdout is for the record alone
            timeout=TIMEOUT_SECONDS,
            check=True,
        )
    sent.print()


if __name__ == "__main__":
    main()
