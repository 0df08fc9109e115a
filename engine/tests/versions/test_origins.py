"""What a store knows of who deployed: an id for each deployment, a name, details, and whose each query is."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import piql
import pytest
from piql.commands.cli import main
from piql.errors import CompilationRefused, DeployedMeanwhile
from piql.runtime.deployment import Deployer
from piql.versions.deploy import begin_rollback, deploy, versions

TABLE = "CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town VARCHAR(20));"
FIND = "CREATE QUERY find AS SELECT town FROM users WHERE name = [1: name];"
NAMES = "CREATE QUERY names AS SELECT name FROM users WHERE name = [1: name];"
ADD = "CREATE QUERY add AS INSERT INTO users (name, town) VALUES ([1: name], [2: town]);"
SHOP = Deployer("shop", {"run": "r1"})


@pytest.fixture
def db(tmp_path: Path) -> piql.Database:
    return piql.connect(f"embedded:{tmp_path / 'store'}")


def test_a_deployment_has_an_id_a_name_and_details_for_every_connection(db: piql.Database, tmp_path: Path) -> None:
    build = deploy(db.store, piql.compile(TABLE + FIND), deployer=SHOP)
    with piql.connect(f"embedded:{tmp_path / 'store'}") as later:
        origin = later.deployment.origin
    assert (origin.by, origin.details, origin.owners) == ("shop", {"run": "r1"}, {"find": ("shop",)})
    assert origin.id == build.origin.id != ""


def test_each_deployment_has_an_id_of_its_own(db: piql.Database) -> None:
    first = db.deploy(piql.compile(TABLE + FIND)).origin.id
    second = db.deploy(piql.compile(TABLE + NAMES)).origin.id
    assert [version.deployment.origin.id for version in versions(db.store)] == [second, first]


def test_queries_that_stay_are_still_of_who_deployed_them(db: piql.Database) -> None:
    deploy(db.store, piql.compile(TABLE + FIND + ADD), deployer=SHOP)
    owners = deploy(db.store, piql.compile(TABLE + NAMES + ADD), deployer=Deployer("office")).origin.owners
    assert owners == {"names": ("office",), "add": ("shop", "office"), "find": ("shop",)}


def test_a_query_with_another_text_is_of_who_changed_it(db: piql.Database) -> None:
    deploy(db.store, piql.compile(TABLE + FIND), deployer=SHOP)
    changed = FIND.replace("SELECT town", "SELECT name, town")
    assert deploy(db.store, piql.compile(TABLE + changed), deployer=Deployer("office")).origin.owners == {
        "find": ("office",)
    }


def test_a_version_that_was_not_seen_is_not_replaced(db: piql.Database) -> None:
    seen = db.deploy(piql.compile(TABLE + FIND)).origin.id
    deploy(db.store, piql.compile(TABLE + NAMES), deployer=Deployer("office", seen=seen))
    for late in (Deployer("shop", seen=seen), Deployer("shop", seen="")):
        with pytest.raises(DeployedMeanwhile, match="version 2 was deployed meanwhile by office"):
            deploy(db.store, piql.compile(TABLE + ADD), deployer=late)
        with pytest.raises(DeployedMeanwhile):
            begin_rollback(db.store, deployer=late)
    assert sorted(db.deployment.compilation.queries) == ["find", "names"]


def test_the_same_texts_are_a_new_version_only_for_another_deployer(tmp_path: Path, db: piql.Database) -> None:
    db.deploy(piql.compile(TABLE + FIND))
    deploy(db.store, piql.compile(TABLE + NAMES), deployer=SHOP)
    with piql.connect(f"embedded:{tmp_path / 'store'}", version=2) as pinned:
        assert deploy(db.store, piql.compile(TABLE + NAMES), deployer=SHOP).version == 2
        assert db.deploy(piql.compile(TABLE + NAMES)).version == 2
        again = deploy(db.store, piql.compile(TABLE + NAMES), deployer=Deployer("shop", {"run": "r2"}))
        assert (again.version, again.origin.details) == (3, {"run": "r2"})
        assert pinned.execute("names", {"name": "ada"}).rows == []
    assert sorted(db.rollback().compilation.queries) == ["find"]


def test_a_rollback_gives_the_queries_back_to_their_owners(db: piql.Database) -> None:
    first = deploy(db.store, piql.compile(TABLE + FIND), deployer=SHOP)
    deploy(db.store, piql.compile(TABLE + FIND.replace("town FROM", "name FROM")), deployer=Deployer("office"))
    back = db.rollback()
    assert (back.origin.by, back.origin.owners) == ("shop", {"find": ("shop",)})
    assert back.origin.id != first.origin.id


def test_a_store_of_the_format_before_has_ids_that_stay_the_same(db: piql.Database, tmp_path: Path) -> None:
    db.deploy(piql.compile(TABLE + FIND))
    with sqlite3.connect(tmp_path / "store") as raw:
        ((text,),) = raw.execute("SELECT value FROM settings WHERE name = 'deployment'").fetchall()
        document = json.loads(text)
        for name in ("id", "by", "details", "owners", "earlier_numbers"):
            del document[name]
        raw.execute("UPDATE settings SET value = ? WHERE name = 'deployment'", [json.dumps(document)])
    raw.close()
    origins = [piql.connect(f"embedded:{tmp_path / 'store'}").deployment.origin for _ in range(2)]
    assert origins[0] == origins[1]
    assert (len(origins[0].id), origins[0].by, origins[0].owners) == (16, "", {})


def test_the_command_says_that_it_was_the_command(db: piql.Database, tmp_path: Path) -> None:
    (tmp_path / "set.piql").write_text(TABLE + FIND)
    assert main(["deploy", str(tmp_path / "set.piql"), "--store", f"embedded:{tmp_path / 'store'}"]) == 0
    assert db.deployment.origin.by == "piql deploy"


def test_a_store_is_empty_until_something_is_put_there(tmp_path: Path) -> None:
    with piql.connect(f"embedded:{tmp_path / 'store'}") as db:
        assert db.store.is_empty()
        with pytest.raises(CompilationRefused):
            db.deploy(piql.compile("CREATE QUERY broken AS SELECT"))
        assert db.store.is_empty()
        db.deploy(piql.compile(TABLE + FIND))
        assert not db.store.is_empty()
