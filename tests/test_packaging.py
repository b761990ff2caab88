"""What is shipped is what is versioned: each file of the package once, and nothing through the links at the root."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


def versioned() -> set[str]:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in listed.split("\0") if name.startswith("boxkit/")}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The versioned files alone, with plain files in place of the links (as on a system without symlinks)."""
    files = versioned()
    folder = tmp_path_factory.mktemp("checkout")
    for name in [*files, "pyproject.toml", "README.md", "LICENSE"]:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    for link in ("converters", "memory", "prompts"):
        (folder / link).write_text(f"boxkit/{link}")
    return folder


@pytest.fixture(scope="module")
def built(checkout, tmp_path_factory):
    pytest.importorskip("build", reason="the package `build` is not installed")
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(checkout)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return out


def test_the_wheel_holds_what_git_holds(built):
    (wheel,) = built.glob("*.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if not name.partition("/")[0].endswith(".dist-info")]
    assert sorted(names) == sorted(versioned())


def test_the_sdist_holds_what_git_holds(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()]
    assert sorted(name for name in names if name.startswith("boxkit/")) == sorted(versioned())
    assert not [name for name in names if name.startswith(("converters/", "memory/", "prompts/"))]


@pytest.mark.parametrize("name", ["converters", "memory", "prompts"])
def test_the_links_at_the_root_lead_into_the_package(name):
    link = ROOT / name
    if not link.is_symlink():
        pytest.skip("this checkout has no symlinks")
    assert link.resolve() == ROOT / "boxkit" / name
