"""Milvus filter expressions, made only of field names from this package, numbers, and quoted literals.

Milvus Lite knows no expression templates, so literals are quoted here. It does not undo escapes other than `\\"` and
`\\\\`, and rejects line breaks inside a literal: names are therefore cleaned by `clean_name` before they are stored and
before they are searched for, and every other character stands for itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from remembr_ros.records import MAX_COORDINATE_M

_ROUNDING_M = 1e-9
"""So that a place on the rim of the circle is not cut by how the numbers are written."""
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}


def clean_text(text: str) -> str:
    """`text` without lone surrogates and NUL, which no database takes: each becomes U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text  # most captions, and ten times faster
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")


def clean_name(text: str) -> str:
    """A name (robot, camera, map) as it is stored and compared: control characters become their visible pictures."""
    return clean_text(text).translate(_CONTROL_PICTURES)


def clean_id(text: str) -> str:
    """An id as it is stored and compared: a name whose apostrophes are typographic. Milvus Lite deletes by a line of
    SQL in which it puts ids as they are: one that ends the literal would delete every row of the file."""
    return clean_name(text).replace("'", "\u2019")


def cut_bytes(text: str, max_bytes: int) -> str:
    """The longest beginning of `text` with at most `max_bytes` bytes of UTF-8, cut between characters."""
    encoded = text.encode("utf-8")
    return text if len(encoded) <= max_bytes else encoded[:max_bytes].decode("utf-8", "ignore")


def literal(text: str) -> str:
    """`text` as a quoted string literal."""
    return '"' + clean_name(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def equals(field: str, text: str) -> str:
    return f"{field} == {literal(text)}"


def one_of(field: str, texts: Iterable[str]) -> str:
    return f"{field} in [{', '.join(literal(text) for text in texts)}]"


def none_of(field: str, texts: Iterable[str]) -> str:
    return f"{field} not in [{', '.join(literal(text) for text in texts)}]"


def _stored_range(value: int) -> int:
    """What compares with every stored time (0 to 2**63 - 1) as `value` does: a server takes no larger number."""
    return max(-1, min(int(value), 2**63 - 1))


def _stored_coordinate(value_m: float) -> float:
    """What compares with every stored coordinate as `value_m` does: Milvus reads no infinity."""
    return max(-2.0 * MAX_COORDINATE_M, min(value_m, 2.0 * MAX_COORDINATE_M))


def at_least(field: str, value: int) -> str:
    return f"{field} >= {_stored_range(value)}"


def more_than(field: str, value: int) -> str:
    return f"{field} > {_stored_range(value)}"


def less_than(field: str, value: int) -> str:
    return f"{field} < {_stored_range(value)}"


def overlaps(after_ns: int | None, before_ns: int | None) -> list[str]:
    """Windows [start_ns, end_ns) that share an instant with [after_ns, before_ns); None is open."""
    terms = []
    if after_ns is not None:
        terms.append(more_than("end_ns", after_ns))
    if before_ns is not None:
        terms.append(less_than("start_ns", before_ns))
    return terms


def box(x_m: float, y_m: float, half_side_m: float) -> list[str]:
    """The square around (x_m, y_m), of rows with a position (`pose_state > 0`). The circle is cut in code, exactly."""
    terms = []
    for field, centre in (("x", x_m), ("y", y_m)):
        low, high = (_stored_coordinate(bound) for bound in (centre - half_side_m, centre + half_side_m))
        terms += [f"{field} >= {low - _ROUNDING_M:.9f}", f"{field} <= {high + _ROUNDING_M:.9f}"]
    return terms


def all_of(terms: Iterable[str]) -> str:
    """Terms that must all hold; no term means no restriction."""
    return " and ".join(f"({term})" for term in terms)


def any_of(terms: Iterable[str]) -> str:
    """Terms of which one must hold."""
    return " or ".join(f"({term})" for term in terms)
