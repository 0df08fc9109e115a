"""Generated clients: their languages' own checkers take them, and they do what they should with a real service."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import piql
import pytest
from piql import errors as engine
from piql_service.clients.python import runtime
from piql_service.commands.client import client
from piql_service.commands.service_token import service_token
from piql_service.web.refusals import refusal_of
from tpcw.data import generate

from .conftest import SCADR, serving

ROOT = SCADR.parents[1]
USES = Path(__file__).with_name("clients")
EVERY_TYPE = USES / "every_type.piql"
APPLICATIONS = {"scadr": SCADR, "tpcw": SCADR.with_name("tpcw"), "every_type": EVERY_TYPE}
ENDINGS = {"python": "py", "typescript": "ts"}
# Whatever a program may be compiled with.
TYPESCRIPT = (
    "--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noUnusedLocals --noUnusedParameters "
    "--noPropertyAccessFromIndexSignature --noImplicitOverride --noImplicitReturns --verbatimModuleSyntax "
    "--erasableSyntaxOnly --declaration --target es2022 --lib es2023,dom --module nodenext --types node --typeRoots"
).split()


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one for each application and language, each with its client and a program that uses it."""
    root = tmp_path_factory.mktemp("clients")
    (root / "package.json").write_text('{"type": "module"}')
    for name, application in APPLICATIONS.items():
        for language, ending in ENDINGS.items():
            folder = root / language / name
            assert client(["--lang", language, "--app", str(application), str(folder)]) == 0
            shutil.copy(USES / f"use_{name}.{ending}", folder)
    return root


@pytest.fixture(scope="module")
def compiled(clients: Path) -> Path:
    """The same, once tsc has made JavaScript of what is TypeScript."""
    run(
        ROOT,
        str(ROOT / "node_modules/.bin/tsc"),
        *TYPESCRIPT,
        str(ROOT / "node_modules/@types"),
        *map(str, clients.glob("typescript/*/use_*.ts")),
    )
    return clients


def run(folder: Path, *command: str) -> None:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@contextmanager
def served(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[list[str]]:
    """Serve an application; yield the arguments for what uses it: the address, and tokens of SCADr's."""
    store = f"embedded:{folder / 'store.db'}"
    with piql.connect(store) as database:
        database.deploy(piql.compile(APPLICATIONS[name]))
        for table, rows in generate(customers=3, items=4).items() if name == "tpcw" else ():
            database.load(table, rows)
    options, tokens = [], []
    if name == "scadr":
        options = ["--tokens", str(folder / "tokens")]
        for arguments in (["rich"], ["poor", "--budget", "2"]):
            assert service_token([options[1], *arguments]) == 0
        tokens = capsys.readouterr().out.split()
    with serving(store, *options) as (_, address):
        yield [address, *tokens]


@pytest.mark.parametrize("name", APPLICATIONS)
def test_python_passes_mypy_and_does_what_it_should(
    name: str, clients: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = clients / "python" / name
    run(folder, sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(clients / "cache"), f"use_{name}.py")
    with served(name, tmp_path, capsys) as arguments:
        run(folder, sys.executable, f"use_{name}.py", *arguments)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_typescript_passes_tsc_and_does_what_it_should(
    name: str, compiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(name, tmp_path, capsys) as arguments:
        run(compiled / "typescript" / name, "node", f"use_{name}.js", *arguments)


def test_every_refusal_of_a_query_has_a_class_in_both_languages() -> None:
    deploying = {
        engine.CompilationRefused,
        engine.DeployedMeanwhile,
        engine.DeploymentInProgress,
        engine.SnapshotUnavailable,
    }
    faults = {engine.BoundExceeded}
    declared = {kind for kind in engine.PiqlError.__subclasses__() if kind.__module__ == engine.__name__}
    kinds = {*declared, engine.StaleCursor} - deploying - faults
    of_engine = {refusal_of(kind("")).code for kind in kinds}
    assert of_engine <= runtime._REFUSALS.keys()
    script = (Path(runtime.__file__).parents[1] / "typescript" / "runtime.ts").read_text()
    in_typescript = re.findall(r"^  \['([a-z-]+)', (\w+)\],$", script, re.MULTILINE)
    assert in_typescript == [(code, kind.__name__) for code, kind in runtime._REFUSALS.items()]


def test_a_client_of_a_store_is_that_of_its_application(tmp_path: Path) -> None:
    url = f"embedded:{tmp_path / 'store.db'}"
    with piql.connect(url) as database:
        database.deploy(piql.compile(SCADR))
    for language, ending in ENDINGS.items():
        texts = []
        for source in (["--store", url], ["--app", str(SCADR)]):
            assert client(["--lang", language, *source, str(tmp_path / "made")]) == 0
            texts.append((tmp_path / "made" / f"piql_client.{ending}").read_text())
        assert texts[0] == texts[1]


def test_what_cannot_be_made_is_told_and_nothing_else_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "piql_client.py").write_text("mine = True\n")
    assert client(["--lang", "python", "--app", str(SCADR), str(tmp_path)]) == 1
    assert "it is no client that this command has made" in capsys.readouterr().err
    assert (tmp_path / "piql_client.py").read_text() == "mine = True\n"
    (tmp_path / "broken.piql").write_text("CREATE QUERY q AS SELECT a FROM nowhere;")
    assert client(["--lang", "typescript", "--app", str(tmp_path / "broken.piql"), str(tmp_path / "made")]) == 1
    assert "nowhere" in capsys.readouterr().err
    with piql.connect(f"embedded:{tmp_path / 'empty.db'}"):
        pass
    assert client(["--lang", "typescript", "--store", f"embedded:{tmp_path / 'empty.db'}", str(tmp_path / "made")]) == 1
    assert not (tmp_path / "made").exists()
