"""Learning: training questions become demonstrations, kept only where their code gives the gold answer."""

from __future__ import annotations

from boxkit.memory.learning.annotators import Annotation, Annotator, Ask, InTurn, Transpile
from boxkit.memory.learning.example import Example
from boxkit.memory.learning.learn import learn
from boxkit.memory.learning.report import Report

__all__ = ["Annotation", "Annotator", "Ask", "Example", "InTurn", "Report", "Transpile", "learn"]
