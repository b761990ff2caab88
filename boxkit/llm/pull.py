"""Model files fetched from the Hugging Face hub: whole, checked, pinned, and fetched on where a download broke off."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from boxkit.errors import LLMError, MissingExtra, MissingKey, ModelNotFound, ServerUnavailable, nearest
from boxkit.llm.download import Source, download, sha256_of

__all__ = ["KNOWN_MODELS", "KnownModel", "Pulled", "models_folder", "pull", "pulled", "pulled_path"]

_HEX64 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that can be fetched by a short name.

    Attributes:
        name: The short name.
        repo: The hub's repository.
        file: The file in it.
        size_mb: About how large, in megabytes.
        licence: Its licence.
    """

    name: str
    repo: str
    file: str
    size_mb: int
    licence: str


#: Models that write usable pandas for their size. Others go by ``OWNER/REPO/FILE.gguf``.
KNOWN_MODELS: tuple[KnownModel, ...] = (
    KnownModel(
        "qwen2.5-coder-1.5b",
        "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        1120,
        "Apache-2.0",
    ),
    KnownModel(
        "qwen2.5-coder-7b",
        "Qwen/Qwen2.5-Coder-7B-Instruct-GGUF",
        "qwen2.5-coder-7b-instruct-q4_k_m.gguf",
        4680,
        "Apache-2.0",
    ),
)


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model file on this machine, and where it came from.

    Attributes:
        name: The name to ask for it by.
        path: The file.
        repo: The hub's repository.
        revision: The commit it was fetched at.
        sha256: The file's checksum.
        size: Its size in bytes.
    """

    name: str
    path: Path
    repo: str
    revision: str
    sha256: str
    size: int


def models_folder() -> Path:
    """Where fetched models lie: ``BOXKIT_MODELS``, else the user's cache folder."""
    if given := os.environ.get("BOXKIT_MODELS"):
        return Path(given).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "boxkit" / "models"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "boxkit" / "models"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "boxkit" / "models"


