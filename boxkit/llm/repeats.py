"""Replies that a broken proxy sends twice: the second one waits in the connection, for whoever asks next."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

__all__ = ["Repeats"]

#: Ids as short as this are numbered or drawn from a few, and come again by chance.
_SHORT = 20
#: So many replies are remembered; a second one comes soon after the first.
_REMEMBERED = 4096


class Repeats:
    """Which replies have come to which request, by their ids.

    HTTP has nothing that ties a reply to its request but their order: a reply that was sent twice would be the next
    question's answer, and its own the one's after that.

    Attributes:
        found: Whether there was one: a connection to this server is for one request from then on.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[bytes, bytes]] = OrderedDict()
        self._tells_apart = True
        self.found = False

    def is_one(self, reply_id: str, body: bytes, request: Mapping[str, Any]) -> bool:
        """Whether this very reply has come to another request before.

        A server that gives all its replies one id tells nothing by it. The same request may get the same reply again,
        from a gateway's cache say.
        """
        if len(reply_id) < _SHORT or not self._tells_apart:
            return False
        asked = hashlib.sha256(json.dumps(request, sort_keys=True, default=str).encode()).digest()
        found = (hashlib.sha256(body).digest(), asked)
        first = self._seen.setdefault(reply_id, found)
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        if first[0] != found[0]:
            self._tells_apart = False
        is_one = self._tells_apart and first[1] != asked
        self.found = self.found or is_one
        return is_one
