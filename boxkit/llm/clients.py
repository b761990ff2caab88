"""The openai package's clients: one a process for threads, one an event loop, none carried over a fork."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import weakref
from collections.abc import AsyncGenerator
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import openai

__all__ = ["Clients", "client_errors", "is_loopback"]


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own.

    >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("https://api.openai.com/v1")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@lru_cache(maxsize=1)
def client_errors() -> tuple[type[Exception], ...]:
    """What a request may raise: the openai package's errors, the system's, and those of the HTTP library under it.

    That library is httpx or its successor, as the installed version of openai has it.
    """
    import openai

    (client,) = (cls for cls in openai.DefaultHttpxClient.__mro__ if cls.__name__ == "Client")
    library = import_module(client.__module__.split(".")[0])
    return openai.OpenAIError, OSError, library.HTTPError, library.StreamError, library.InvalidURL


class Clients:
    """Clients made on first use, from the same options.

    A client for threads is shared by them. A client of an event loop is closed when the loop shuts its asynchronous
    generators down, as ``asyncio.run`` and notebooks do. After a fork the child makes its own: two processes that write
    to one TLS connection break it.
    """

    def __init__(self, base_url: str, api_key: str, headers: dict[str, str]) -> None:
        self._base_url = base_url
        self._options: dict[str, Any] = {
            "base_url": base_url,
            "api_key": api_key,
            "default_headers": headers,
            "max_retries": 0,
        }
        self._blocking: dict[int, openai.OpenAI] = {}
        self._of_loop: weakref.WeakKeyDictionary[
            asyncio.AbstractEventLoop, tuple[int, openai.AsyncOpenAI, AsyncGenerator[openai.AsyncOpenAI]]
        ] = weakref.WeakKeyDictionary()

    def blocking(self) -> openai.OpenAI:
        """The client for threads of this process."""
        pid = os.getpid()
        client = self._blocking.get(pid)
        if client is None:
            import openai

            # A machine's proxy is no way to the machine itself.
            http = openai.DefaultHttpxClient(trust_env=not is_loopback(self._base_url))
            made = openai.OpenAI(http_client=http, **self._options)
            # No lock: one held by another thread during a fork would stay locked in the child for ever.
            client = self._blocking.setdefault(pid, made)
            if client is not made:
                made.close()
            else:
                weakref.finalize(self, _close, pid, client)
        return client

    async def of_running_loop(self) -> openai.AsyncOpenAI:
        """The client of the running event loop."""
        loop = asyncio.get_running_loop()
        pid = os.getpid()
        held = self._of_loop.get(loop)
        if held is None or held[0] != pid or held[1].is_closed():
            keeper = _kept(self._base_url, self._options)
            held = (pid, await anext(keeper), keeper)
            self._of_loop[loop] = held
        return held[1]

    def close(self) -> None:
        """Close this process's client for threads; those of event loops close with their loops."""
        client = self._blocking.pop(os.getpid(), None)
        if client is not None:
            client.close()


def _close(pid: int, client: openai.OpenAI) -> None:
    if pid == os.getpid():
        with contextlib.suppress(OSError):
            client.close()


async def _kept(base_url: str, options: dict[str, Any]) -> AsyncGenerator[openai.AsyncOpenAI]:
    """A client that lives as long as the event loop: the loop ends this generator when it shuts down."""
    import openai

    http = openai.DefaultAsyncHttpxClient(trust_env=not is_loopback(base_url))
    client = openai.AsyncOpenAI(http_client=http, **options)
    try:
        yield client
    finally:
        await client.close()
