"""A run on disk: its settings, and a line a question, each on disk before the question counts as done."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from boxkit.answer import Usage
from boxkit.canonical import LONG_BITS
from boxkit.errors import BoxkitError, SourceNotFound, UnreadableSource
from boxkit.evaluation.identity import check_same
from boxkit.evaluation.records import Record, check_kinds, usage_of
from boxkit.evaluation.scorers.score import as_text

__all__ = ["Lost", "RunFolder", "check_settings", "read_run"]

RECORDS = "records.jsonl"
SETTINGS = "run.json"


@dataclass(frozen=True, slots=True)
class Lost:
    """A question that could not be asked, to be asked again: its cost counts, it does not."""

    key: str
    message: str
    usage: Usage = Usage()

    @classmethod
    def of(cls, record: Record) -> Lost:
        """What is left of a record whose question is asked again."""
        return cls(record.key, f"asked again after {record.failure}", record.usage)


@dataclass(slots=True)
class RunFolder:
    """What is kept of a run.

    Attributes:
        path: The folder; None keeps everything in memory only.
        settings: What shapes the outcome; a folder with other settings is refused.
        about: What a report says of the run beside its settings.
        going_on: Gives ``about`` from what the folder has of it (empty where the run begins) and its finished
            questions; it stays as it is where None.
        formerly: Settings as earlier versions wrote them, where they said the same; they become today's.
        records: Finished questions.
        lost: Calls that failed.
        synced: How much of what was added is on disk.
    """

    path: Path | None
    settings: Mapping[str, Any]
    about: Mapping[str, Any] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    formerly: Mapping[str, Any] = field(default_factory=dict)
    going_on: Callable[[Mapping[str, Any], Sequence[Record]], Mapping[str, Any]] | None = None
    _file: IO[bytes] | None = None
    _waiting: list[bytes] = field(default_factory=list, repr=False)
    synced: int = 0
    _added: int = 0
    _adding: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _syncing: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _broken: OSError | None = None
    _place: Path = field(default=Path(RECORDS), repr=False)
    _size: int = 0

    def __enter__(self) -> RunFolder:
        """Open or go on.

        Raises:
            BoxkitError: The folder is of a run with other settings, another process writes in it, or it is a file.
        """
        if self.path is None:
            return self
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise BoxkitError(
                "a run is kept in a folder, and this is a file or lies below one",
                where=str(self.path),
                hint="name a folder, which need not be there yet",
            ) from None
        self._place = (self.path / RECORDS).absolute()  # wherever a strategy of one's own may go
        self._file = self._place.open("ab")
        try:
            _claim(self._file, self.path)
            self._begin()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        with suppress(BoxkitError):  # of questions that were never counted
            self.sync()
        with self._syncing:
            try:
                self._file.close()
            except OSError:  # a full disk again, where what was not written is told already
                if self._broken is None:
                    raise

    def _begin(self) -> None:
        assert self.path is not None and self._file is not None
        settings, earlier = self.path / SETTINGS, {}
        if settings.exists():
            earlier = _parsed(settings)["about"]
            check_settings(self.path, self.settings, self.formerly)
            whole = _whole_lines(self.path / RECORDS)
            self._file.truncate(whole)
            self.records, self.lost = _read(self.path / RECORDS)
        elif self._file.tell():
            raise UnreadableSource(f"it has {RECORDS} but no {SETTINGS}", where=str(self.path))
        self._size = os.fstat(self._file.fileno()).st_size
        if self.going_on is not None:
            self.about = self.going_on(earlier, self.records)
        _replace(settings, _settings(self))

    def keep(self, record: Record) -> None:
        """Put a finished question on disk; it is there when this returns. From many threads at once.

        Raises:
            BoxkitError: It cannot be written.
        """
        self.add(record)
        self.sync()

    def add(self, record: Record) -> int:
        """Have the next `sync` put a finished question on disk; the number that ``synced`` then has reached."""
        return self._add({"record": record.to_json()}) if self._file is not None else 0

    def keep_lost(self, lost: Lost) -> None:
        """Put what a failed call cost on disk, as `keep` does."""
        self._add({"lost": asdict(lost)})
        self.sync()

    def take_back(self, record: Record) -> None:
        """Count a finished question as lost, on disk as well; its cost stays."""
        lost = Lost(record.key, f"taken back: {record.message}")
        self.keep_lost(lost)  # on disk its own line has the cost already
        self.records = [each for each in self.records if each.key != record.key]
        self.lost.append(replace(lost, usage=record.usage))

    def _add(self, values: Mapping[str, Any]) -> int:
        if self._file is None:
            return 0
        line = _line(values)
        with self._adding:
            self._waiting.append(line)
            self._added += 1
            return self._added

    def sync(self) -> None:
        """Put on disk what was added so far: one sync for all that threads have added while the last was under way.

        Raises:
            BoxkitError: It cannot be written.
        """
        wanted = self._added
        if self._file is None or wanted <= self.synced:
            return
        with self._syncing:
            if wanted <= self.synced:
                return
            with self._adding:
                batch, self._waiting, last = self._waiting, [], self._added
            try:
                self._write(b"".join(batch))
            except OSError as error:
                raise self._unkept(error) from error
            self.synced = last

    def _write(self, content: bytes) -> None:
        assert self._file is not None
        try:
            if self._broken is not None:  # half a line may be there: nothing may follow it
                raise self._broken
            self._file.write(content)
            self._file.flush()
            os.fsync(self._file.fileno())
            self._size += len(content)
            self._check_place(self._file.fileno())
        except OSError as error:
            self._broken = error
            raise

    def _check_place(self, handle: int) -> None:
        """Whether what was written is where the next call looks for it, and all that was written before too."""
        found = os.fstat(handle)
        try:
            is_there = os.path.samestat(found, self._place.stat())
        except OSError:
            is_there = False
        if not is_there:
            raise _Disturbed(f"{RECORDS} was moved or deleted while the run was writing it")
        if found.st_size != self._size:
            raise _Disturbed(f"{RECORDS} was changed by something else while the run was writing it")

    def _unkept(self, error: OSError) -> BoxkitError:
        hint = "make room for them; the same command then goes on"
        if isinstance(error, _Disturbed):
            hint = "bring back what is gone, if it can be had: the same command goes on from what is in the folder"
        return BoxkitError(f"the finished questions cannot be kept: {error}", where=str(self.path), hint=hint)


class _Disturbed(OSError):
    """Something else has had its hands in a run's folder."""


