"""Starts `piql serve` for the journeys without importing it each time: each server is a fork of one process.

    python tools/warm_servers.py SOCKET                    imports the workbench, then forks a server for each that asks
    python tools/warm_servers.py SOCKET serve --port …     asks for a server, and stands for it: its output is that of
                                                           the server, it ends when the server ends

Signals that reach what stands for a server reach the server; SIGUSR1 kills it as SIGKILL would. A server whose stand-in
is gone is killed. The servers end with the process that forked them, and this one with whoever started it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from functools import partial

_MOST_BYTES = 1_000_000  # of what a stand-in asks for: arguments, folder and environment
_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def fork_servers(path: str) -> int:
    """Answer stand-ins until this process is killed; in each fork, serve and return the exit code."""
    import ctypes
    import gc

    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a fork has none of the threads of this process
    import piql_backend.server  # noqa: F401
    from piql.commands.cli import main

    end_with_parent = partial(ctypes.CDLL(None).prctl, _PR_SET_PDEATHSIG, signal.SIGKILL)
    end_with_parent()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a fork
    servers: dict[int, tuple[socket.socket, int]] = {}  # by the descriptor of its stand-in: this and the process
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(path)
        listening.listen()
        print("ready", flush=True)
        poll = select.poll()
        poll.register(listening, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor != listening.fileno():
                    poll.unregister(descriptor)
                    _kill(*servers.pop(descriptor))
                    continue
                asking = listening.accept()[0]
                request, output, _, _ = socket.recv_fds(asking, _MOST_BYTES, 2)
                process = os.fork()
                if process == 0:
                    end_with_parent()  # a fork does not inherit it
                    try:
                        return main(_become(json.loads(request), output, asking))
                    finally:
                        gc.unfreeze()  # or libraries report what they never gave back
                for copy in output:
                    os.close(copy)
                servers[asking.fileno()] = (asking, os.pidfd_open(process))
                asking.send(str(process).encode())
                poll.register(asking, 0)  # to be told when it is closed


def _kill(stand_in: socket.socket, process: int) -> None:
    """Kill a server whose stand-in is gone; it may have ended long ago."""
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(process, signal.SIGKILL)
    stand_in.close()
    os.close(process)


def _become(request: dict[str, object], output: list[int], asking: socket.socket) -> list[str]:
    """Take over folder, environment and output of a stand-in, wait until it watches, and return its arguments."""
    arguments, folder, environment = request["arguments"], request["folder"], request["environment"]
    assert isinstance(arguments, list)
    assert isinstance(folder, str)
    assert isinstance(environment, dict)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor, stream in ((1, "stdout"), (2, "stderr")):  # what was opened on something else would seek in it
        os.dup2(output[descriptor - 1], descriptor)
        setattr(sys, stream, os.fdopen(descriptor, "w", buffering=1, closefd=False))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["piql", *arguments]
    asking.recv(1)
    asking.close()
    return arguments


def stand_for(path: str, arguments: list[str]) -> int:
    """Ask for a server, hand on signals to it, and return when it has ended."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        asking.connect(path)
        request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
        socket.send_fds(asking, [json.dumps(request).encode()], [1, 2])
        server = os.pidfd_open(int(asking.recv(20)))
        for received, handed_on in ((signal.SIGTERM, signal.SIGTERM), (signal.SIGUSR1, signal.SIGKILL)):
            signal.signal(received, lambda *_, to=handed_on: signal.pidfd_send_signal(server, to))
        asking.send(b"1")
        poll = select.poll()
        poll.register(server, select.POLLIN)
        poll.poll()
    return 0


if __name__ == "__main__":
    sys.exit(stand_for(sys.argv[1], sys.argv[2:]) if sys.argv[2:] else fork_servers(sys.argv[1]))
