"""Which language models can be asked from here, which cannot and why, and which one boxkit takes by itself."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from boxkit.errors import LLMError, ModelNotFound, nearest
from boxkit.llm.clients import is_loopback
from boxkit.llm.local import LocalLLM
from boxkit.llm.openai import OpenAI
from boxkit.llm.prices import FREE
from boxkit.llm.protocol import LLM
from boxkit.llm.pull import KNOWN_MODELS, pull, pulled, pulled_path
from boxkit.threads import threads

__all__ = ["DEFAULT_MODEL", "PLANNER", "SERVERS", "Choice", "Found", "LocalAddress", "available", "choose", "pull"]

#: What OpenAI itself is asked for where nothing else is said.
DEFAULT_MODEL = "gpt-4o-mini"
#: The name of what answers without a language model.
PLANNER = "planner"


@dataclass(frozen=True, slots=True)
class LocalAddress:
    """Where a kind of server listens unless it is told otherwise."""

    kind: str
    base_url: str


SERVERS: tuple[LocalAddress, ...] = (
    LocalAddress("Ollama", "http://127.0.0.1:11434/v1"),
    LocalAddress("llama.cpp", "http://127.0.0.1:8080/v1"),
    LocalAddress("LM Studio", "http://127.0.0.1:1234/v1"),
    LocalAddress("vLLM", "http://127.0.0.1:8000/v1"),
)


@dataclass(frozen=True, slots=True)
class Found:
    """One place where a model could be.

    Attributes:
        kind: ``"openai"``, the kind of local server, ``"gguf"``, ``"pulled"`` or ``"planner"``.
        usable: Whether it can be asked now.
        why: What was found, or what is missing and how to get it.
        models: The models' names there, the one that would be taken first; empty where unknown.
        make: Makes the model from one of the names; None where nothing can be made (the planner is no language model).
    """

    kind: str
    usable: bool
    why: str
    models: tuple[str, ...] = ()
    make: Callable[[str], LLM] | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """What `choose` settled on.

    Attributes:
        llm: The model; None for the planner.
        name: Its name.
        why: One sentence that says why this one.
    """

    llm: LLM | None
    name: str
    why: str


def available(*, servers: Sequence[LocalAddress] = SERVERS, timeout_s: float = 0.4) -> tuple[Found, ...]:
    """Every place looked at, in the order in which `choose` takes them; the planner is last and always usable.

    Args:
        servers: The local servers to look for; they are asked at the same time.
        timeout_s: How long each may take to answer, in seconds.
    """
    with threads(max(1, len(servers))) as pool:
        answers = list(pool.map(lambda server: _server(server, timeout_s), servers))
    here = pulled()
    return (
        _openai(timeout_s),
        *answers,
        _gguf(),
        *(_pulled(model.name, model.path) for model in here),
        *([] if here else [_none_pulled()]),
        Found(PLANNER, True, "always here: no language model, answers common questions or says why not", (PLANNER,)),
    )


def choose(name: str | None = None, *, servers: Sequence[LocalAddress] = SERVERS, timeout_s: float = 0.4) -> Choice:
    """The model to ask: the one named, else the first that is available.

    Args:
        name: A model's name at one of the places of `available`, the path of a GGUF file, ``"planner"``, or None.
        servers: The local servers to look for.
        timeout_s: How long each may take to answer, in seconds.

    Raises:
        ModelNotFound: No place has a model of that name.
        LLMError: A GGUF file that is none.
    """
    if name == PLANNER:
        return Choice(None, PLANNER, "asked for by name")
    if name is not None and (path := _file(name)) is not None:
        return Choice(LocalLLM(path), path.stem, f"asked for by name: {path}")
    places = [place for place in available(servers=servers, timeout_s=timeout_s) if place.usable]
    if name is not None:
        return _named(name, places)
    first = places[0]
    if first.make is None:
        return Choice(None, PLANNER, "no language model is here: see `boxkit models`")
    return Choice(first.make(first.models[0]), first.models[0], first.why)


def _named(name: str, places: Sequence[Found]) -> Choice:
    for place in places:
        if place.make is not None and name in place.models:
            return Choice(place.make(name), name, f"asked for by name: {place.why}")
    for place in places:
        # OpenAI's own list is long and takes a request: what is not here must be there.
        if place.kind == "openai" and place.make is not None:
            return Choice(place.make(name), name, f"asked for by name: {place.why}")
    known = [model for place in places for model in place.models]
    fetchable = [model.name for model in KNOWN_MODELS]
    if name in fetchable:
        raise ModelNotFound(f"the model {name!r} is not here yet", hint=f"boxkit models pull {name}")
    close = nearest(name, known + fetchable)
    raise ModelNotFound(
        f"there is no model {name!r} here; there are: {', '.join(known)}",
        hint=f"nearest: {', '.join(close)}" if close else "set OPENAI_API_KEY, or start a local server",
    )


def _file(name: str) -> Path | None:
    if name.lower().endswith(".gguf") or os.sep in name:
        path = Path(name).expanduser()
        if path.is_file():
            return path
    return pulled_path(name)


def _openai(timeout_s: float) -> Found:
    key, base_url = os.environ.get("OPENAI_API_KEY", "").strip(), os.environ.get("OPENAI_BASE_URL", "").strip()
    if not key and not base_url:
        return Found("openai", False, "neither OPENAI_API_KEY nor OPENAI_BASE_URL is set")
    if not base_url:
        return Found("openai", True, "OPENAI_API_KEY is set", (DEFAULT_MODEL,), OpenAI)
    try:
        address = OpenAI(DEFAULT_MODEL).base_url
    except (LLMError, ValueError) as error:
        return Found("openai", False, f"OPENAI_BASE_URL is set, but: {error}")
    names = _listed(address, key, max(timeout_s, 2.0))
    if isinstance(names, str):
        # It may answer questions all the same: not every server lists its models.
        unlisted = f"OPENAI_BASE_URL is set ({address}; its models are not known: {names})"
        return Found("openai", True, unlisted, (DEFAULT_MODEL,), OpenAI)
    if not names:
        return Found("openai", False, f"OPENAI_BASE_URL is set ({address}), but the server has no model")
    return Found("openai", True, f"OPENAI_BASE_URL is set ({address})", names, OpenAI)


def _server(server: LocalAddress, timeout_s: float) -> Found:
    names = _listed(server.base_url, "", timeout_s)
    if isinstance(names, str):
        return Found(server.kind, False, f"{server.base_url}: {names}")
    if not names:
        return Found(server.kind, False, f"{server.base_url}: it runs, but has no model")

    def make(name: str) -> LLM:
        return OpenAI(name, base_url=server.base_url, price=FREE)

    return Found(server.kind, True, f"{server.kind} runs at {server.base_url}", names, make)


def _gguf() -> Found:
    given = os.environ.get("BOXKIT_GGUF", "").strip()
    if not given:
        return Found("gguf", False, "BOXKIT_GGUF is not set")
    path = Path(given).expanduser()
    try:
        model = LocalLLM(path)
    except LLMError as error:
        return Found("gguf", False, f"BOXKIT_GGUF is set, but: {error.where}: {error.what}")
    return _local("gguf", model.name, path, f"BOXKIT_GGUF is set ({path})")


def _pulled(name: str, path: Path) -> Found:
    return _local("pulled", name, path, f"fetched before: {path}")


def _none_pulled() -> Found:
    names = ", ".join(model.name for model in KNOWN_MODELS)
    return Found("pulled", False, f"no model was fetched: boxkit models pull NAME ({names})")


def _local(kind: str, name: str, path: Path, why: str) -> Found:
    if find_spec("xllamacpp") is None:
        return Found(kind, False, f'{why}, but its engine is missing: pip install "boxkit[local]"', (name,))
    return Found(kind, True, why, (name,), lambda _: LocalLLM(path))


def _listed(base_url: str, key: str, timeout_s: float) -> tuple[str, ...] | str:
    """The models that a server lists, those for code first and those for embeddings left out; or why there are none."""
    address = urlsplit(base_url)
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.hostname or "", address.port, timeout=timeout_s)
    try:
        headers: Mapping[str, str] = {"Authorization": f"Bearer {key}"} if key else {}
        connection.request("GET", f"{address.path}/models", headers=dict(headers))
        response = connection.getresponse()
        body = response.read(4 * 2**20)
    except (OSError, http.client.HTTPException) as error:
        return "nothing answers" if is_loopback(base_url) else f"it cannot be reached ({error})"
    finally:
        connection.close()
    if response.status != 200:
        return "it wants a key" if response.status in (401, 403) else f"it answers HTTP {response.status}"
    try:
        entries = json.loads(body)["data"] or []
        names = [entry["id"] for entry in entries if isinstance(entry["id"], str) and entry["id"]]
    except (ValueError, KeyError, TypeError):
        return "something else answers there"
    chat = [name for name in names if "embed" not in name.lower()]
    return tuple(sorted(chat, key=lambda name: "code" not in name.lower()))
