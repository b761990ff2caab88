"""Files that are parts of one table: one row each, or a file a month. Equal values there mean no key."""

from __future__ import annotations

import zipfile
from pathlib import Path

import boxkit


def keys(folder: Path, files: dict[str, str]) -> set[str]:
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.csv", text)
    return {str(key) for key in boxkit.load(folder / "all.zip").foreign_keys}


def test_parts_of_one_table_do_not_refer_to_each_other(tmp_path: Path) -> None:
    months = ("jan", "feb", "mar")
    assert not keys(tmp_path, dict.fromkeys(months, "customer_id,amount\n1,5\n"))
    assert not keys(tmp_path, dict.fromkeys(months, "invoice_no,customer_id\nA-17,1\nA-18,2\n"))


def test_tables_of_the_same_fields_refer_where_a_name_says_so(tmp_path: Path) -> None:
    rows = "user_id,name\n1,x\n"
    assert keys(tmp_path, {"user": rows, "order": rows}) == {"order['user_id'] -> user['user_id']"}
