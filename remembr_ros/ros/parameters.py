"""Parameters of the nodes: one table per node in, checked and typed values out.

A `Parameter` carries name, default, unit, bounds and meaning; the ROS descriptor, config/remembr.yaml and the README
are made from it. An integer is accepted for a double; every other wrong type, an unknown choice or a value out of
bounds raises `ConfigurationError` that names parameter, given value and what is wanted.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from remembr_ros.errors import ConfigurationError

if TYPE_CHECKING:
    from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
    from rclpy.node import Node

Value = bool | int | float | str | tuple[str, ...] | tuple[float, ...]
_SET_BY_ROS = ("use_sim_time", "start_type_description_service", "qos_overrides.")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. Its type is that of `default`; a tuple default is a list (of strings unless it holds floats).

    `choices` restricts a string, `max_bytes` its length in UTF-8. `read_only` False: may be set while the node runs.
    """

    name: str
    default: Value
    description: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    read_only: bool = True
    max_bytes: int | None = None

    @property
    def type_name(self) -> str:
        if isinstance(self.default, tuple):
            return "double list" if self.default and isinstance(self.default[0], float) else "string list"
        return {bool: "bool", int: "integer", float: "double", str: "string"}[type(self.default)]

    @property
    def bounds(self) -> str:
        """The allowed values in words; empty: anything of the type."""
        if self.choices:
            return " | ".join(self.choices)
        if self.minimum is not None and self.maximum is not None:
            return f"{self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f">= {self.minimum:g}"
        return "" if self.maximum is None else f"<= {self.maximum:g}"

    def check(self, given: Any) -> Value:
        """The value as this parameter's type. Raises ConfigurationError."""
        if isinstance(self.default, tuple):
            return self._check_list(given)
        value = self._check_scalar(given, self.type_name)
        if self.choices and value not in self.choices:
            raise self._refused(given, f"one of {', '.join(self.choices)}")
        if self.max_bytes is not None and len(value.encode("utf-8", "replace")) > self.max_bytes:
            raise self._refused(f"{value[:40]}...", f"at most {self.max_bytes} bytes of UTF-8")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            too_small = self.minimum is not None and value < self.minimum
            too_large = self.maximum is not None and value > self.maximum
            if too_small or too_large or not math.isfinite(value):
                unit = f" [{self.unit}]" if self.unit else ""
                raise self._refused(given, f"{self.type_name} {self.bounds or 'finite'}{unit}")
        return value

    def _check_scalar(self, given: Any, wanted: str) -> Any:
        if wanted == "double" and isinstance(given, int) and not isinstance(given, bool):
            return float(given)
        types = {"bool": bool, "integer": int, "double": float, "string": str}
        if not isinstance(given, types[wanted]) or (isinstance(given, bool) and wanted != "bool"):
            raise self._refused(given, wanted)
        return given

    def _check_list(self, given: Any) -> Value:
        # An empty list in YAML has no element type: ROS hands it over as a byte array or as "not set".
        if given is None:
            return ()
        text = isinstance(given, (str, bytes)) and len(given) > 0
        if text or not (isinstance(given, Sequence) or hasattr(given, "tolist")):
            raise self._refused(given, self.type_name)
        items = given.tolist() if hasattr(given, "tolist") else list(given)
        element = self.type_name.removesuffix(" list")
        return tuple(self._check_scalar(item, element) for item in items)

    def _refused(self, given: Any, wanted: str) -> ConfigurationError:
        return ConfigurationError(f"parameter {self.name}: {given!r} ({_type_in_words(given)}) given, {wanted} wanted")


def _type_in_words(given: Any) -> str:
    if given is None:
        return "not set"
    names = {bool: "bool", int: "integer", float: "double", str: "string"}
    return names.get(type(given), "list")


class Parameters(Mapping[str, Any]):
    """The declared values of a node by name. Those that may change while it runs follow `ros2 param set`."""

    def __init__(self, values: dict[str, Value]) -> None:
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def _update(self, name: str, value: Value) -> None:
        self._values[name] = value


def declare(node: Node, table: Iterable[Parameter], on_change: Callable[[str], None] | None = None) -> Parameters:
    """Declare `table` on `node` and return its values.

    Raises one ConfigurationError for all that is wrong. `on_change` is called with the name after a parameter was
    set at run time; a set that does not fit is refused with the reason.
    """
    from rclpy.exceptions import ParameterException
    from rclpy.parameter import Parameter as RosParameter

    by_name = {parameter.name: parameter for parameter in table}
    values: dict[str, Value] = {}
    problems: list[str] = []
    for parameter in by_name.values():
        try:
            # The final descriptor has a fixed range and may be read-only; declared loosely first so that a wrong
            # value is reported in our words and an integer can become a double.
            descriptor = _descriptor(parameter, final=False)
            declared = node.declare_parameter(parameter.name, _as_ros(parameter.default), descriptor)
            value = parameter.check(declared.value)
        except ConfigurationError as error:
            problems.append(str(error))
            continue
        except ParameterException as error:
            problems.append(f"parameter {parameter.name}: {error}")
            continue
        values[parameter.name] = value
        if isinstance(value, float) and isinstance(declared.value, int):
            node.set_parameters([RosParameter(parameter.name, value=_as_ros(value))])
        node.set_descriptor(parameter.name, _descriptor(parameter, final=True))
    if problems:
        raise ConfigurationError("; ".join(problems))
    parameters = Parameters(values)

    def on_set(changes: Sequence[RosParameter]) -> SetParametersResult:
        from rcl_interfaces.msg import SetParametersResult

        accepted: dict[str, Value] = {}
        for change in changes:
            if change.name in by_name:
                try:
                    accepted[change.name] = by_name[change.name].check(change.value)
                except ConfigurationError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        for name, value in accepted.items():
            parameters._update(name, value)
            if on_change is not None:
                on_change(name)
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(on_set)
    return parameters


def unknown_overrides(given: Iterable[str], known: Iterable[str]) -> list[str]:
    """A warning for each given name that no node of this package knows, with the nearest known name."""
    names = sorted(known)
    warnings = []
    for name in given:
        if name in names or name.startswith(_SET_BY_ROS):
            continue
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        warnings.append(f"parameter {name} is not known and has no effect{hint}")
    return warnings


def _as_ros(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _descriptor(parameter: Parameter, final: bool) -> ParameterDescriptor:
    from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

    unit = f" [{parameter.unit}]" if parameter.unit else ""
    descriptor = ParameterDescriptor(
        name=parameter.name,
        description=parameter.description + unit,
        additional_constraints=parameter.bounds if parameter.choices else "",
        dynamic_typing=True,
        read_only=final and parameter.read_only,
    )
    if final and (parameter.minimum is not None or parameter.maximum is not None):
        low = -1e308 if parameter.minimum is None else parameter.minimum
        high = 1e308 if parameter.maximum is None else parameter.maximum
        if isinstance(parameter.default, float):
            bounds = FloatingPointRange(from_value=float(low), to_value=float(high), step=0.0)
            descriptor.floating_point_range = [bounds]
        elif isinstance(parameter.default, int):
            to_value = 2**63 - 1 if parameter.maximum is None else int(high)
            from_value = -(2**63) if parameter.minimum is None else int(low)
            descriptor.integer_range = [IntegerRange(from_value=from_value, to_value=to_value, step=0)]
    return descriptor
