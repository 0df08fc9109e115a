"""Runs two servers behind nginx for journeys in a browser, until its input ends; a line of it is a command.

    kill             the writer is killed, and the other server takes over
    kill follower    the other server is killed
    end              both servers end, as a service manager ends them
    start            every server that does not run is started again

It prints the data folder and `ready` once everything answers, and `done` after each command. With `--wait` it first
prints `people`, the URL of their database, and the data folder. It starts the servers after the next line: others add
people meanwhile.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from several_servers.running import Hosted, hosted

_PERSON = "ada"
_PASSWORD = "correct horse battery"


def main() -> None:
    """Run until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True, help="of the proxy")
    parser.add_argument("--wait", action="store_true", help="let whoever starts it add the people")
    options = parser.parse_args()
    if options.wait:
        running = hosted({}, proxy_port=options.port, add_people=_let_add)
    else:  # the proxy signs everybody in
        people = {_PERSON: "administrator"}
        running = hosted(people, _PASSWORD, proxy_port=options.port, user_header="X-Remote-User")
    with running as servers:
        print("data", servers.folder / "data", flush=True)
        print("ready", flush=True)
        for line in sys.stdin:
            _carry_out(line.strip(), servers)
            print("done", flush=True)


def _let_add(metadata: str, data: Path) -> None:
    print("people", metadata, data, flush=True)
    sys.stdin.readline()


def _carry_out(command: str, servers: Hosted) -> None:
    match command:
        case "kill":
            killed, other = servers.writer, servers.follower
            killed.end(signal.SIGKILL)
            servers.wait_for_writer(other)
        case "kill follower":
            servers.follower.end(signal.SIGKILL)
        case "end":
            for server in servers.servers:
                server.end()
        case "start":
            for server in servers.servers:
                if not server.is_running:
                    server.start()


if __name__ == "__main__":
    main()
