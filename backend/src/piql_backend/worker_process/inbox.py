"""What the server sends to a worker: jobs, and word that nobody waits for the one under way."""

from __future__ import annotations

import select
from multiprocessing.connection import Connection

from piql_backend.workers.protocol import GiveUp, Job


class Inbox:
    """The messages of a connection to the server, which sends a job when the one before is answered."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._poll = select.poll()  # quicker than `Connection.poll`; a job asks a hundred times
        self._poll.register(connection.fileno(), select.POLLIN)
        self._received = 0  # jobs
        self._is_given_up = False

    def next_job(self) -> Job:
        """Wait for the next job; EOFError once the server has closed the connection."""
        while True:
            message = self._connection.recv()
            if isinstance(message, Job):
                self._received += 1
                self._is_given_up = False
                return message

    def is_wanted(self) -> bool:
        """Whether somebody waits for the answer to the last job."""
        while not self._is_given_up and self._poll.poll(0):
            message = self._connection.recv()
            self._is_given_up = isinstance(message, GiveUp) and message.number == self._received
        return not self._is_given_up
