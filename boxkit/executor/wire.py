"""Messages between boxkit and its workers: a length, JSON, and descriptors beside it. Nothing is ever un-pickled."""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any

__all__ = ["Hangup", "receive", "send"]

_LENGTH = struct.Struct("<I")
_MAX_DESCRIPTORS = 4


class Hangup(ConnectionError):
    """The other end is gone."""


def send(channel: socket.socket, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send ``message``, and copies of ``descriptors`` with it.

    Raises:
        Hangup: The other end is gone.
    """
    payload = json.dumps(message, separators=(",", ":")).encode()
    packet = _LENGTH.pack(len(payload)) + payload
    try:
        sent = socket.send_fds(channel, [packet], list(descriptors)) if descriptors else channel.send(packet)
        if sent < len(packet):
            channel.sendall(packet[sent:])
    except (BrokenPipeError, ConnectionResetError) as error:
        raise Hangup(str(error)) from None


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """The next message and the descriptors that came with it, which the caller must close.

    Raises:
        Hangup: The other end is gone.
        TimeoutError: Nothing came within the socket's timeout.
    """
    try:
        start, descriptors, _, _ = socket.recv_fds(channel, _LENGTH.size, _MAX_DESCRIPTORS)
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        start += _exactly(channel, _LENGTH.size - len(start)) if start else b""
        if not start:
            raise Hangup("the other end is gone")
        payload = _exactly(channel, _LENGTH.unpack(start)[0])
    except ConnectionResetError as error:
        raise Hangup(str(error)) from None
    message: dict[str, Any] = json.loads(payload)
    return message, list(descriptors)


def _exactly(channel: socket.socket, count: int) -> bytes:
    chunks = bytearray()
    while len(chunks) < count:
        chunk = channel.recv(min(1 << 20, count - len(chunks)))
        if not chunk:
            raise Hangup("the other end is gone")
        chunks += chunk
    return bytes(chunks)
