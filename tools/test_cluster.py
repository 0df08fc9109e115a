"""What the cluster module says when it cannot run; that it runs is what the cluster suite shows."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cluster import jars, missing
from cluster.missing import ClusterMissing, what_is_missing
from cluster.nodes import Node
from cluster.running import found_cluster
from cluster_suite import PATHS

ROOT = Path(__file__).resolve().parent.parent


def test_a_machine_without_maven_and_java_is_told_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    message = what_is_missing()
    assert message == "no cluster on this machine: Maven (mvn) and a JDK 17 (java) not found"


def test_another_version_of_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("mvn", "java"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 0\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(missing, "java_version", lambda: 21)
    assert what_is_missing() == "no cluster on this machine: java is version 21, Cassandra 5 needs 17"


def test_jars_that_are_not_those_reviewed_are_refused(tmp_path: Path) -> None:
    (tmp_path / "guava-32.0.1-jre.jar").write_bytes(b"something else")
    with pytest.raises(ClusterMissing, match=r"is not what sha256sums\.txt says: .*\.jar"):
        jars._verify(tmp_path)


def test_a_failing_maven_is_quoted_and_leaves_no_jars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mvn").write_text("#!/bin/sh\necho '[ERROR] no route to host'\nexit 1\n")
    (tmp_path / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setenv("PIQL_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ClusterMissing, match="no route to host"):
        jars.jars()
    assert not (jars.cache() / "lib").exists()


def test_a_folder_without_nodes_holds_no_cluster(tmp_path: Path) -> None:
    assert found_cluster(tmp_path).nodes == ()


def test_a_node_is_left_behind_when_the_process_that_started_it_has_ended(tmp_path: Path) -> None:
    node = Node("127.0.0.1", tmp_path, tmp_path)
    sleeps = [sys.executable, "-c", "import time; time.sleep(60)"]
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    with subprocess.Popen([*sleeps, str(tmp_path)]) as process:
        node.pid_file.write_text(f"{process.pid} {os.getpid()}")
        until = time.monotonic() + 120.0
        while not node.is_running() and time.monotonic() < until:  # its command line is there a moment after it
            time.sleep(0.01)
        assert (node.is_running(), node.is_left_behind()) == (True, False)
        node.pid_file.write_text(f"{process.pid} {int(ended.stdout)}")
        assert node.is_left_behind()
        process.kill()
    assert not node.is_left_behind()


def test_the_suite_looks_for_tests_of_a_cluster_wherever_there_are_some() -> None:
    named = re.compile(r"mark\.cluster\b|from cluster\.fixture import")
    folders = ("engine/tests", "profiler/tests", "backend/tests", "sample-apps", "tools")
    modules = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if named.search(path.read_text())]
    assert len(modules) > 10
    places = [ROOT / path for path in PATHS]
    assert all(place.exists() for place in places)
    assert [path for path in modules if not any(path.is_relative_to(place) for place in places)] == []
