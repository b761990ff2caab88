"""The matplotlib figures that code left open, as PNG. Runs beside the code."""

from __future__ import annotations

import io
import sys

__all__ = ["take"]

_MAX_FIGURES = 16
_MAX_PIXELS = 16_000_000


def take() -> list[bytes]:
    """Draw every open figure and close it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    drawn = []
    for number in pyplot.get_fignums()[:_MAX_FIGURES]:
        figure = pyplot.figure(number)
        width, height = figure.get_size_inches() * figure.dpi
        if width * height <= _MAX_PIXELS:
            target = io.BytesIO()
            figure.savefig(target, format="png")
            drawn.append(target.getvalue())
    pyplot.close("all")
    return drawn
