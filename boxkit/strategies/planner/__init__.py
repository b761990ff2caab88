"""The Planner, which needs no model: question → links → draft → query → plan → pandas, or an abstention.

`words` and `tagging` cut the question into items with the help of `index` and `linking`; the rules of `parsing`
read them into a `draft`; `search` tries what its words may mean and scores the queries; `compile` makes the plan.
"""

from __future__ import annotations

from boxkit.strategies.planner.strategy import Planner

__all__ = ["Planner"]
