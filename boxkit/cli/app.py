"""The commands, together."""

from __future__ import annotations

import sys

import click

from boxkit import __version__
from boxkit.cli.ablate import ablate, label, report
from boxkit.cli.ask import ask
from boxkit.cli.chat import chat
from boxkit.cli.demo import demo
from boxkit.cli.doctor import doctor
from boxkit.cli.evaluate import evaluate
from boxkit.cli.learn import learn
from boxkit.cli.memory import memory
from boxkit.cli.models import models
from boxkit.cli.run import run
from boxkit.cli.show import show

__all__ = ["app"]


#: Digits of a whole number that are written; more would take seconds.
MAX_DIGITS = 200_000


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, package_name="boxkit")
def app() -> None:
    """Ask one question, in plain language, of spreadsheets, databases and knowledge graphs.

    \b
    Exit codes: 0 answered, 1 no answer, 2 wrong usage, 3 a source could not be read,
    4 a model could not be asked, 5 the sandbox broke, 6 another error, 130 interrupted.
    """
    sys.set_int_max_str_digits(MAX_DIGITS)


for _command in (ask, show, run, chat, demo, learn, memory, evaluate, ablate, report, label, doctor, models):
    app.add_command(_command)