def _line(values: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(values, ensure_ascii=False)
    except ValueError:
        text = json.dumps(_spelled(values), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _spelled(value: Any) -> Any:
    """The same JSON, with whole numbers of more digits than Python writes as texts."""
    if isinstance(value, Mapping):
        return {key: _spelled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spelled(item) for item in value]
    return as_text(value) if type(value) is int and value.bit_length() > LONG_BITS else value


def _value(text: bytes) -> Any:
    """The value that a line is; whole numbers of any length, since the process that wrote it may have allowed more."""
    line = text.decode("utf-8", "surrogatepass")
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.loads(line, parse_int=lambda digits: int(Decimal(digits)))


def _claim(file: IO[bytes], path: Path) -> None:
    """Let no other process write here as long as this one does; the lock ends with the process."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_there = os.path.samestat(os.fstat(file.fileno()), os.stat(path / RECORDS))
    except OSError:
        is_there = False
    if not is_there:  # or another process has put a new file in the place of this one, before the lock was ours
        raise BoxkitError(
            "another process, or another run of this one, is evaluating into this folder",
            where=str(path),
            hint="wait for it, or use another folder",
        )


def _whole_lines(path: Path) -> int:
    """How much of the file is whole lines: a kill may have left half of one, whose question is done again."""
    content = path.read_bytes()
    return content.rfind(b"\n") + 1


#: What a report reads of a run's settings.
_KINDS: Mapping[str, Any] = {
    "dataset": str,
    "split": str,
    "labels": dict,
    "scorers": list,
    "notes": list,
    "skipped": list,
    "questions": (int, str),
    "sources": dict,
    "changed": list,
}


def _parsed(path: Path) -> dict[str, Any]:
    try:
        # Names of files that are no UTF-8 are in it as surrogates.
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        for name in ("settings", "about"):
            if not isinstance(found[name], dict):
                raise TypeError(f"its {name!r} is no object")
            check_kinds(found[name], _KINDS)
    except FileNotFoundError:
        raise SourceNotFound(f"this folder holds no run: there is no {path.name}", where=str(path.parent)) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnreadableSource(f"this is no run's settings: {error}", where=str(path)) from error
    return found


def _read(path: Path) -> tuple[list[Record], list[Lost]]:
    records: dict[str, Record] = {}
    lost: list[Lost] = []
    content = path.read_bytes() if path.exists() else b""
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            values = _value(line)
            if "lost" in values:
                state = values["lost"]
                found = Lost(state["key"], state["message"], usage_of(state["usage"]))
                if found.key in records:
                    record = records.pop(found.key)
                    if found.usage.calls:  # asked again and lost
                        lost.append(Lost.of(record))
                    else:  # taken back
                        found = replace(found, usage=record.usage)
                lost.append(found)
            else:
                record = Record.from_json(values["record"])
                if record.key in records:
                    lost.append(Lost.of(records.pop(record.key)))
                records[record.key] = record
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise UnreadableSource(f"line {number} is no record: {error}", where=str(path)) from error
    return list(records.values()), lost


def check_settings(path: Path, settings: Mapping[str, Any], formerly: Mapping[str, Any]) -> None:
    """Whether the run in a folder goes on with these settings, or as earlier versions wrote them.

    Raises:
        SourceError: The folder holds no run, or a damaged one.
        BoxkitError: It has others.
    """
    theirs = dict(_parsed(path / SETTINGS)["settings"])
    theirs |= {name: settings[name] for name, old in formerly.items() if theirs.get(name) == old}
    check_same(theirs, json.loads(json.dumps(settings)), path)


def _settings(run: RunFolder) -> bytes:
    text = json.dumps({"settings": run.settings, "about": run.about}, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _replace(path: Path, content: bytes) -> None:
    new = path.with_name(f".{path.name}.new")
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def read_run(path: str | Path) -> RunFolder:
    """A run that is on disk, to look at.

    Raises:
        SourceError: It is not there, or damaged.
    """
    folder = Path(path)
    found = _parsed(folder / SETTINGS)
    records, lost = _read(folder / RECORDS)
    return RunFolder(folder, found["settings"], found["about"], records, lost)


def rewrite(
    path: str | Path, change: Callable[[Record], Record], *, scorers: Sequence[str], questions: str | None = None
) -> RunFolder:
    """Change every record of a run, all at once or not at all.

    Args:
        path: The run's folder.
        change: From a record to what replaces it.
        scorers: By which they are judged from now on.
        questions: The digest of the tasks that they are of from now on; unchanged where None.

    Raises:
        SourceError: It is not there, or damaged.
        BoxkitError: Another process writes in it.
    """
    folder = read_run(path).path
    assert folder is not None
    with (folder / RECORDS).open("ab") as file:
        _claim(file, folder)
        run = read_run(folder)  # as it is now that no one else writes
        run.records = [change(record) for record in run.records]
        lines = [{"lost": asdict(each)} for each in run.lost] + [{"record": each.to_json()} for each in run.records]
        _replace(folder / RECORDS, b"".join(map(_line, lines)))
        run.about = {**run.about, "scorers": list(scorers)}
        run.settings = run.settings if questions is None else {**run.settings, "questions": questions}
        _replace(folder / SETTINGS, _settings(run))
    return run
