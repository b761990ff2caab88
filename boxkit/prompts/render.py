"""Templates to text. Data enter as values, never as template source."""

from __future__ import annotations

import functools
import hashlib
from importlib import resources
from typing import TYPE_CHECKING, Any

from boxkit.boxcode import literal

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

__all__ = ["pandas_words", "prompt_version", "render"]

PACKAGE = "boxkit.prompts"


@functools.cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import PackageLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        loader=PackageLoader("boxkit", "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are text; cells are escaped as Python literals where they enter
        keep_trailing_newline=False,
        auto_reload=False,  # the templates do not change while a process runs, and looking costs more than rendering
    )
    environment.filters["literal"] = literal
    return environment


def render(template: str, **values: Any) -> str:
    """The text of ``template`` (a file name without ``.j2``) with ``values``.

    Raises:
        jinja2.UndefinedError: A value that the template needs is missing.
    """
    text = _environment().get_template(f"{template}.j2").render(**values).strip() + "\n"
    return text.encode("utf-8", "replace").decode()  # half a surrogate pair, in a cell or a question, cannot be sent


def pandas_words(version: str | None = None) -> dict[str, Any]:
    """What the card on pandas' semantics needs to know.

    Args:
        version: The pandas that will run the code; None for the one installed here.
    """
    if version is None:
        import pandas as pd

        version = pd.__version__
    return {"pandas_version": version, "pandas_major": int(version.split(".")[0])}


@functools.cache
def prompt_version() -> str:
    """A short hash (12 hex digits) over all templates: part of cache keys and run records."""
    digest = hashlib.sha256()
    for file in sorted(resources.files(PACKAGE).iterdir(), key=lambda each: each.name):
        if file.name.endswith(".j2"):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
