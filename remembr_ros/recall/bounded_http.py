"""Replies of a server, no longer than they may be. In: an HTTP response, its body unread; out: the same, or an error.

A server that is broken, or none at all, may send without end, or a few kilobytes that unpack to gigabytes.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator
from typing import Any

MAX_BODY_BYTES = 4_000_000
"""A chat completion of 4,096 tokens has about 20,000."""
MAX_REDIRECTS = 3
MAX_PACKED_BYTES = 64_000
"""Of a body that is packed though NO_COMPRESSION was sent; gzip unpacks at most a thousandfold."""
NO_COMPRESSION = {"Accept-Encoding": "identity"}


class ReplyTooLarge(Exception):
    """The body is longer than it may be, or packed in a way that cannot be bounded."""


async def bound(response: Any) -> None:
    """For `event_hooks={"response": [bound]}` of an AsyncClient of httpx or httpx2, whichever the openai package uses.
    Reading a longer body raises ReplyTooLarge."""
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity", "gzip", "deflate"):
        raise ReplyTooLarge(f"the reply is packed as {packing[:20]!r}, though that was not asked for")
    most = MAX_BODY_BYTES if packing in ("", "identity") else MAX_PACKED_BYTES
    stream = response.stream
    library = importlib.import_module(type(response).__module__.partition(".")[0])

    class Bounded(library.AsyncByteStream):  # type: ignore[misc,name-defined]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for part in stream:
                read += len(part)
                if read > most:
                    raise ReplyTooLarge(f"the reply has more than {most} bytes")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = Bounded()
