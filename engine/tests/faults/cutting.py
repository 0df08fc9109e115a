"""Cuts the connections of this process to a cluster, whichever driver opened them: by the numbers of its open files."""

from __future__ import annotations

import os
import random
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress

PORT = 9042


def cut_one(chance: random.Random) -> bool:
    """Shut one connection in both directions, as a network does that forgets it; say whether there was one."""
    handles = list(_connections())
    try:
        if not handles:
            return False
        with suppress(OSError):  # it was closed meanwhile
            chance.choice(handles).shutdown(socket.SHUT_RDWR)
            return True
        return False
    finally:
        for handle in handles:
            handle.close()


def _connections() -> Iterator[socket.socket]:
    """Return a handle of its own for each connection to a node."""
    for number in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            handle = socket.socket(fileno=os.dup(number))
            if handle.family == socket.AF_INET and handle.type == socket.SOCK_STREAM and _port(handle) == PORT:
                yield handle
            else:
                handle.close()


def _port(handle: socket.socket) -> int | None:
    """Return the port at the other end; None where there is none."""
    with suppress(OSError):
        port: int = handle.getpeername()[1]
        return port
    return None
