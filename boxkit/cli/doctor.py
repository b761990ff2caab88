"""``boxkit doctor``: what this machine has, what is missing, and how to get it."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

import click

from boxkit.cli.exits import Exit, end, reported

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["doctor"]

PACKAGES = ("pandas", "numpy", "pyarrow", "networkx", "rdflib", "faiss-cpu", "openai")

#: A distribution for each extra, by whose presence the extra is recognised.
EXTRAS = {
    "embeddings": "sentence-transformers",
    "local": "xllamacpp",
    "excel": "python-calamine",
    "sql": "sqlalchemy",
    "servers": "psycopg",
    "eval": "matplotlib",
    "analytics": "scipy",
}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON.")
def doctor(as_json: bool) -> None:
    """Check this installation: versions, extras, isolation of generated code, time of a run, memory, models."""
    from boxkit.cli.terminal import print_json, show, waiting

    with reported():
        with waiting("looking around"):
            report = {
                "versions": versions(),
                "extras": extras(),
                "sandbox": sandbox(),
                "memory": memory(),
                "models": models(),
            }
        if as_json:
            print_json(report)
        else:
            for title, findings in report.items():
                show(_section(title, findings))
                show("")
        end(Exit.ANSWERED if "error" not in report["sandbox"] else Exit.SANDBOX)


def versions() -> dict[str, str]:
    """boxkit, Python, the system, and the packages that answers depend on."""
    import platform

    from boxkit import __version__

    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    found = {name: metadata.version(name) for name in PACKAGES if _installed(name)}
    return {"boxkit": __version__, "python": platform.python_version(), "system": system, **found}


def _installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def extras() -> dict[str, str]:
    """Each extra: installed, or the command that installs it."""
    return {
        extra: f"{name} {metadata.version(name)}" if _installed(name) else f'missing: pip install "boxkit[{extra}]"'
        for extra, name in EXTRAS.items()
    }


def sandbox() -> dict[str, str]:
    """How generated code is confined here and why not better; what a first and a next run take."""
    from boxkit.errors import ExecutorError
    from boxkit.executor import examine

    try:
        seen = examine()
    except ExecutorError as error:
        return {"isolation": "none", "error": str(error)}
    found: dict[str, str] = {"isolation": seen.level, "layers": ", ".join(seen.layers) or "none"}
    if seen.reasons:
        found["because"] = "; ".join(seen.reasons)
    if seen.level == "weak":
        found["meaning"] = (
            "code runs only with --allow-weak (Limits(allow_weak=True)): it is killed at its limits, no more"
        )
    found["first run"] = f"{seen.first_s * 1000:.0f} ms"
    found["next run"] = f"{seen.next_s * 1000:.0f} ms"
    if seen.problem:
        found["error"] = seen.problem
    return found


def memory() -> dict[str, str]:
    """The demonstrations that come with boxkit, and how they are compared with a question."""
    from boxkit.errors import BoxkitError
    from boxkit.memory import Memory

    try:
        starter = Memory.starter()
    except BoxkitError as error:
        return {"error": str(error)}
    return {"demonstrations": str(len(starter)), "embedding": starter.embedding.name}


def models() -> dict[str, str]:
    """What `boxkit ask` would answer with, and what else there is."""
    from boxkit.cli.models import listing

    found: dict[str, str] = {}
    for place in listing():
        state = f"{', '.join(place['models'][:3])} ({place['why']})" if place["usable"] else f"no: {place['why']}"
        found[place["kind"]] = f"{found[place['kind']]}; {state}" if place["kind"] in found else state
    return found


def _section(title: str, findings: dict[str, str]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from boxkit.cli.terminal import text

    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    drawn.add_column(title, min_width=14)
    drawn.add_column("", overflow="fold")
    for name, value in findings.items():
        style = "yellow" if value.startswith("missing") else "red" if name == "error" else ""
        drawn.add_row(text(name), text(value, style))
    return drawn
