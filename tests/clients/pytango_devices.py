# SPDX-License-Identifier: Apache-2.0

"""A PyTango device server with two devices, one calling the other, and a client of them.

It knows nothing of telemetry: PyTango and cppTango send it by themselves, as
the TANGO_TELEMETRY_* variables say.
"""

from __future__ import annotations

import multiprocessing

from tango import DevFailed, DeviceProxy
from tango.server import Device, attribute, command, device_property
from tango.test_context import MultiDeviceTestContext

MOTOR, AXIS = "test/motor/1", "test/axis/1"


class Motor(Device):
    """A motor with a limit, so that a command can fail."""

    limit = 100.0

    def init_device(self) -> None:
        """Starts at zero. Nobody called for it, so this is logged outside of any span."""
        super().init_device()
        self._position = 0.0
        self.info_stream("motor is at zero")

    @command(dtype_in=float)
    def Move(self, target: float) -> None:
        """Moves to a position within the limit."""
        if target > self.limit:
            raise ValueError(f"{target} is over the limit of {self.limit}")
        self.info_stream("moving to %f", target)
        self._position = target

    @attribute(dtype=float)
    def position(self) -> float:
        """Where the motor is."""
        return self._position


class Axis(Device):
    """An axis that has its motor do the work."""

    motor = device_property(dtype=str, default_value=MOTOR)

    @command(dtype_in=float, dtype_out=float)
    def MoveTo(self, target: float) -> float:
        """Moves the motor and returns where it is."""
        motor = DeviceProxy(self.motor)
        motor.Move(target)
        return motor.position


DEVICES = [
    {"class": Motor, "devices": [{"name": MOTOR}]},
    {"class": Axis, "devices": [{"name": AXIS}]},
]


def move_too_far(axis: DeviceProxy) -> None:
    """A call that fails in the motor and comes back through the axis."""
    try:
        axis.MoveTo(2 * Motor.limit)
    except DevFailed:
        return
    raise AssertionError("a move over the limit went well")


if __name__ == "__main__":
    # A fork would take threads and locks of the client's gRPC exporters along.
    multiprocessing.set_start_method("spawn")
    with MultiDeviceTestContext(DEVICES, process=True, timeout=120) as context:
        proxy = context.get_device(AXIS)
        # Called from the module itself: PyTango names such a client span __main__.
        proxy.MoveTo(2.0)
        move_too_far(proxy)
