"""A small HTTP server in the place of a language model's. In: what answers the body of a request; out: a base URL.

It speaks HTTP/1.1 on a free port of the loopback interface, each connection in a thread of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, TypeVar

Self = TypeVar("Self", bound="ChatServer")


class Sent(NamedTuple):
    """What goes back: an HTTP status, a body, headers beside the usual ones."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}


class ChatServer:
    """Use as a context manager. `answer` gets the body of a request and its headers (lower-case names), in the thread
    of its connection. `answered`, if given: called with (start, end) [s, perf_counter] of the making of each reply,
    before it is sent."""

    def __init__(
        self,
        answer: Callable[[bytes, Mapping[str, str]], Sent],
        answered: Callable[[float, float], None] = lambda start, end: None,
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each reply waits 40 ms for an acknowledgement

            def parse_request(self) -> bool:
                self.began = time.perf_counter()
                return super().parse_request()

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                sent = answer(body, {name.lower(): value for name, value in self.headers.items()})
                answered(self.began, time.perf_counter())
                try:
                    self.send_response(sent.status)
                    usual = {"Content-Type": "application/json", "Content-Length": str(len(sent.body))}
                    for name, value in {**usual, **sent.headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(sent.body)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the client was cancelled

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self: Self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)
