"""A process with an open session forks while its threads write: children are refused, and no write is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url

from .forking_parent import ENDS, TURNS

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]
pytestmark = [pytest.mark.cluster, pytest.mark.long]

SOURCE = """
CREATE TABLE rows (id INT PRIMARY KEY);
CREATE QUERY put AS INSERT INTO rows (id) VALUES ([1: id]);
CREATE QUERY get AS SELECT id FROM rows WHERE id = [1: id];
"""
HANGS_SECONDS = 540


def test_children_of_a_writing_process_cost_no_write_however_they_end(cluster_url: Callable[[], str]) -> None:
    url = cluster_url()
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
    program = str(Path(__file__).with_name("forking_parent.py"))
    run = subprocess.run(
        [sys.executable, "-W", "ignore", program, url], capture_output=True, text=True, timeout=HANGS_SECONDS
    )
    *children, parent, there = run.stdout.splitlines()
    assert run.returncode == 0, run.stderr
    assert children == [f"child {end} refused" for end in ENDS * TURNS]
    assert int(there.split()[1]) == int(parent.split()[1]) > len(children)
