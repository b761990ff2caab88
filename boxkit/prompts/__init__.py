"""The templates, and the code that renders them."""

from __future__ import annotations

from boxkit.prompts.layout import LAYOUTS, PromptLayout, layout_for
from boxkit.prompts.render import prompt_version, render
from boxkit.prompts.reply import Reply, parse_reply

__all__ = ["LAYOUTS", "PromptLayout", "Reply", "layout_for", "parse_reply", "prompt_version", "render"]
