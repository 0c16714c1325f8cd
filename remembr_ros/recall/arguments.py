"""The arguments of the model's tools: one table from which both the JSON schema sent and the strict check are made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from remembr_ros.errors import InvalidInput


class ToolFault(InvalidInput):
    """The model's mistake: the message goes back to the model, never to the asker."""


@dataclass(frozen=True, slots=True)
class Argument:
    """`kind`: "string", "number", "integer", "boolean" or "strings". Bounds are inclusive."""

    name: str
    kind: str
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    def schema(self) -> dict[str, Any]:
        if self.kind == "strings":
            return {"type": "array", "items": {"type": "string"}, "description": self.description}
        schema: dict[str, Any] = {"type": self.kind, "description": self.description}
        if self.choices:
            schema["enum"] = list(self.choices)
        return schema

    def check(self, value: object) -> Any:
        """`value` in its type. Harmless slips are mended ("3" for 3, one string for a list); raises ToolFault
        otherwise."""
        if self.kind == "strings":
            items = value if isinstance(value, list) else str(value).split(",") if isinstance(value, str) else None
            if items is None or not all(isinstance(item, (str, int)) for item in items):
                raise self._fault("a list of memory ids", value)
            return [str(item).strip() for item in items if str(item).strip()]
        if self.kind == "boolean":
            if isinstance(value, str) and value.lower() in ("true", "false", "yes", "no"):
                return value.lower() in ("true", "yes")
            if not isinstance(value, bool):
                raise self._fault("true or false", value)
            return value
        if self.kind in ("number", "integer"):
            return self._number(value)
        if isinstance(value, (list, tuple)) and 2 <= len(value) <= 3 and self.name == "near":
            value = ", ".join(str(item) for item in value)
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise self._fault("a string", value)
        text = str(value).strip()
        if self.choices and text.lower() not in self.choices:
            raise self._fault(f"one of {', '.join(self.choices)}", value)
        if len(text) > 2000:
            raise ToolFault(f"{self.name} is too long")
        return text.lower() if self.choices else text

    def _number(self, value: object) -> float | int:
        try:
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                raise ValueError
            number = float(value)
        except (ValueError, OverflowError):
            raise self._fault("a number", value) from None
        if not math.isfinite(number) or (self.kind == "integer" and number != int(number)):
            raise self._fault("a whole number" if self.kind == "integer" else "a finite number", value)
        if (self.minimum is not None and number < self.minimum) or (self.maximum is not None and number > self.maximum):
            raise self._fault(f"between {self.minimum:g} and {self.maximum:g}", value)
        return int(number) if self.kind == "integer" else number

    def _fault(self, wanted: str, value: object) -> ToolFault:
        return ToolFault(f"{self.name} must be {wanted}, not {str(value)[:60]!r}")


@dataclass(frozen=True, slots=True)
class ToolTable:
    """One tool: its name, when to use it, its arguments. `tolerant` ignores arguments it does not know."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    tolerant: bool = False

    def schema(self) -> dict[str, Any]:
        """As the chat API wants it."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": {a.name: a.schema() for a in self.arguments},
                    "required": [a.name for a in self.arguments if a.required],
                },
            },
        }

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that were given, in their types; null and "" count as left out. Raises ToolFault."""
        known = {a.name: a for a in self.arguments}
        present = {key: value for key, value in given.items() if value is not None and value != ""}
        unknown = [key for key in present if key not in known]
        if unknown and not self.tolerant:
            raise ToolFault(f"{self.name} has no argument {unknown[0]!r}; it takes {', '.join(known)}")
        missing = [a.name for a in self.arguments if a.required and a.name not in present]
        if missing:
            raise ToolFault(f"{self.name} needs {', '.join(missing)}")
        return {key: known[key].check(value) for key, value in present.items() if key in known}
