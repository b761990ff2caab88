"""A database server as boxkit asks it: in read-only transactions, its errors told in boxkit's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnreadableSource

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["Server", "family_of", "first_line"]

#: What to do by what a server says.
_HINTS = (
    (r"password|access denied|authentication|role .* does not exist", "check the user and the password in the URL"),
    (r"unknown database|database .* does not exist", "check the name of the database, the last part of the URL"),
)
_ELSE = "check the host, the port and that the server runs"


@dataclass(frozen=True, slots=True)
class Server:
    """A database server, as one user sees it."""

    engine: Engine

    @property
    def label(self) -> str:
        """Its address, without the password."""
        return str(self.engine.url.render_as_string(hide_password=True))

    @property
    def family(self) -> str:
        """Whose rules it goes by; see `family_of`."""
        return family_of(self.engine.dialect.name)

    @contextmanager
    def translated(self) -> Iterator[None]:
        """SQLAlchemy's errors become boxkit's inside the ``with``."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except SQLAlchemyError as error:
            text = first_line(error)
            hint = next((hint for words, hint in _HINTS if re.search(words, text, re.IGNORECASE)), _ELSE)
            raise UnreadableSource(
                f"the database does not answer as asked: {text}", where=self.label, hint=hint
            ) from error

    @contextmanager
    def connect(self) -> Iterator[Any]:
        """A connection in one read-only transaction."""
        with self.translated(), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection = connection.execution_options(postgresql_readonly=True)
            elif self.family == "mysql":
                connection.exec_driver_sql("START TRANSACTION READ ONLY")
            try:
                yield connection
            finally:
                connection.rollback()


def family_of(dialect: str) -> str:
    """SQLAlchemy's name of a dialect, or ``mysql`` for MariaDB's, which goes by its rules."""
    return "mysql" if dialect == "mariadb" else dialect


def first_line(error: Exception) -> str:
    """What a driver said, without SQLAlchemy's words around it."""
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]
