"""The tools as the language model sees them: names, when to use them, arguments. Schemas and checks come from here."""

from __future__ import annotations

from remembr_ros.recall.arguments import Argument, ToolTable
from remembr_ros.records import AnswerKind

MAX_RESULTS = 20

_COMMON = (
    Argument("after", "string", "only later than this time"),
    Argument("before", "string", "only earlier than this time"),
    Argument("within_m", "number", "radius around near [m]", minimum=0.1, maximum=10_000),
    Argument("order", "string", "default relevance", choices=("relevance", "first", "last", "nearest")),
    Argument("limit", "integer", "memories to return", minimum=1, maximum=MAX_RESULTS),
)
_NEAR = Argument("near", "string", "a place")
SEARCH_TEXT = ToolTable(
    "search_text",
    "Find memories by meaning. Words as in a description of a picture.",
    (Argument("query", "string", "what to look for", required=True), _NEAR, *_COMMON),
)
SEARCH_POSITION = ToolTable(
    "search_position",
    "Find memories by place, nearest first.",
    (Argument("near", "string", _NEAR.description, required=True), *_COMMON),
)
SEARCH_TIME = ToolTable(
    "search_time",
    "Find memories by time, nearest first.",
    (Argument("at", "string", "a time", required=True), _NEAR, *_COMMON),
)
MOTION = ToolTable(
    "motion",
    "How you moved between two times: distance, turns, stops.",
    (
        Argument("after", "string", "a time", required=True),
        Argument("before", "string", "a later time", required=True),
    ),
)
INSPECT = ToolTable(
    "inspect",
    "Look again at the picture of a memory, for what its caption does not say.",
    (
        Argument("memory", "string", "a memory id", required=True),
        Argument("question", "string", "what to look for in the picture", required=True),
    ),
)
KINDS = {
    "text": AnswerKind.TEXT,
    "yes_no": AnswerKind.BINARY,
    "binary": AnswerKind.BINARY,
    "position": AnswerKind.POSITION,
    "time": AnswerKind.TIME,
    "duration": AnswerKind.DURATION,
    "count": AnswerKind.COUNT,
    "not_found": AnswerKind.TEXT,
}
ANSWER = ToolTable(
    "answer",
    "Finish. Cite the memories that prove it; places, times, durations and counts are computed from them.",
    (
        Argument(
            "kind", "string", "what was asked for", required=True, choices=tuple(k for k in KINDS if k != "binary")
        ),
        Argument(
            "text",
            "string",
            "the answer in words, in the asker's language, without numbers you computed",
            required=True,
        ),
        Argument("evidence", "strings", "memory ids, best first"),
        Argument("yes_no", "boolean", "for yes_no"),
        Argument("from", "string", "for duration: memory id, start or now; for time: the memory id whose start it is"),
        Argument("until", "string", "for duration: memory id, start or now"),
        Argument("count", "integer", "for count: how many distinct cited memories", minimum=0, maximum=100_000),
        Argument("go", "boolean", "true only if the user asked to go there or be taken there"),
    ),
    tolerant=True,
)
TOOLS = {tool.name: tool for tool in (SEARCH_TEXT, SEARCH_POSITION, SEARCH_TIME, MOTION, ANSWER)}
SCHEMAS = [tool.schema() for tool in TOOLS.values()]
SCHEMAS_WITH_PICTURES = [*SCHEMAS[:-1], INSPECT.schema(), SCHEMAS[-1]]
ANSWER_SCHEMA = [ANSWER.schema()]
