"""The running workbench: its services, opened at the start and closed at the end."""

from __future__ import annotations

from typing import Any


class Workbench:
    """Holds one service for each resource."""

    health: Any
    workspaces: Any
    compilations: Any
    completions: Any
    profile_runs: Any
    predictions: Any
    deployments: Any
    executions: Any
    bursts: Any
    slos: Any
    latency: Any
