"""Encodings that no mark tells: other scripts, and texts with a zero byte in them."""

from __future__ import annotations

from pathlib import Path

import pytest

import boxkit


@pytest.mark.parametrize(
    ("encoding", "header", "words"),
    [
        ("cp1251", "город,число", ["Москва", "Санкт-Петербург", "Новосибирск"]),
        ("koi8_r", "город,число", ["Москва", "Санкт-Петербург", "Новосибирск"]),
        ("cp1253", "πόλη,αριθμός", ["Αθήνα", "Θεσσαλονίκη", "Πάτρα"]),
        ("shift_jis", "名前,値", ["東京", "大阪", "京都府の長い名前です"]),
        ("gb18030", "城市,数", ["北京市", "上海市", "广州市天河区"]),
        ("cp1252", "ville,nombre", ["Besançon", "Épernay", "Œuilly – été"]),
    ],
)
def test_scripts_are_read_in_their_own_letters(tmp_path: Path, encoding: str, header: str, words: list[str]) -> None:
    text = "\n".join([header, *(f"{word},{at}" for at, word in enumerate(words))])
    (tmp_path / "cities.csv").write_bytes(text.encode(encoding))
    boxes = boxkit.load(tmp_path / "cities.csv")
    assert boxes["cities"].labels == tuple(header.split(",")) and boxes["cities"].frame.iloc[:, 0].tolist() == words
    assert any("it is not UTF-8" in note.message for note in boxes.notes)


def test_a_text_with_a_zero_byte_in_it_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(b"n,word\n1,one\x00\n2,two\n3,three\n")
    assert boxkit.load(tmp_path / "log.csv")["log"].frame["word"].tolist() == ["one\0", "two", "three"]