def pulled() -> tuple[Pulled, ...]:
    """The models fetched so far, by name; a folder whose file is gone or cut short is left out."""
    found = []
    for manifest in sorted(models_folder().glob("*/model.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(manifest.read_text("utf-8"))
            model = Pulled(path=manifest.parent / kept.pop("file"), **kept)
            if model.path.stat().st_size == model.size:
                found.append(model)
    return tuple(found)


def pulled_path(name: str) -> Path | None:
    """The file of a fetched model, by its short name or ``OWNER/REPO/FILE.gguf``; None where it is not here."""
    for model in pulled():
        if name in (model.name, f"{model.repo}/{model.path.name}"):
            return model.path
    return None


def pull(
    name: str,
    *,
    revision: str | None = None,
    sha256: str | None = None,
    progress: bool = True,
    timeout_s: float = 10.0,
) -> Pulled:
    """Fetch a model file from the hub (or from the mirror that ``HF_ENDPOINT`` names).

    The file is fetched at one commit, checked against the checksum that the hub publishes for it, or against ``sha256``
    where that is given, and noted with both. Later calls hold it against what was noted: nothing is fetched, and
    nothing changes, unless another ``revision`` is asked for. A download that broke off goes on where it stopped.

    boxkit ships no checksums of its own: pass ``revision`` and ``sha256`` where you must not trust the hub.

    Args:
        name: One of `KNOWN_MODELS`, or ``OWNER/REPO/FILE.gguf``.
        revision: A branch, tag or commit of the repository; by default its main branch.
        sha256: What the file's SHA-256 must be, 64 hex digits.
        progress: Show a progress bar.
        timeout_s: How long the hub may take to answer, in seconds.

    Raises:
        ModelNotFound: There is no such name, repository, revision or file.
        MissingKey: The hub wants a token for it (``HF_TOKEN``).
        ServerUnavailable: The hub cannot be reached, or the download broke off.
        LLMError: The file is not the one expected, or the disk is too small for it.
        MissingExtra: The extra ``local`` is not installed.
    """
    if sha256 is not None and not _HEX64.fullmatch(sha256 := sha256.lower()):
        raise ValueError(f"sha256 is {sha256!r}; 64 hex digits are meant")
    short, repo, file = _meant(name)
    here = {model.name: model for model in pulled()}.get(short)
    if here is not None and revision in (None, here.revision):
        _check(here.path, sha256 or here.sha256, here.repo)
        return here
    return _fetch(short, repo, file, revision, sha256, progress, timeout_s)


def _meant(name: str) -> tuple[str, str, str]:
    """Short name, repository and file."""
    for model in KNOWN_MODELS:
        if name in (model.name, f"{model.repo}/{model.file}"):
            return model.name, model.repo, model.file
    owner, _, rest = name.partition("/")
    repo, _, file = rest.partition("/")
    if owner and repo and file.endswith(".gguf") and ".." not in name and "\\" not in name:
        return re.sub(r"[^A-Za-z0-9._-]+", "--", name.removesuffix(".gguf")), f"{owner}/{repo}", file
    known = [model.name for model in KNOWN_MODELS]
    close = nearest(name, known)
    raise ModelNotFound(
        f"there is no model {name!r} to fetch; known are: {', '.join(known)}",
        hint=f"nearest: {', '.join(close)}" if close else "or give OWNER/REPO/FILE.gguf of the Hugging Face hub",
    )


def _fetch(
    short: str, repo: str, file: str, revision: str | None, sha256: str | None, progress: bool, timeout_s: float
) -> Pulled:
    try:
        import filelock
        import huggingface_hub as installed
    except ImportError as error:
        raise MissingExtra(str(error.name), "local") from error
    hub: Any = installed
    folder = models_folder() / short
    published = _published(hub, repo, file, revision, timeout_s)
    commit, size = published.commit_hash or revision or "main", published.size or 0
    expected = sha256 or _published_sha256(published.etag, repo)
    _check_room(folder, size)

    def source() -> Source:
        location = _published(hub, repo, file, commit, timeout_s).location
        here = urlsplit(location).hostname == urlsplit(_url(hub, repo, file, commit)).hostname
        # A token is the hub's alone: where the file itself lies is another's server.
        return Source(location, hub.utils.build_hf_headers() if here else {})

    lock = filelock.FileLock(folder / "fetching.lock", timeout=0)
    try:
        with lock, _shown(progress, short, size) as on_progress:
            target = folder / Path(file).name
            download(source, target, size=size, sha256=expected, timeout_s=timeout_s * 3, on_progress=on_progress)
            model = Pulled(short, target, repo, commit, expected, size)
            _note(model, folder)
    except filelock.Timeout as error:
        raise LLMError("another process is fetching this model", where=str(folder), hint="wait for it") from error
    return model


def _url(hub: Any, repo: str, file: str, revision: str | None) -> str:
    return str(hub.hf_hub_url(repo, file, revision=revision, endpoint=os.environ.get("HF_ENDPOINT") or None))


def _published(hub: Any, repo: str, file: str, revision: str | None, timeout_s: float) -> Any:
    """The hub's metadata of a file: commit, checksum, size, and where it lies."""
    with _mapped(repo, file, revision):
        if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "on", "yes", "true"):
            raise hub.errors.OfflineModeIsEnabled
        return hub.get_hf_file_metadata(_url(hub, repo, file, revision), timeout=timeout_s)


def _published_sha256(etag: str | None, repo: str) -> str:
    if etag is not None and _HEX64.fullmatch(etag):
        return etag
    hint = "pass sha256=… with the checksum that the file must have"
    raise LLMError("the hub publishes no SHA-256 for this file", where=repo, hint=hint)


def _check_room(folder: Path, size: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if size > free:
        hint = "free some space, or set BOXKIT_MODELS to a folder on a larger disk"
        raise LLMError(
            f"the file takes {size / 1e9:.1f} GB; {free / 1e9:.1f} GB are free", where=str(folder), hint=hint
        )


def _check(path: Path, expected: str, repo: str) -> None:
    actual = sha256_of(path)
    if actual != expected:
        path.unlink()
        hint = "it was deleted; fetch it again"
        raise LLMError(f"{path.name} is not the file expected: SHA-256 {actual}, not {expected}", where=repo, hint=hint)


def _note(model: Pulled, folder: Path) -> None:
    kept: dict[str, Any] = asdict(model)
    del kept["path"]
    kept["file"] = model.path.relative_to(folder).as_posix()
    temporary = folder / "model.json.new"
    temporary.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    os.replace(temporary, folder / "model.json")


@contextmanager
def _shown(shown: bool, name: str, size: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on the screen, where it is one."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    hidden = not (shown and console.is_terminal)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(name, total=size)
        yield lambda here: bar.update(task, completed=here)


@contextmanager
def _mapped(repo: str, file: str, revision: str | None) -> Iterator[None]:
    """The hub's errors as boxkit's."""
    from huggingface_hub import errors

    where = f"{repo}/{file}" + (f" at {revision}" if revision else "")
    try:
        yield
    except errors.GatedRepoError as error:
        hint = "accept its terms on the hub, then set HF_TOKEN"
        raise MissingKey("the hub gives this model to signed-in users only", where=where, hint=hint) from error
    except errors.RepositoryNotFoundError as error:
        hint = "check its name; a private one needs HF_TOKEN"
        raise ModelNotFound("the hub has no such repository", where=where, hint=hint) from error
    except errors.RevisionNotFoundError as error:
        raise ModelNotFound("the repository has no such revision", where=where) from error
    except errors.OfflineModeIsEnabled as error:
        raise ServerUnavailable("the hub is switched off by HF_HUB_OFFLINE", where=where, hint="unset it") from error
    except errors.LocalEntryNotFoundError as error:
        raise _unreachable(error, where) from error
    except errors.EntryNotFoundError as error:
        raise ModelNotFound("the repository has no such file", where=where) from error
    except errors.HFValidationError as error:
        raise ModelNotFound(f"that is no repository's name: {error}", where=where) from error
    except (OSError, RuntimeError, getattr(errors, "HTTPError", OSError)) as error:
        raise _unreachable(error, where) from error


def _unreachable(error: Exception, where: str) -> ServerUnavailable:
    hint = "check the network and HF_ENDPOINT, then try again"
    said = " ".join(str(error.__cause__ or error).split())[:300]
    return ServerUnavailable(f"the hub cannot be reached: {said}", where=where, hint=hint)
