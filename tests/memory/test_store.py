"""A memory on disk survives kills, damage, readers beside a writer, and other embeddings."""

from __future__ import annotations

import datetime
import decimal
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from boxkit.errors import MemoryStoreError
from boxkit.memory import Demonstration, Memory
from boxkit.memory.embedding import LexicalEmbedding


def demonstrations(count: int, start: int = 0) -> list[Demonstration]:
    return [
        Demonstration(
            f"d{at}", f"How many lamps has shop number {at}?", "lamp = …", "é", f"answer = {at}", ((at,),), "shop"
        )
        for at in range(start, start + count)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Memory(demonstrations(30), "lexical").save(tmp_path / "memory")
    return tmp_path / "memory"


def file(folder: Path, part: str) -> Path:
    return next(folder.glob(f"{part}*"))


def answers(memory: Memory) -> list[tuple[str, float]]:
    return [
        (each.demonstration.id, each.similarity) for each in memory.select("How many doors has shop number 7?", k=5)
    ]


def test_what_was_saved_is_what_is_opened(folder: Path) -> None:
    memory = Memory.open(folder)
    assert list(memory) == demonstrations(30)
    assert memory.repairs == ()
    assert answers(memory) == answers(Memory(demonstrations(30), "lexical"))


def test_a_memory_grows_over_saves_and_leaves_no_old_files(folder: Path) -> None:
    for start in (30, 40, 50):
        memory = Memory.open(folder)
        memory.add(demonstrations(10, start))
        memory.remove(f"d{start - 1}")
        memory.save()
    assert len(Memory.open(folder)) == 57
    assert len(list(folder.glob("demonstrations-*"))) <= 2


def test_an_empty_folder_is_an_empty_memory_that_can_be_saved(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "new", "lexical")
    assert len(memory) == 0 and memory.select("What?") == []
    memory.save()
    assert len(Memory.open(tmp_path / "new")) == 0


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(MemoryStoreError, match=r"notes\.txt"):
        Memory.open(tmp_path)


@pytest.mark.parametrize("part", ["catalog", "question", "manifest"])
@pytest.mark.parametrize("damage", ["gone", "cut", "flipped", "emptied"])
def test_what_can_be_made_again_from_the_lines_is_and_that_is_said(folder: Path, part: str, damage: str) -> None:
    whole = answers(Memory.open(folder))
    _damage(file(folder, part), damage)
    memory = Memory.open(folder, "lexical" if part == "manifest" else None)
    assert list(memory) == demonstrations(30)
    assert answers(memory) == whole
    assert len(memory.repairs) == 1 and "made again" in memory.repairs[0]
    memory.save()
    assert Memory.open(folder).repairs == ()


@pytest.mark.parametrize("damage", ["gone", "cut", "flipped", "emptied"])
def test_damaged_lines_are_refused_by_name(folder: Path, damage: str) -> None:
    path = file(folder, "demonstrations")
    _damage(path, damage)
    with pytest.raises(MemoryStoreError, match=path.name):
        Memory.open(folder)


def test_repair_keeps_every_line_that_is_whole(folder: Path) -> None:
    path = file(folder, "demonstrations")
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*lines[:7], lines[7][:40], *lines[8:]]))
    with pytest.raises(MemoryStoreError, match="line 8"):
        Memory.open(folder)
    memory = Memory.open(folder, repair=True)
    assert [each.id for each in memory] == [f"d{at}" for at in range(30) if at != 7]
    assert any("line 8" in repair for repair in memory.repairs)
    assert len(memory.select("How many doors has shop number 8?", k=99)) == 29


def test_lines_edited_by_hand_are_taken_up(folder: Path) -> None:
    path = file(folder, "demonstrations")
    path.write_text(path.read_text("utf-8").replace("shop number 3?", "very large lighthouse?"), "utf-8")
    memory = Memory.open(folder)
    assert memory.select("How many lamps has the lighthouse?", k=1)[0].demonstration.id == "d3"


