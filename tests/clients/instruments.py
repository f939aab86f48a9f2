# SPDX-License-Identifier: Apache-2.0

"""Metrics as data: a table of instruments and the one measurement each of them makes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from opentelemetry import metrics


@dataclass(frozen=True)
class Measurement:
    """An instrument (counter, up_down_counter, histogram or gauge) and what it measures once."""

    instrument: str
    name: str
    value: float
    unit: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


def measure(meter: metrics.Meter, measurements: Iterable[Measurement]) -> None:
    """Creates each instrument as its owner does and makes the measurement."""
    for m in measurements:
        match m.instrument:
            case "counter":
                meter.create_counter(m.name, m.unit).add(m.value, m.attributes)
            case "up_down_counter":
                meter.create_up_down_counter(m.name, m.unit).add(m.value, m.attributes)
            case "histogram":
                meter.create_histogram(m.name, m.unit).record(m.value, m.attributes)
            case "gauge":
                meter.create_gauge(m.name, m.unit).set(m.value, m.attributes)
            case _:
                raise ValueError(f"{m.name}: no instrument {m.instrument!r}")
