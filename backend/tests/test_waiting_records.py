"""What several people type is recorded together every few seconds, and before anything else is recorded."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from patience import PATIENCE
from piql_backend.applications import repository
from piql_backend.applications.repository import SECONDS_BETWEEN_RECORDS, Applications, revision_of
from piql_backend.data_folder.files import write_atomically
from piql_backend.file_history.service import FileHistories
from piql_backend.web.pages import PageWish

CREATED = "Create the application"


class World:
    """An application of two files, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.seconds = 0.0
        self.histories = FileHistories(folder / "histories")
        self.applications = Applications(folder / "applications", self.histories)
        self.texts = {"a.piql": "-- a", "b.piql": "-- b"}
        self.applications.create("mine", "Mine", self.texts)

    def type(self, path: str) -> None:
        before, self.texts[path] = self.texts[path], f"{self.texts[path]}!"
        self.applications.save_file("mine", path, self.texts[path], revision_of(before), may_wait=True)

    def recorded(self) -> list[str]:
        """What is in the history, the newest first, without anything being recorded for it."""
        return [save.message for save in self.histories.page("mine", PageWish(), None).items]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path)
    monkeypatch.setattr(time, "monotonic", lambda: world.seconds)
    return world


def test_what_is_typed_is_on_the_disk_at_once_and_recorded_together_after_a_while(world: World) -> None:
    world.type("a.piql")
    world.applications.record_waiting("mine")
    for path in ("b.piql", "a.piql", "b.piql"):
        world.type(path)
        world.applications.record_waiting("mine")
    assert world.applications.texts("mine") == world.texts == {"a.piql": "-- a!!", "b.piql": "-- b!!"}
    assert world.recorded() == ["Save a.piql", CREATED]
    world.seconds += SECONDS_BETWEEN_RECORDS
    world.applications.record_waiting("mine")
    world.applications.record_waiting("mine")
    assert world.recorded() == ["Save b.piql and 1 more", "Save a.piql", CREATED]


def test_the_end_of_a_session_records_at_once(world: World) -> None:
    for _ in range(2):
        world.type("a.piql")
        world.applications.record_waiting("mine", at_once=True)
    assert world.recorded() == ["Save a.piql", "Save a.piql", CREATED]


@pytest.mark.parametrize(
    ("change", "recorded"),
    [
        (lambda kept: kept.applications.create_file("mine", "c.piql", "-- c"), ["Create c.piql"]),
        (lambda kept: kept.applications.delete_file("mine", "b.piql"), ["Delete b.piql"]),
        (
            lambda kept: kept.applications.rename_file("mine", "b.piql", "c.piql", revision_of("-- b")),
            ["Rename b.piql to c.piql"],
        ),
        (
            lambda kept: kept.applications.save_file("mine", "b.piql", "-- saved", revision_of("-- b")),
            ["Save b.piql"],
        ),
        (lambda kept: kept.applications.saves("mine", PageWish(), None), []),
        (lambda kept: kept.applications.name_deployed("mine", {"development/1": lambda: kept.texts}), []),
    ],
)
def test_what_waits_is_a_save_of_its_own_before_another_change(
    world: World, change: Callable[[World], object], recorded: list[str]
) -> None:
    world.type("a.piql")
    change(world)
    assert world.recorded() == [*recorded, "Save a.piql", CREATED]


def test_who_saves_in_one_application_does_not_wait_for_another_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.applications.create("yours", "Yours", {"a.piql": "-- a"})
    is_writing, may_go_on = threading.Event(), threading.Event()

    def slowly(file: Path, text: str) -> None:
        if file.parent.name == "mine":
            is_writing.set()
            assert may_go_on.wait(PATIENCE)
        write_atomically(file, text)

    monkeypatch.setattr(repository, "write_atomically", slowly)
    with ThreadPoolExecutor(1) as others:
        waiting = others.submit(world.type, "a.piql")
        assert is_writing.wait(PATIENCE)
        try:
            world.applications.save_file("yours", "a.piql", "-- saved", revision_of("-- a"))
            assert not waiting.done()
        finally:
            may_go_on.set()
        waiting.result()
    assert world.applications.texts("yours") == {"a.piql": "-- saved"}