def _damage(path: Path, damage: str) -> None:
    content = path.read_bytes()
    middle = len(content) // 2
    if damage == "gone":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[:middle])
    elif damage == "flipped":
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :])
    else:
        path.write_bytes(b"")


class Reversed(LexicalEmbedding):
    name = "reversed"

    def documents(self, texts):
        return super().documents([text[::-1] for text in texts])


def test_another_embedding_is_refused_unless_vectors_are_made_anew(folder: Path) -> None:
    with pytest.raises(MemoryStoreError, match="'lexical-1', not 'reversed'"):
        Memory.open(folder, Reversed())
    memory = Memory.open(folder, Reversed(), reembed=True)
    memory.save()
    assert len(answers(Memory.open(folder, Reversed()))) == 5
    with pytest.raises(MemoryStoreError, match="'reversed', not 'lexical-1'"):
        Memory.open(folder, "lexical")


def test_an_embedding_that_is_not_here_is_named_with_the_way_out(folder: Path) -> None:
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace("lexical-1", "lexical-99"))
    with pytest.raises(MemoryStoreError, match=r"(?s)lexical-99.*reembed=True"):
        Memory.open(folder)


def test_a_later_format_is_neither_read_nor_overwritten(folder: Path) -> None:
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(MemoryStoreError, match="upgrade"):
        Memory.open(folder)
    with pytest.raises(MemoryStoreError, match="upgrade"):
        Memory(demonstrations(1), "lexical").save(folder)


def test_the_second_of_two_writers_is_told_and_loses_nothing(folder: Path) -> None:
    first, second = Memory.open(folder), Memory.open(folder)
    first.add(demonstrations(1, 100))
    first.save()
    second.add(demonstrations(1, 200))
    with pytest.raises(MemoryStoreError, match="someone else"):
        second.save()
    fresh = Memory.open(folder).merge(second)
    assert {"d100", "d200"} <= {each.id for each in fresh}


def test_saving_does_not_overwrite_another_memory(folder: Path) -> None:
    with pytest.raises(MemoryStoreError, match="another memory"):
        Memory(demonstrations(1), "lexical").save(folder)
    assert len(Memory.open(folder)) == 30


WRITER = """
    import sys
    from boxkit.memory import Demonstration, Memory
    memory = Memory.open(sys.argv[1])
    print("ready", flush=True)
    for at in range(1000, 100000):
        memory.add(Demonstration(f"d{at}", f"Which shop is number {at}?", "", "", "answer = 1", (), "shop"))
        memory.save()
        print(at, flush=True)
"""


def writer(folder: Path) -> subprocess.Popen[str]:
    code = textwrap.dedent(WRITER)
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_a_kill_in_the_middle_of_saving_loses_nothing_that_was_saved(folder: Path) -> None:
    for trial in range(6):
        process = writer(folder)
        time.sleep(0.03 + 0.013 * trial)
        process.kill()
        printed = process.communicate()[0].split()
        memory = Memory.open(folder)
        assert {each.id for each in memory} >= {each.id for each in demonstrations(30)}
        assert all(f"d{at}" in memory for at in printed)
        assert memory.repairs == ()
        assert len(memory.select("Which shop is number 5?", k=99)) == min(99, len(memory))


READER = """
    import sys, time
    from boxkit.memory import Memory
    end, opened, sizes = time.monotonic() + 40, 0, set()
    while (opened < 8 or len(sizes) < 3) and time.monotonic() < end:
        memory = Memory.open(sys.argv[1])
        assert memory.repairs == (), memory.repairs
        found = memory.select("Which shop is number 7?", k=50)
        assert len(found) == min(50, len(memory))
        sizes.add(len(list(memory)))
        opened += 1
    print(opened, len(sizes))
"""


def test_two_readers_see_whole_memories_while_one_writes(folder: Path) -> None:
    process = writer(folder)
    try:
        command = [sys.executable, "-W", "error", "-c", textwrap.dedent(READER), str(folder)]
        readers = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
        ]
        outputs = [reader.communicate(timeout=90) for reader in readers]
    finally:
        process.kill()
        process.communicate()
    for output, errors in outputs:
        opened, sizes = map(int, output.split() or [0, 0])
        assert opened >= 8 and sizes >= 3, errors


