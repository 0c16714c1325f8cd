"""Memory, models and the language model's endpoint, as `remembr doctor` sees them. In: the nodes' parameters.

Nothing is loaded unless asked for: a second copy of a model may be more than a Jetson has room for. Keys are never
shown.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from remembr_ros.cli.finding import Finding, fail, ok, warn
from remembr_ros.errors import MemoryUnavailable, RemembrError
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.memory.uri import FileLocation, locate
from remembr_ros.recall.same_words import with_own
from remembr_ros.recall.vendors import VENDORS

LOW_DISK_BYTES = 2e9
"""A million memories are 2 GB."""
ENDPOINT_S = 5.0
OPENAI_URL = "https://api.openai.com/v1"


def check_memory(parameters: Mapping[str, Any]) -> Iterator[Finding]:
    uri, collection = parameters["memory.uri"], parameters["memory.collection"]
    variable = parameters["memory.token_env"]
    try:
        location = locate(uri)
        if isinstance(location, FileLocation):
            folder = location.path.parent
            free = shutil.disk_usage(folder).free
            if free < LOW_DISK_BYTES:
                yield warn("disk", f"{free / 1e9:.1f} GB free in {folder}", "make room, or `remembr prune`")
            if not location.path.exists():
                yield warn("memory", f"{location} does not exist yet", "the first start of a node makes it")
                return
        token = os.environ.get(variable, "") if variable else ""
        with MemoryStore.open_existing(uri, collection=collection, token=token, timeout_s=10.0) as store:
            count, written_with = store.count(), store.embedder.name
    except MemoryUnavailable as error:
        yield fail("memory", str(error), f"check memory.uri ({uri}) and that Milvus runs there")
        return
    except RemembrError as error:
        yield fail("memory", str(error))
        return
    yield ok("memory", f"{count:,} memories in {uri}, written with {written_with}")
    wanted = parameters["embedder.model"]
    if wanted.partition(":")[0] != written_with.partition(":")[0]:
        yield fail(
            "embedder", f"embedder.model is {wanted}, the memory was written with {written_with}",
            f"set embedder.model to {written_with}, or `remembr export` and `remembr import --model {wanted}`",
        )  # fmt: skip


def check_embedder(parameters: Mapping[str, Any], load: bool) -> Finding:
    """`load`: load it for real and embed one word."""
    model = parameters["embedder.model"]
    if not load:
        return ok("embedder", f"{model}, not tried (--load tries it)")
    try:
        embedder = create_embedder(model, device=parameters["embedder.device"], parameter="embedder.model")
        embedder.embed_queries(["door"])
    except RemembrError as error:
        return fail("embedder", str(error))
    return ok("embedder", f"{embedder.name} works ({embedder.dimension}-d)")


def check_words(parameters: Mapping[str, Any]) -> Iterator[Finding]:
    """The site's own words, where there are any."""
    path = parameters["recall.words_file"]
    if path:
        try:
            with_own(path)
        except RemembrError as error:
            yield fail("words", str(error), "correct it; config/site_words.txt shows what is wanted")
        else:
            yield ok("words", f"{path} can be used")


def check_endpoint(parameters: Mapping[str, Any], group: str) -> Finding:
    """The key and the endpoint of `llm` or `captioner`. Asks for the list of models only: that costs nothing."""
    spec = parameters[f"{group}.model"]
    vendor, _, model = spec.partition(":")
    if vendor not in VENDORS:
        return ok(group, f"{spec}: no endpoint needed")
    base_url = parameters[f"{group}.base_url"] or VENDORS[vendor].base_url
    own_server = bool(parameters[f"{group}.base_url"]) or not VENDORS[vendor].api_key_env
    variable = parameters[f"{group}.api_key_env"] or VENDORS[vendor].api_key_env
    key = os.environ.get(variable, "") if variable else ""
    if not key and not own_server:
        return fail(
            group, f"{spec} needs a key, and {variable} is not set", f"export {variable}=... where the node starts"
        )
    url = (base_url or OPENAI_URL).rstrip("/") + "/models"
    if not url.startswith(("http://", "https://")):
        return fail(group, f"{group}.base_url is {base_url!r}", "wanted: http(s)://host:port/v1")
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    base_url_fix = f"is {group}.base_url right? It ends in /v1"
    try:
        with urllib.request.urlopen(request, timeout=ENDPOINT_S) as response:
            names = [str(entry["id"]) for entry in json.load(response)["data"]]
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            return fail(
                group, f"{url} refuses the key ({error.code})", f"set {variable or 'api_key_env'} to a valid key"
            )
        return warn(group, f"{url} answers {error.code}", base_url_fix)
    except (OSError, http.client.HTTPException) as error:
        return fail(group, f"{url} cannot be reached: {error}", f"start the server, or correct {group}.base_url")
    except (ValueError, KeyError, TypeError):
        return warn(group, f"{url} answers, but not with a list of models", base_url_fix)
    if names and not any(name == model or name.partition(":")[0] == model for name in names):
        return warn(group, f"{url} has no model {model!r}", f"it has {', '.join(sorted(names)[:10])}")
    return ok(group, f"{spec} is served at {base_url or OPENAI_URL}")
