"""``boxkit chat``: question after question over the same sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from boxkit.cli.exits import reported
from boxkit.cli.options import Asking, Confinement, Loading, asking, confinement, loading

if TYPE_CHECKING:
    from boxkit.answer import Answer
    from boxkit.box import BoxSet
    from boxkit.strategies.steps import Strategy

__all__ = ["chat"]

HELP = """Type a question. Each is answered on its own: nothing said before is remembered.
/code      the code of the last answer
/explain   how the last answer came about
/boxes     what there is to ask about
/history   the questions so far
/quit      end (so does Ctrl-D)"""


@click.command()
@loading
@asking
@confinement
def chat(loading: Loading, asking: Asking, confinement: Confinement) -> None:
    """Answer questions about one SOURCE or several until /quit.

    Each question is answered on its own. Ctrl-C gives up the question being answered; at the prompt it ends.
    """
    from boxkit.cli.prompt import heed_ctrl_c
    from boxkit.cli.strategies import strategy_for
    from boxkit.cli.terminal import say, text
    from boxkit.cli.worker import start_worker

    with reported():
        heed_ctrl_c()
        start_worker()
        strategy, who = strategy_for(asking, confinement.limits())
        boxes = loading.load()
        say(text(f"answering with {who}; boxes: {', '.join(boxes)}; /help lists the commands", "dim"))
        _Talk(strategy, who, loading, boxes).go_on()


@dataclass
class _Talk:
    strategy: Strategy
    who: str
    loading: Loading
    boxes: BoxSet
    answers: list[Answer] = field(default_factory=list)

    def go_on(self) -> None:
        from boxkit.cli.prompt import read_line

        while (line := read_line("boxkit> ")) is not None:
            if line in ("/quit", "/exit", "/q"):
                return
            if line.startswith("/"):
                self._command(line)
            elif line:
                self._ask(line)

    def _command(self, line: str) -> None:
        from boxkit.cli.answers import explain
        from boxkit.cli.show import print_boxes
        from boxkit.cli.terminal import complain, say, show, text

        if line == "/help":
            say(text(HELP, lines=True))
        elif line == "/boxes":
            print_boxes(self.boxes)
        elif line == "/history":
            for number, answer in enumerate(self.answers, start=1):
                say(text(f"{number}  {answer.question}{'' if answer.ok else '  (no answer)'}"))
        elif line not in ("/code", "/explain"):
            complain(f"there is no command {line!r}; /help lists them")
        elif not self.answers:
            complain("nothing has been asked yet")
        elif line == "/code":
            show(text(self.answers[-1].code or "there is none", lines=True))
        else:
            explain(self.answers[-1])

    def _ask(self, question: str) -> None:
        from boxkit.cli.answers import print_answer
        from boxkit.cli.interrupt import none_lost
        from boxkit.cli.terminal import complain, say, text, waiting
        from boxkit.errors import BoxkitError

        try:
            with none_lost():
                if self.boxes.is_stale:
                    say(text("the sources have changed: reading them again", "yellow"))
                    self.boxes = self.loading.load()
                with waiting(f"asking {self.who}"):
                    answer = self.strategy.ask(question, self.boxes)
        except BoxkitError as error:
            complain(str(error))
        except KeyboardInterrupt:
            complain("given up")
        else:
            self.answers.append(answer)
            print_answer(answer)
