"""What a language model's reply means. In: the JSON of one chat completion, however malformed; out: a `Reply`.

Tool calls are understood where servers and small models put them: in `tool_calls`, or written as text (JSON, Python
literals, code fences, tags, `search_text(query="x")`). Nothing is evaluated: json and ast.literal_eval on bounded text
only. Hidden reasoning (`reasoning_content`, <think>) is never read.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

MAX_REPLY = 40_000
"""Characters of a reply that are looked at; a longer one is cut."""
MAX_CALLS = 32
MAX_LITERAL = 4_000
"""Characters given to ast.literal_eval."""

_USABLE_ID = re.compile(r"[!-~]{1,64}")
_THINK = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_TAGGED = re.compile(
    r"<(?:function=|invoke name=\"|tool name=\")(\w+)\"?>(.*?)(?:</(?:function|invoke|tool)>|\Z)", re.DOTALL
)
_PARAMETER = re.compile(r"<parameter(?:=| name=\")(\w+)\"?>(.*?)</parameter>", re.DOTALL)
_NAME_BEFORE = re.compile(
    r"(\w+)\W*(?:(?:action input|arguments|parameters|args|input|json|with)\W*){0,3}$", re.IGNORECASE
)
"""The name of a tool right before its arguments: "Action: search_text\\nAction Input: {...}"."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call the model wants. `arguments` is None when they cannot be read; `fault` then says why, for the model."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """`text`: what the model says aloud, without its reasoning and without calls written as text. `calls`: in order,
    with distinct ids. `cut`: the server stopped it at the token limit."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    cut: bool = False

    @property
    def empty(self) -> bool:
        return not self.text and not self.calls


def read_reply(completion: object, tools: Collection[str], id_prefix: str = "call") -> Reply:
    """Never raises. `completion` is the decoded body; `tools` the names that exist; `id_prefix` makes missing ids."""
    choice = _first_choice(completion)
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    cut = choice.get("finish_reason") == "length"
    text = _content_text(message.get("content"))
    text = _THINK.sub("", text[:MAX_REPLY]).strip()
    raw_calls = message.get("tool_calls") or []
    if not raw_calls and isinstance(message.get("function_call"), Mapping):
        raw_calls = [{"function": message["function_call"]}]
    calls = [call for call in map(_native_call, raw_calls[:MAX_CALLS] if isinstance(raw_calls, list) else []) if call]
    calls = [dataclasses.replace(call, name=_known_name(call.name, tools)) for call in calls]
    if not calls and text:
        calls, text = _calls_in_text(text, tools)
    return Reply(text, tuple(_with_distinct_ids(calls[:MAX_CALLS], id_prefix)), cut)


def read_arguments(raw: object) -> tuple[dict[str, Any] | None, str]:
    """Arguments as a dict, or None and what is wrong with them. Decodes JSON in JSON once more, not deeper."""
    if isinstance(raw, Mapping):
        return _sendable({str(key): value for key, value in raw.items()})
    if not isinstance(raw, str) or not raw.strip():
        return None, "the arguments are empty; send one JSON object"
    if len(raw) > MAX_REPLY:
        return None, "the arguments are too long"
    value, fault = _decode(raw)
    if isinstance(value, str) and not fault:
        value, fault = _decode(value)
    if fault:
        return None, fault
    if isinstance(value, dict):
        return _sendable({str(key): item for key, item in value.items()})
    return None, f"the arguments must be one JSON object, not {_name_of(value)}"


def _sendable(arguments: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Arguments are sent back to the server as JSON, which has no infinity, sets or bytes."""
    try:
        json.dumps(arguments, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return None, "the arguments hold values that JSON does not have"
    return arguments, ""


def _first_choice(completion: object) -> Mapping[str, Any]:
    choices = completion.get("choices") if isinstance(completion, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, Mapping) else {}


def _content_text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # some servers answer in parts
        return "".join(str(p.get("text") or "") for p in content if isinstance(p, Mapping) and p.get("type") == "text")
    return ""


def _native_call(raw: object) -> ToolCall | None:
    if not isinstance(raw, Mapping):
        return None
    function = raw.get("function")
    function = function if isinstance(function, Mapping) else raw
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        return ToolCall(str(raw.get("id") or ""), "", None, "the call names no tool")
    arguments, fault = read_arguments(function.get("arguments", function.get("parameters")))
    identity = raw.get("id")
    return ToolCall(identity if isinstance(identity, str) else "", name.strip(), arguments, fault)


def _calls_in_text(text: str, tools: Collection[str]) -> tuple[list[ToolCall], str]:
    """Calls that the model wrote as text, and the text that is left to say (empty when it wrote any)."""
    tagged = [
        ToolCall("", name, *read_arguments(dict(found) if (found := _PARAMETER.findall(body)) else body))
        for name, body in _TAGGED.findall(text)
        if name in tools
    ]
    if tagged:
        return tagged, ""
    calls: list[ToolCall] = []
    answers: list[ToolCall] = []
    for start, value in _objects_in(text):
        listed = value.get("tool_calls", value.get("calls")) if isinstance(value, Mapping) else value
        for item in listed if isinstance(listed, list) else [value]:
            if not isinstance(item, Mapping):
                continue
            call = _call_from(item, tools)
            named = _NAME_BEFORE.search(text[max(0, start - 80) : start])
            own_words = isinstance(item.get("text", item.get("answer")), str)
            if call is None and not own_words and item is value and named and named[1] in tools:
                call = ToolCall("", named[1], *read_arguments(item))
            if call is not None:
                calls.append(call)
            elif own_words and "answer" in tools:
                worded = {"text": item.get("text", item.get("answer")), **item}
                answers.append(ToolCall("", "answer", *read_arguments(worded)))
    calls = calls or answers[-1:] or list(_python_calls(text, tools))
    return (calls, "") if calls else ([], text)


def _call_from(item: Mapping[str, Any], tools: Collection[str]) -> ToolCall | None:
    function = item.get("function")
    if isinstance(function, Mapping):
        item = function
    keys = ("name", "tool", "function", "action", "tool_name")
    name = _known_name(next((item[key] for key in keys if isinstance(item.get(key), str)), ""), tools)
    if name not in tools:
        return None
    for key in ("arguments", "parameters", "args", "input", "action_input"):
        if key in item:
            return ToolCall("", name, *read_arguments(item[key]))
    rest = {key: value for key, value in item.items() if key not in (*keys, "type")}
    return ToolCall("", name, *read_arguments(rest)) if rest else None


def _known_name(name: str, tools: Collection[str]) -> str:
    """`functions.search_text`, `Search-Text` and `search_text()` are search_text; any other name stays as it is."""
    plain = re.split(r"[./:]", name.strip().removesuffix("()"))[-1].lower().replace("-", "_")
    return plain if plain in tools else name


def _objects_in(text: str) -> Iterator[tuple[int, Any]]:
    """Where JSON or Python-literal objects and lists in `text` begin, and what they are; outermost first, in order."""
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    at, tried = 0, 0
    while tried < 64:
        start = min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)
        if start < 0:
            return
        tried += 1
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            closing = _closing(text, start)
            value, fault = _literal(text[start:closing]) if closing else (None, "never closed")
            at = closing if closing and not fault else start + 1
            if fault:
                continue
        yield start, value


