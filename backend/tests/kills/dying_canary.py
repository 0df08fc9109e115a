"""A workbench that tries a version on a share of the executions, in a process of its own, and is killed at a step."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from piql.versions.change import steps
from piql_backend.canaries import watching
from piql_backend.canaries.schemas import DecisionWrite, ShareWrite
from piql_backend.deploy_requests.schemas import RequestCanaryCreate
from piql_backend.settings import Settings
from piql_backend.workbench import Workbench

from . import dying

SOON_SECONDS = 0.05


def decide(settings: Settings, how: str, number: int, share: float, kill_at: int, told: Path) -> None:
    """Try the request of that number on a share, change the share, promote or withdraw."""
    steps.GRACE_SECONDS = SOON_SECONDS  # nothing here waits for other processes
    watching._SECONDS_BETWEEN_LOOKS = SOON_SECONDS
    dying.live(settings, partial(_decided, how=how, number=number, share=share), kill_at, told)


def _decided(workbench: Workbench, how: str, number: int, share: float) -> str:
    """Give what was acknowledged: the share on which a version is tried, or how that has ended."""
    (environment,) = workbench.environments.open_ones.values()
    canaries = environment.canaries
    if how == "try":
        wish = RequestCanaryCreate(revision=1, share=share, rows_per_second=800)
        environment.deploy_requests.try_out(number, wish, "dot")
        while (read := canaries.read()) is None or read.stage != "open":
            time.sleep(0.01)
        return str(share)
    read = canaries.read()
    assert read is not None
    if how == "share":
        return str(canaries.set_share(ShareWrite(version=read.version, share=share), "dot").share)
    decision = DecisionWrite(version=read.version)
    if how == "promote":
        return f"promoted:{canaries.promote(decision, 'dot').version}"
    canaries.withdraw(decision, "dot")
    return "withdrawn"