def test_a_memory_open_before_a_save_still_reads_its_lines(folder: Path) -> None:
    old = Memory.open(folder)
    for start in (30, 40, 50):
        new = Memory.open(folder)
        new.add(demonstrations(10, start))
        new.save()
    assert list(old) == demonstrations(30)


def test_the_manifest_says_what_belongs_together(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["embedding"], manifest["dimension"], manifest["count"]) == ("lexical-1", 512, 30)
    assert set(manifest["files"]) == {"demonstrations", "catalog", "question"}
    assert all(len(record["sha256"]) == 64 for record in manifest["files"].values())


def test_nothing_on_disk_is_a_pickle(folder: Path) -> None:
    assert {path.suffix for path in folder.iterdir()} <= {".jsonl", ".json", ".faiss", ""}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_can_search(folder: Path) -> None:
    memory = Memory.open(folder)
    expected = answers(memory)
    code = textwrap.dedent("""
        import os, sys, warnings
        from boxkit.memory import Memory
        memory = Memory.open(sys.argv[1])
        find = lambda: [each.demonstration.id for each in memory.select("How many doors has shop number 7?", k=5)]
        before = find()
        child = os.fork()
        if not child:
            os._exit(0 if find() == before else 3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), *before)
    """)
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["0", *(identifier for identifier, _ in expected)], done.stderr


def test_interrupting_a_save_leaves_no_unfinished_file_behind(folder: Path) -> None:
    process = writer(folder)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert not list(folder.glob("*.unfinished"))


def test_opening_reads_no_line_and_selecting_only_what_it_shows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = Demonstration.from_line
    monkeypatch.setattr(Demonstration, "from_line", lambda line: (read.append(line), original(line))[1])
    memory = Memory.open(folder)
    assert len(memory) == 30 and "d7" in memory and len(memory.only(dataset="shop")) == 30
    assert read == []
    memory.select("How many doors has shop number 7?", k=3)
    assert len(read) == 3


def test_threads_may_add_select_and_save_at_once(folder: Path) -> None:
    memory = Memory.open(folder)

    def work(number: int) -> int:
        memory.add(demonstrations(5, 100 + 5 * number))
        if number % 5 == 0:
            memory.save()
        return len({each.demonstration.id for each in memory.select("How many doors has shop 3?", k=20)})

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(20))) == {20}
    memory.save()
    assert len(Memory.open(folder)) == 130
    assert {each.id for each in Memory.open(folder)} == {each.id for each in memory}


def test_any_text_and_value_survives_the_disk(tmp_path: Path) -> None:
    odd = [
        "\udc80 half a character",
        "a\u2028b\x85c\rd\x0b",
        "\U0001f600 \x00 nul",
        '"quoted" \\ {braces}',
        "Ünï 数 عربى",
    ]
    about = {"when": datetime.date(2024, 2, 29), "price": decimal.Decimal("1.10"), "tags": ("a", "b"), "raw": b"\xff"}
    kept = [
        Demonstration(
            f"id {text.splitlines()[0]}", text, text, text, text, ((text, 2**70, 1e300, None),), "ü", provenance=about
        )
        for text in odd
    ]
    Memory(kept, "lexical").save(tmp_path / "m")
    memory = Memory.open(tmp_path / "m")
    assert list(memory) == kept and memory.repairs == ()
    assert memory.add(kept) == 0
    assert len(memory.select("\udc80 what?", k=9)) == 5
    file(tmp_path / "m", "catalog").unlink()
    assert list(Memory.open(tmp_path / "m")) == kept


def test_a_file_opened_as_a_memory_is_told_how_to_read_it(tmp_path: Path) -> None:
    (tmp_path / "lamps.jsonl").write_text("{}\n")
    with pytest.raises(MemoryStoreError, match="from_lines"):
        Memory.open(tmp_path / "lamps.jsonl")