def _closing(text: str, start: int) -> int | None:
    """The end of the bracket that opens at `start`, strings respected."""
    depth, quote, position = 0, "", start
    while position < min(len(text), start + MAX_LITERAL):
        character = text[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return None


def _python_calls(text: str, tools: Collection[str]) -> Iterator[ToolCall]:
    """`search_text(query="x")`, alone on a line or in a fence: read as syntax, never run."""
    body = "\n".join(_FENCE.findall(text)) or text
    for line in body.splitlines():
        found = re.match(r"\s*(\w+)\(", line)
        if found is None or found[1] not in tools or len(line) > MAX_LITERAL:
            continue
        try:
            call = ast.parse(line.strip(), mode="eval").body
            if isinstance(call, ast.Call) and not call.args:
                given = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg}
                yield ToolCall("", found[1], *read_arguments(given))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue


def _decode(text: str) -> tuple[Any, str]:
    text = text.strip()
    fenced = _FENCE.fullmatch(text)
    text = fenced[1].strip() if fenced else text
    try:
        return json.loads(text, parse_constant=_no_constant), ""
    except RecursionError:
        return None, "the arguments are nested too deeply"
    except ValueError as error:
        try:
            return json.loads(re.sub(r",\s*([}\]])", r"\1", text), parse_constant=_no_constant), ""
        except (ValueError, RecursionError):
            pass
        value, fault = _literal(text)
        return (value, "") if not fault else (None, f"the arguments are not valid JSON ({error}); send one JSON object")


def _literal(text: str) -> tuple[Any, str]:
    if not text or len(text) > MAX_LITERAL or text[0] not in "{[":
        return None, "not a literal"
    try:
        return ast.literal_eval(text), ""
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        return None, str(error)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _with_distinct_ids(calls: list[ToolCall], prefix: str) -> Iterator[ToolCall]:
    seen: set[str] = set()
    for index, call in enumerate(calls):
        identity = call.id
        if identity in seen or not _USABLE_ID.fullmatch(identity):
            identity = f"{prefix}{index:04d}"  # Mistral's templates want nine letters or digits
            while identity in seen:
                identity += "x"
        seen.add(identity)
        yield ToolCall(identity, call.name, call.arguments, call.fault)


def _name_of(value: object) -> str:
    return {list: "a list", str: "a string", bool: "true or false", type(None): "null"}.get(type(value), "a number")
