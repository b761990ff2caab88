"""``boxkit models``: which language models there are here, why not others, and fetching one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from boxkit.cli.exits import reported

if TYPE_CHECKING:
    from boxkit.llm.models import Found

__all__ = ["listing", "models"]

#: Models of one server that are listed by name.
LISTED = 8


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON.")
@click.pass_context
def models(context: click.Context, as_json: bool) -> None:
    """List the language models that can be asked from here, why others cannot, and which one `boxkit ask` takes."""
    if context.invoked_subcommand is None:
        with reported():
            _list(as_json)


@models.command()
@click.argument("name")
@click.option("--revision", metavar="COMMIT", help="The branch, tag or commit to fetch; without it, the main branch.")
@click.option("--sha256", metavar="HEX", help="What the file's checksum must be; without it, what the hub publishes.")
def pull(name: str, revision: str | None, sha256: str | None) -> None:
    """Fetch the model NAME, to be run on this machine: a short name, or OWNER/REPO/FILE.gguf of the Hugging Face hub.

    A download that broke off goes on where it stopped. The file is checked against its checksum.
    """
    import sys

    from boxkit.cli.terminal import show, text
    from boxkit.llm.pull import pull as fetch

    with reported():
        try:
            model = fetch(name, revision=revision, sha256=sha256, progress=sys.stderr.isatty())
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        show(text(f"{model.name}: {model.path} (revision {model.revision}, SHA-256 {model.sha256})"))


def _list(as_json: bool) -> None:
    from boxkit.cli.tables import table
    from boxkit.cli.terminal import print_json, say, show, text, waiting
    from boxkit.llm.pull import KNOWN_MODELS

    with waiting("looking for models"):
        places = listing()
    fetchable = [(each.name, each.size_mb, each.licence) for each in KNOWN_MODELS]
    if as_json:
        known = [dict(zip(("name", "size_mb", "licence"), each, strict=True)) for each in fetchable]
        print_json({"places": places, "fetchable": known})
        return
    rows = [("yes" if each["usable"] else "no", each["kind"], _names(each["models"]), each["why"]) for each in places]
    show(table(("usable", "where", "models", "why"), rows))
    taken = next(each for each in places if each["usable"])
    say(text(f"\n`boxkit ask` takes {(taken['models'] or [taken['kind']])[0]}: {taken['why']}", lines=True))
    say(text("`boxkit models pull NAME` fetches one of:"))
    say(table(("name", "MB", "licence"), fetchable))


def listing() -> list[dict[str, Any]]:
    """Every place where a model could be, in the order in which `boxkit ask` takes them, as JSON values."""
    from boxkit.llm.models import available

    return [_place(found) for found in available()]


def _place(found: Found) -> dict[str, Any]:
    return {"kind": found.kind, "usable": found.usable, "why": found.why, "models": list(found.models)}


def _names(names: list[str]) -> str:
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")
