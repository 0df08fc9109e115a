"""Runs two servers behind nginx for journeys in a browser, until its input ends; a line of it is a command.

    kill     the writer is killed, and the other server takes over
    start    every server that was killed is started again

It prints `ready` once everything answers, and `done` after each command.
"""

from __future__ import annotations

import argparse
import signal
import sys

from several_servers.running import hosted

_PERSON = "ada"


def main() -> None:
    """Run until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True, help="of the proxy")
    parser.add_argument("--password", default="correct horse battery", help="of ada, who administers everything")
    parser.add_argument("--by-proxy", action="store_true", help="the proxy signs everybody in as ada")
    options = parser.parse_args()
    header = "X-Remote-User" if options.by_proxy else None
    with hosted({_PERSON: "administrator"}, options.password, proxy_port=options.port, user_header=header) as running:
        print("ready", flush=True)
        for line in sys.stdin:
            if line.strip() == "kill":
                killed, other = running.writer, running.follower
                killed.end(signal.SIGKILL)
                running.wait_for_writer(other)
            elif line.strip() == "start":
                for server in running.servers:
                    if server.process is None or server.process.poll() is not None:
                        server.start()
            print("done", flush=True)


if __name__ == "__main__":
    main()
