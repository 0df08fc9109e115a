"""What is given instead of a text, a set or a name is refused in PIQL's words, never by an error of Python's own."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piql
import pytest
from piql.compiler.compiler import Compiler


@pytest.mark.parametrize(("given", "named"), [(None, "a NoneType"), (3, "an int"), (b"", "a bytes"), (["x"], "a list")])
class TestWhatIsNoText:
    def test_is_no_statement(self, db: piql.Database, given: Any, named: str) -> None:
        runs: list[Callable[[Any], object]] = [db.run, db.session().run]
        for run in runs:
            with pytest.raises(piql.InvalidParameter, match=f"^the statement is {named}: give its text$"):
                run(given)

    def test_is_not_compiled(self, given: Any, named: str) -> None:
        compiles: list[Callable[[Any], object]] = [piql.compile, Compiler().compile]
        for compile_it in compiles:
            with pytest.raises(piql.InvalidParameter, match=f"^what to compile is {named}: give a text, a Path, or"):
                compile_it(given)
            with pytest.raises(piql.InvalidParameter, match=f"^what to compile has {named} under the name 'a.piql'"):
                compile_it({"a.piql": given})

    def test_is_not_deployed(self, db: piql.Database, given: Any, named: str) -> None:
        version = db.deployment.version
        for is_background in (False, True):
            with pytest.raises(piql.CompilationRefused, match=f"^not deployed: {named} is no compiled set: give what"):
                db.deploy(given, background=is_background)  # type: ignore[call-overload]
        assert db.deployment.version == version

    def test_is_no_name(self, db: piql.Database, given: Any, named: str) -> None:
        executes: list[Callable[[Any], object]] = [db.execute, db.session().execute]
        for execute in executes:
            with pytest.raises(piql.NotDeployed, match=re.escape(f"no query {given!r} is deployed; there are ")):
                execute(given)
        with pytest.raises(piql.NotDeployed, match=re.escape(f"no table {given!r} is deployed; there are ")):
            db.load(given, [])


def test_a_text_is_not_deployed_before_it_is_compiled(db: piql.Database) -> None:
    with pytest.raises(piql.CompilationRefused, match="not deployed: a str is no compiled set: give what `compile`"):
        db.deploy("CREATE TABLE t (id INT PRIMARY KEY);")  # type: ignore[call-overload]


def test_texts_have_names_and_a_folder_is_a_path(tmp_path: Path) -> None:
    with pytest.raises(piql.InvalidParameter, match="what to compile has a str under the name 1: give a text, a Path"):
        piql.compile({1: ""})  # type: ignore[dict-item]
    assert piql.compile(tmp_path).queries == {}


@pytest.mark.parametrize("given", [1, None, "user"])
def test_where_a_parameter_is_missing_others_that_are_given_are_told(db: piql.Database, given: Any) -> None:
    told = rf"^\[username\] is missing: expected .*; \[{given}\] is not among this query's parameters$"
    with pytest.raises(piql.InvalidParameter, match=told):
        db.execute("findUser", {given: "a"})
    with pytest.raises(piql.InvalidParameter, match=r"^\[username\] is missing: expected [^;]*$"):
        db.execute("findUser")
