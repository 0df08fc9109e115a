"""Generated clients: their languages' own checkers take them, and they do what they should with a real service."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import piql
import pytest
from piql import errors as engine
from piql_service.clients.python import runtime
from piql_service.commands.client import client
from piql_service.web.refusals import refusal_of

from .applications import APPLICATIONS, ROOT, USES, run, served
from .conftest import SCADR

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


def test_every_refusal_of_a_query_has_a_name_in_each_language() -> None:
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
    named = {code: kind.__name__ for code, kind in runtime._REFUSALS.items()}
    clients_folder = Path(runtime.__file__).parents[1]
    for file, form in {
        "typescript/runtime.ts": r"^  \['([a-z-]+)', (\w+)\],$",
        "java/runtime/Refusals.java": r'Map\.entry\("([a-z-]+)", (\w+)::new\)',
        "go/runtime/refusals.go": r'^\t(?P<name>\w+) +RefusalCode = "(?P<code>[a-z-]+)"$',
    }.items():
        found = re.finditer(form, (clients_folder / file).read_text(), re.MULTILINE)
        pairs = [(match["code"], match["name"]) if "code" in match.groupdict() else match.groups() for match in found]
        assert pairs == list(named.items()), file


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
    assert "this command did not write it" in capsys.readouterr().err
    assert (tmp_path / "piql_client.py").read_text() == "mine = True\n"
    (tmp_path / "broken.piql").write_text("CREATE QUERY q AS SELECT a FROM nowhere;")
    assert client(["--lang", "typescript", "--app", str(tmp_path / "broken.piql"), str(tmp_path / "made")]) == 1
    assert "nowhere" in capsys.readouterr().err
    with piql.connect(f"embedded:{tmp_path / 'empty.db'}"):
        pass
    assert client(["--lang", "typescript", "--store", f"embedded:{tmp_path / 'empty.db'}", str(tmp_path / "made")]) == 1
    assert not (tmp_path / "made").exists()
