"""Scorers that agree with the official ones case by case."""

from __future__ import annotations

from boxkit.evaluation.scorers.score import SCORERS, Score, score, scorer

__all__ = ["SCORERS", "Score", "score", "scorer"]
