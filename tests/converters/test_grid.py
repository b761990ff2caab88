"""Headers of grids, whatever file they come from."""

from __future__ import annotations

from pathlib import Path

import boxkit


def test_a_name_of_many_columns_is_one_note(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(",".join(["x"] * 50) + "\n" + ",".join(map(str, range(50))) + "\n")
    boxes = boxkit.load(tmp_path / "wide.csv")
    (note,) = boxes.notes
    assert boxes["wide"].labels[:2] == ("x", "x_2") and "50 columns are called 'x'" in note.message
