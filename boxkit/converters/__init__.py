"""Sources of every kind become BoxSets; one module a kind.

A converter is anything with a ``name``, ``accepts`` and ``convert``: here each is a module. Third parties add theirs
through the entry-point group ``boxkit.converters``.
"""

from __future__ import annotations

from boxkit.converters.registry import Converter, converter, converter_for, converter_names
from boxkit.converters.source import SourceFile

__all__ = ["Converter", "SourceFile", "converter", "converter_for", "converter_names"]
