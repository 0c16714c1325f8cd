"""The node's health as a diagnostic_msgs/DiagnosticArray: one status with level, sentence and key-value pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

OK, WARN, ERROR, STALE = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR, DiagnosticStatus.STALE


def diagnostic(stamp: Time, name: str, level: bytes, message: str, values: Mapping[str, Any]) -> DiagnosticArray:
    """`values` are shown in their order; floats with three digits."""
    pairs = [
        KeyValue(key=key, value=f"{value:.3f}" if isinstance(value, float) else str(value))
        for key, value in values.items()
    ]
    status = DiagnosticStatus(level=level, name=name, message=message, hardware_id="", values=pairs)
    array = DiagnosticArray(status=[status])
    array.header.stamp = stamp
    return array
