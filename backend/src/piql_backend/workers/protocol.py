"""What passes between the server and a worker: a job, perhaps word that nobody waits for it, parts, and one answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from piql_backend.profile_runs.schemas import ProfileRunRead

READY = "ready"


@dataclass(frozen=True, slots=True)
class Job:
    """What to do, by its name in `worker_process/jobs.py`.

    A worker that takes more than `seconds` of processor time is ended.
    """

    name: str
    argument: Any
    seconds: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Nobody waits for the job that is under way, the one of this number: they are numbered from 1 as they are sent.

    It may arrive when that job is done.
    """

    number: int


@dataclass(frozen=True, slots=True)
class PredictionJob:
    """The argument of a prediction: a request or question, the run that it names, and the folder of that run."""

    request: Any
    run: ProfileRunRead
    measurements: Path


@dataclass(frozen=True, slots=True)
class Answer:
    """How a job ended, or a part of what it gives.

    part      `value` is known before the job ends: others follow
    done      `value` is its result
    given up  nobody waited for it any more
    refused   `value` is the `ApiError`'s status, and its body as JSON
    memory    it took more memory than is allowed
    fault     `value` is the traceback
    """

    kind: Literal["part", "done", "given up", "refused", "memory", "fault"]
    value: Any = None
    is_last: bool = False  # the worker ends now, since it has come to hold too much
