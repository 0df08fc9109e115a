"""Which files belong together."""

from __future__ import annotations

from pathlib import Path

import pytest
from piql.editor.server.project import Project, Projects
from pygls.uris import from_fs_path

FILES = {
    "app/schema.piql": "CREATE TABLE t (a INT PRIMARY KEY);",
    "app/queries/one.piql": "CREATE QUERY one AS SELECT a FROM t WHERE a = [x];",
    "app/queries/deep/two.piql": "CREATE QUERY two AS SELECT a FROM t WHERE a = [x];",
    "other/schema.piql": "CREATE TABLE u (a INT PRIMARY KEY);",
    "app/.hidden/no.piql": "CREATE TABLE no (a INT PRIMARY KEY);",
    "app/node_modules/no.piql": "CREATE TABLE no (a INT PRIMARY KEY);",
    "split/tables/all.piql": "CREATE TABLE v (a INT PRIMARY KEY);",
    "split/queries/three.piql": "CREATE QUERY three AS SELECT a FROM v WHERE a = [x];",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def project_of(projects: Projects, path: Path, text: str | None = None) -> Project:
    uri = from_fs_path(str(path))
    assert uri is not None
    projects.open(uri, 1, path.read_text() if text is None else text)
    file = projects.of(uri)
    assert file is not None
    return file[0]


def test_a_project_is_the_topmost_folder_with_a_file(folder: Path) -> None:
    projects = Projects()
    projects.folders = [folder]
    for name in ("app/schema.piql", "app/queries/one.piql", "app/queries/deep/two.piql"):
        project = project_of(projects, folder / name)
        assert project.root == folder / "app"
        assert [*project.texts] == ["queries/deep/two.piql", "queries/one.piql", "schema.piql"]
        assert project.compilation.diagnostics == ()
    assert [*project_of(projects, folder / "other/schema.piql").texts] == ["schema.piql"]


def test_the_client_may_name_its_projects(folder: Path) -> None:
    projects = Projects()
    projects.folders = [folder]
    assert [*project_of(projects, folder / "split/queries/three.piql").texts] == ["three.piql"]
    projects.named = [folder / "split"]
    assert [*project_of(projects, folder / "split/queries/three.piql").texts] == [
        "queries/three.piql",
        "tables/all.piql",
    ]


def test_open_texts_stand_above_those_on_disk_until_they_are_closed(folder: Path) -> None:
    projects = Projects()
    projects.folders = [folder]
    path = folder / "app/schema.piql"
    project = project_of(projects, path, "CREATE TABLE t (b INT PRIMARY KEY);")
    assert project.compilation.has_errors
    uri = project.uris["schema.piql"]
    query = project_of(projects, folder / "app/queries/one.piql")
    assert query.texts["schema.piql"].startswith("CREATE TABLE t (b")
    projects.close(uri)
    assert not project_of(projects, folder / "app/queries/one.piql").compilation.has_errors


def test_files_come_and_go(folder: Path) -> None:
    projects = Projects()
    projects.folders = [folder]
    path = folder / "app/queries/one.piql"
    assert not project_of(projects, path).compilation.has_errors
    (folder / "app/schema.piql").unlink()
    (folder / "app/more.piql").write_text("")
    projects.look_again()
    assert project_of(projects, path).compilation.has_errors
    new = folder / "app/queries/new.piql"  # open, and not saved yet
    assert "queries/new.piql" in project_of(projects, new, "CREATE TABLE t (a INT PRIMARY KEY);").texts
    assert not project_of(projects, path).compilation.has_errors


def test_a_text_that_is_no_file_stands_alone() -> None:
    projects = Projects()
    projects.open("untitled:Untitled-1", 1, "CREATE TABLE t (a INT PRIMARY KEY);")
    file = projects.of("untitled:Untitled-1")
    assert file is not None
    assert [*file[0].texts] == ["untitled.piql"]
    assert projects.of("untitled:2") is None
