"""SQL over any BoxSet: a database's own engine, or DuckDB over the frames; read-only and limited."""

from __future__ import annotations

from boxkit.sql.engine import Fetched, SqlEngine, SqlLimits, engine_for
from boxkit.sql.schema import schema_text

__all__ = ["Fetched", "SqlEngine", "SqlLimits", "engine_for", "schema_text"]
