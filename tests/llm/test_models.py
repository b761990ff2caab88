"""What is available here and why not, what is chosen, and fetching from a hub on this machine."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from boxkit.errors import LLMError, MissingKey, ModelNotFound, ServerUnavailable
from boxkit.llm import LocalLLM, OpenAI
from boxkit.llm.models import DEFAULT_MODEL, Found, LocalAddress, available, choose, pull
from boxkit.testing import Fault, FaultyServer

NOTHING = LocalAddress("Ollama", "http://127.0.0.1:9/v1")


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "BOXKIT_GGUF", "HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BOXKIT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))


def found(kind: str, *servers: LocalAddress) -> Found:
    return next(place for place in available(servers=servers or [NOTHING]) if place.kind == kind)


def test_with_nothing_here_each_place_says_why_and_the_planner_answers():
    places = available(servers=[NOTHING])
    assert [(place.kind, place.usable) for place in places] == [
        ("openai", False),
        ("Ollama", False),
        ("gguf", False),
        ("pulled", False),
        ("planner", True),
    ]
    assert "OPENAI_API_KEY" in places[0].why and "nothing answers" in places[1].why
    assert "BOXKIT_GGUF" in places[2].why and "boxkit models pull" in places[3].why
    choice = choose(servers=[NOTHING])
    assert (choice.llm, choice.name) == (None, "planner") and "no language model" in choice.why


def test_the_order_is_key_then_server_then_file_then_planner(monkeypatch: pytest.MonkeyPatch, small_model: Path):
    pytest.importorskip("xllamacpp")
    with FaultyServer([], models=["nomic-embed-text", "llama3.2:3b", "qwen2.5-coder:7b"]) as server:
        ollama = [LocalAddress("Ollama", server.base_url)]
        monkeypatch.setenv("BOXKIT_GGUF", str(small_model))
        chosen = choose(servers=[NOTHING])
        assert isinstance(chosen.llm, LocalLLM) and chosen.name == small_model.stem and "BOXKIT_GGUF" in chosen.why
        chosen = choose(servers=ollama)
        assert isinstance(chosen.llm, OpenAI) and chosen.llm.base_url == server.base_url
        assert chosen.name == "qwen2.5-coder:7b" and "Ollama runs at" in chosen.why
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        chosen = choose(servers=ollama)
        assert (chosen.name, chosen.why) == (DEFAULT_MODEL, "OPENAI_API_KEY is set")


def test_what_a_local_server_answers_costs_nothing():
    with FaultyServer(["42"], models=["llama3.2"]) as server:
        chosen = choose(servers=[LocalAddress("Ollama", server.base_url)])
        assert chosen.llm is not None
        assert chosen.llm.complete([]).usage.dollars == 0.0


def test_a_model_can_be_named(monkeypatch: pytest.MonkeyPatch, small_model: Path):
    with FaultyServer([], models=["llama3.2", "mistral"]) as server:
        ollama = [LocalAddress("Ollama", server.base_url)]
        assert choose("planner").llm is None
        named = choose("mistral", servers=ollama).llm
        assert isinstance(named, OpenAI) and named.base_url == server.base_url
        assert isinstance(choose(str(small_model)).llm, LocalLLM)
        with pytest.raises(ModelNotFound, match=r"(?s)no model 'mistrla'.*llama3.2, mistral.*nearest: mistral"):
            choose("mistrla", servers=ollama)
        with pytest.raises(ModelNotFound, match=r"(?s)not here yet.*boxkit models pull qwen2.5-coder-7b"):
            choose("qwen2.5-coder-7b", servers=ollama)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        assert choose("gpt-4o", servers=ollama).name == "gpt-4o"
        local = choose("llama3.2", servers=ollama).llm
        assert isinstance(local, OpenAI) and local.base_url == server.base_url, "a name that is here is not sent away"


def test_a_server_by_address_is_asked_what_it_has(monkeypatch: pytest.MonkeyPatch):
    with FaultyServer([], models=["team-model"], key="sk-team") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert found("openai").usable and "wants a key" in found("openai").why
        monkeypatch.setenv("OPENAI_API_KEY", "sk-team")
        assert found("openai").models == ("team-model",)
        assert choose(servers=[NOTHING]).name == "team-model"
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000")
    assert not found("openai").usable and "an address like" in found("openai").why


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Fault(body="<html>"), "something else"),
        (Fault(body='{"data": [7]}'), "something else"),
        (Fault(body={"data": []}), "has no model"),
        (Fault(body={"data": None}), "has no model"),
        (Fault(404), "HTTP 404"),
        (Fault(401), "wants a key"),
    ],
)
def test_another_program_at_the_port_is_told_apart(answer: Fault, says: str, monkeypatch: pytest.MonkeyPatch):
    with FaultyServer([]) as server:
        monkeypatch.setattr(server, "answer", lambda request: answer)
        place = found("Ollama", LocalAddress("Ollama", server.base_url))
    assert not place.usable and says in place.why


def test_a_port_that_never_answers_is_not_waited_for():
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        place = found("Ollama", LocalAddress("Ollama", f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"))
    assert not place.usable and "nothing answers" in place.why


def test_a_file_that_is_no_model_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("BOXKIT_GGUF", str(tmp_path / "gone.gguf"))
    assert not found("gguf").usable and "no model file" in found("gguf").why


class Hub:
    """Files of a repository as the Hugging Face hub serves them: commit, checksum, ranges."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.commit = "a" * 40
        self.etag: str | None = None
        self.status: dict[str, int] = {}
        self.errors: dict[str, str] = {}
        self.break_after: int | None = None
        self.ranges: list[str | None] = []
        self.asked: list[str] = []
        self.knows_ranges = True
        self.elsewhere = ""
        self.tokens: dict[str, set[str | None]] = {"HEAD": set(), "GET": set()}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    def __enter__(self) -> Hub:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                self._answer(b"")

            def do_GET(self) -> None:
                self._answer(None)

            def _answer(self, body: bytes | None) -> None:
                hub.asked.append(f"{self.command} {self.path}")
                hub.tokens[self.command].add(self.headers.get("Authorization"))
                name = self.path.split("?")[0]
                content = next((data for path, data in hub.files.items() if name.endswith(path)), None)
                status = hub.status.get(name.split("/resolve/")[0], 200 if content is not None else 404)
                content = content or b""
                start = 0
                if self.command == "GET" and status == 200:
                    hub.ranges.append(self.headers.get("Range"))
                    if hub.knows_ranges and (wanted := self.headers.get("Range")):
                        start, status = int(wanted.removeprefix("bytes=").split("-")[0]), 206
                self.send_response(status)
                digest = hub.etag or hashlib.sha256(content).hexdigest()
                if 200 <= status < 300:
                    self.send_header("X-Repo-Commit", hub.commit)
                    self.send_header("ETag", f'"{digest}"')
                    self.send_header("X-Linked-Etag", f'"{digest}"')
                    self.send_header("X-Linked-Size", str(len(content)))
                    self.send_header("Accept-Ranges", "bytes")
                if status == 206:
                    self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
                if hub.elsewhere and self.command == "HEAD" and self.path.startswith("/someone"):
                    self.send_header("Location", f"http://{hub.elsewhere}:{hub.http.server_address[1]}{self.path}")
                for key, value in hub.errors.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(content) - start if status < 300 else 0))
                self.end_headers()
                if self.command == "GET" and status < 300:
                    self.wfile.write(content[start : hub.break_after])
                    if hub.break_after is not None:
                        self.close_connection = True

            def log_message(self, *args: Any) -> None:
                """Quiet."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub", reason='needs pip install "boxkit[local]"')
    with Hub() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running


NAME = "someone/tiny-gguf/tiny.gguf"


def test_a_model_is_fetched_checked_pinned_and_found_again(hub: Hub, small_model: Path, tmp_path: Path):
    content = small_model.read_bytes()[:3_000_000]
    hub.files["/someone/tiny-gguf/resolve/" + hub.commit + "/tiny.gguf"] = content
    hub.files["/someone/tiny-gguf/resolve/main/tiny.gguf"] = content
    model = pull(NAME, progress=False)
    assert model.path.read_bytes() == content and model.path.is_relative_to(tmp_path / "models")
    assert (model.revision, model.sha256) == (hub.commit, hashlib.sha256(content).hexdigest())
    assert choose(NAME).name == choose(model.name).name == "tiny"
    assert found("pulled").usable and found("pulled").models == (model.name,)
    asked = len(hub.asked)
    assert pull(NAME) == model and len(hub.asked) == asked, "nothing is fetched twice"
    assert sorted(path.name for path in model.path.parent.iterdir()) == ["fetching.lock", "model.json", "tiny.gguf"]


def test_a_download_that_broke_off_goes_on_where_it_stopped(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("boxkit.llm.download.time.sleep", lambda seconds: None)
    content = bytes(range(256)) * 8000
    hub.files["/tiny.gguf"] = content
    hub.break_after = 1_000_000
    with pytest.raises(ServerUnavailable, match=r"(?s)1000000 of 2048000 bytes are here.*goes on where it stopped"):
        pull(NAME, progress=False)
    assert not found("pulled").usable, "half a file is no model"
    hub.break_after = None
    hub.ranges.clear()
    assert pull(NAME, progress=False).path.read_bytes() == content
    assert hub.ranges == ["bytes=1000000-"]


def test_a_part_of_another_version_is_not_gone_on_with(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("boxkit.llm.download.time.sleep", lambda seconds: None)
    hub.files["/tiny.gguf"] = b"old" * 500_000
    hub.break_after = 900_000
    with pytest.raises(ServerUnavailable):
        pull(NAME, progress=False)
    hub.files["/tiny.gguf"], hub.break_after = b"new" * 500_000, None
    assert pull(NAME, progress=False).path.read_bytes() == b"new" * 500_000


def test_a_server_without_ranges_sends_it_all_again(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("boxkit.llm.download.time.sleep", lambda seconds: None)
    content = bytes(range(256)) * 8000
    hub.files["/tiny.gguf"], hub.break_after, hub.knows_ranges = content, 1_000_000, False
    with pytest.raises(ServerUnavailable):
        pull(NAME, progress=False)
    hub.break_after = None
    assert pull(NAME, progress=False).path.read_bytes() == content


def test_two_processes_do_not_fetch_one_model_at_once(hub: Hub, tmp_path: Path):
    import filelock

    hub.files["/tiny.gguf"] = b"GGUF"
    (tmp_path / "models" / "someone--tiny-gguf--tiny").mkdir(parents=True)
    with (
        filelock.FileLock(tmp_path / "models" / "someone--tiny-gguf--tiny" / "fetching.lock"),
        pytest.raises(LLMError, match="another process"),
    ):
        pull(NAME, progress=False)
    assert pull(NAME, progress=False).size == 4


def test_a_token_goes_to_the_hub_and_nowhere_else(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub.files["/tiny.gguf"] = b"GGUF"
    hub.elsewhere = "localhost"
    pull(NAME, progress=False)
    assert hub.tokens["HEAD"] == {"Bearer hf_secret"} and hub.tokens["GET"] == {None}


def test_the_hub_switched_off_is_said(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ServerUnavailable, match="HF_HUB_OFFLINE"):
        pull(NAME)
    assert hub.asked == []


def test_a_file_that_differs_from_its_checksum_is_deleted(hub: Hub, tmp_path: Path):
    hub.files["/tiny.gguf"] = b"GGUF but not the real one"
    hub.etag = "0" * 64
    with pytest.raises(LLMError, match=r"not the file expected: SHA-256 \w+, not 000"):
        pull(NAME, progress=False)
    hub.etag = None
    with pytest.raises(LLMError, match="not the file expected"):
        pull(NAME, sha256="F" * 64, progress=False)
    assert not list((tmp_path / "models").rglob("tiny.gguf"))
    hub.etag = "W/not-a-checksum"
    with pytest.raises(LLMError, match=r"(?s)publishes no SHA-256.*sha256="):
        pull(NAME, progress=False)
    with pytest.raises(ValueError, match="64 hex digits"):
        pull(NAME, sha256="abc")


def test_a_file_changed_on_disk_is_noticed(hub: Hub):
    hub.files["/tiny.gguf"] = b"GGUF and the rest"
    model = pull(NAME, progress=False)
    model.path.write_bytes(b"GGUF and the r3st")
    with pytest.raises(LLMError, match="not the file expected"):
        pull(NAME)
    assert pull(NAME, progress=False).path.read_bytes() == b"GGUF and the rest"


@pytest.mark.parametrize(
    ("status", "errors", "kind", "says"),
    [
        (404, {"X-Error-Code": "RepoNotFound"}, ModelNotFound, "no such repository"),
        (404, {"X-Error-Code": "RevisionNotFound"}, ModelNotFound, "no such revision"),
        (404, {"X-Error-Code": "EntryNotFound"}, ModelNotFound, "no such file"),
        (403, {"X-Error-Code": "GatedRepo"}, MissingKey, "HF_TOKEN"),
        (500, {}, ServerUnavailable, "cannot be reached"),
    ],
)
def test_what_the_hub_refuses_is_said(hub: Hub, status: int, errors: dict[str, str], kind: type[LLMError], says: str):
    hub.status["/someone/tiny-gguf"] = status
    hub.errors = errors
    with pytest.raises(kind, match=says):
        pull(NAME, progress=False)


def test_a_hub_that_is_not_there_is_said(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ServerUnavailable, match=r"(?s)cannot be reached.*HF_ENDPOINT"):
        pull(NAME, progress=False, timeout_s=1)


def test_a_file_larger_than_the_disk_is_not_begun(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    hub.files["/tiny.gguf"] = b"GGUF" * 1000
    usage = type("Usage", (), {"free": 100})()
    monkeypatch.setattr("boxkit.llm.pull.shutil.disk_usage", lambda path: usage)
    with pytest.raises(LLMError, match=r"(?s)are free.*BOXKIT_MODELS"):
        pull(NAME, progress=False)
    assert not any(asked.startswith("GET") and asked.endswith(".gguf") for asked in hub.asked)


@pytest.mark.parametrize("name", ["qwen2.5-coder-8b", "a/b", "../../etc/x.gguf", "a/../b.gguf", "tiny.gguf", ""])
def test_a_name_that_is_none_lists_the_known(name: str):
    with pytest.raises(ModelNotFound, match="known are: qwen2"):
        pull(name)


def test_a_damaged_note_is_no_model(tmp_path: Path):
    folder = tmp_path / "models" / "odd"
    folder.mkdir(parents=True)
    for text in ("", "{", "[]", json.dumps({"name": "odd", "file": "gone.gguf"})):
        (folder / "model.json").write_text(text)
        assert not found("pulled").usable
