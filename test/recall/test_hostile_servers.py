"""Servers that are broken or hostile below the level of replies: endless bodies, packed bombs, redirects, silence."""

from __future__ import annotations

import dataclasses
import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import ScriptedLLM, answers, call, calls, cite, message
from small_building import memories

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.recall.replies import MAX_CALLS, read_reply
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer

Ask = Callable[..., Answer]
SHORT = RecallSettings(time_limit_s=8.0, llm_timeout_s=1.5)


class RawServer:
    """Sends what it is told as soon as the head of a request has come. `base_url` like ScriptedLLM's."""

    def __init__(self, send: Callable[[socket.socket, str], None]) -> None:
        self._send = send
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                while b"\r\n\r\n" not in connection.recv(65536):
                    pass
                self._send(connection, self.base_url)
            except OSError:
                pass  # the client has had enough

    def close(self) -> None:
        self._listener.close()


@contextmanager
def serving(send: Callable[[socket.socket, str], None]) -> Iterator[RawServer]:
    server = RawServer(send)
    try:
        yield server
    finally:
        server.close()


def head(length: int, *, status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n".encode()


def endless(connection: socket.socket, _: str) -> None:
    connection.sendall(head(2**30))
    while True:
        connection.sendall(b" " * 2**20)


def endless_chunks(connection: socket.socket, _: str) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"100000\r\n" + b" " * 2**20 + b"\r\n")


BOMB = gzip.compress(b"[" + b" " * (100 * 2**20), 9)


def bomb(connection: socket.socket, _: str) -> None:
    connection.sendall(head(len(BOMB), more="Content-Encoding: gzip\r\n") + BOMB)


def unknown_packing(connection: socket.socket, _: str) -> None:
    connection.sendall(head(4, more="Content-Encoding: br\r\n") + b"\x0b\x02\x80[")


def redirect(connection: socket.socket, base_url: str) -> None:
    connection.sendall(head(0, status="307 Temporary Redirect", more=f"Location: {base_url}/chat/completions\r\n"))


def page(connection: socket.socket, _: str) -> None:
    connection.sendall(head(26) + b"<html>Please log in</html>")


def nothing(connection: socket.socket, _: str) -> None:
    pass


def hangs_in_the_body(connection: socket.socket, _: str) -> None:
    connection.sendall(head(1000) + b'{"choices": [{"mess')
    while connection.recv(65536):  # until the client gives up; the request may come in pieces
        pass


def drips(connection: socket.socket, _: str) -> None:
    body = json.dumps(answers(kind="not_found", text="no")).encode()
    connection.sendall(head(len(body)))
    for byte in body:
        connection.sendall(bytes([byte]))
        time.sleep(0.2)


def far_retry(connection: socket.socket, _: str) -> None:
    connection.sendall(head(2, status="429 Too Many", more="Retry-After: 99999999999999999999\r\n") + b"{}")


@pytest.mark.parametrize(
    ("send", "most_connections"),
    [
        (endless, 1),
        (endless_chunks, 1),
        (bomb, 1),
        (unknown_packing, 1),
        (redirect, 12),
        (page, 3),
        (nothing, 3),
        (hangs_in_the_body, 1),
        (drips, 1),
        (far_retry, 1),
    ],
)
def test_whatever_the_server_does_the_rules_answer_in_time(
    hashed_building: ListMemory, ask: Ask, send: Callable[..., None], most_connections: int
) -> None:
    began = time.monotonic()
    with serving(send) as server:
        answer = ask(hashed_building, "Where is the red chair?", server, SHORT)
    assert answer.source == "extractive (llm:test unavailable)" and answer.pose is not None
    assert server.connections <= most_connections and time.monotonic() - began < 7.0


def test_a_short_reply_that_is_packed_unasked_is_read(hashed_building: ListMemory, ask: Ask) -> None:
    body = gzip.compress(json.dumps(answers(kind="yes_no", text="No.", yes_no=False)).encode())
    with serving(lambda c, _: c.sendall(head(len(body), more="Content-Encoding: gzip\r\n") + body)) as server:
        answer = ask(hashed_building, "Did you see a dragon?", server, SHORT)
    assert answer.source == "llm:test" and answer.yes_no is False


def test_of_thousands_of_calls_only_the_first_are_read() -> None:
    many = calls(*(call("search_text", {"query": f"thing {n}"}) for n in range(20_000)))
    began = time.monotonic()
    assert len(read_reply(many, ["search_text"]).calls) == MAX_CALLS and time.monotonic() - began < 0.5


REFUSALS = {
    "openai": (400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."),
    "vllm": (400, "'max_tokens' is too large: 1024. This model's maximum context length is 4096 tokens"),
    "llama_cpp": (400, "the request exceeds the available context size (4096 tokens), try increasing it"),
    "anthropic-like": (400, "prompt is too long: 213462 tokens > 200000 maximum"),
}


@pytest.mark.parametrize("vendor", REFUSALS)
def test_a_prompt_beyond_the_context_is_asked_again_with_fewer_memories_and_that_is_learned(
    ask: Ask, vendor: str
) -> None:
    status, words = REFUSALS[vendor]
    wordy = [dataclasses.replace(m, caption=f"{m.caption} {'And so on. ' * 40}") for m in memories()]

    def reply(request: dict[str, Any]) -> Any:
        length = sum(len(m["content"] or "") for m in request["messages"])
        if length > 9000:
            return status, {"error": {"message": words, "type": "invalid_request_error"}}
        return cite("red chair", kind="position")(request)

    with ScriptedLLM(reply) as llm:
        settings = RecallSettings(time_limit_s=15.0, llm_timeout_s=5.0, memories_per_query=20)
        answer = ask(ListMemory(wordy, HashingEmbedder(256)), "Where is the red chair?", llm, settings)
    assert answer.source == "llm:test" and answer.pose is not None and answer.llm_calls == 2
    assert all("max_tokens" in request for request in llm.requests), "nothing else was to blame"


def test_a_context_too_small_for_any_prompt_leaves_the_rules(hashed_building: ListMemory, ask: Ask) -> None:
    refusal = (400, {"error": {"message": REFUSALS["openai"][1]}})
    with ScriptedLLM([refusal]) as llm:
        answer = ask(hashed_building, "Where is the red chair?", llm)
    assert answer.source.startswith("extractive (") and len(llm.requests) == 2


def test_what_a_server_says_reaches_nobody_raw(hashed_building: ListMemory, ask: Ask) -> None:
    with ScriptedLLM([message("\x1b]0;owned\x07\u202eyes, by the door\x1b[2J")]) as llm:
        answer = ask(hashed_building, "What is it?", llm)
    assert answer.text.isprintable() and "by the door" in answer.text and "owned" not in answer.text
