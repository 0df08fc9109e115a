"""Queries are found in programs, with their line; what a program puts into a text becomes a parameter."""

from __future__ import annotations

from pathlib import Path

import pytest
from piql.commands.importing import import_
from piql.importing import import_text
from piql.importing.dialects import POSTGRES
from piql.importing.scanning import scan

SCHEMA = "CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(20), town VARCHAR(10));"
READ = "SELECT name FROM users WHERE id = "
PROGRAMS = {
    "a.py": (
        f'# "{READ}9"\nx = "no SQL"\ncursor.execute("SELECT name FROM users "\n  "WHERE id = %s", (1,))\n',
        3,
        f"{READ}%s",
    ),
    "b.py": (f'def f():\n    return f"""{READ}{{user.id}}"""\n', 2, f"{READ}:user_id"),
    "c.ts": (f"// it's\nconst q = sql`{READ}${{id}}`\n", 2, f"{READ}:id"),
    "d.js": ("db.query('SELECT name ' + 'FROM users WHERE id = ?')\n", 1, f"{READ}?"),
    "e.java": (f'class A {{\n  String q = """\n      {READ}?\n      """;\n}}\n', 3, f"{READ}?"),
    "f.java": ('String q = "SELECT name FROM users" +\n  " WHERE id = :id";\n', 1, f"{READ}:id"),
    "g.go": (f"row := db.QueryRow(`\n\t{READ}$1`, id)\n", 2, f"{READ}$1"),
    "h.rb": (f"x = 1 # it's\nUser.find_by_sql(<<~SQL)\n  {READ}#{{params[:id]}}\nSQL\n", 3, f"{READ}:params_id"),
    "i.php": (f'<?php\n$q = "{READ}$id";\n', 2, f"{READ}:id"),
    "j.php": ("<?php\n$q = 'SELECT name FROM users ' . 'WHERE id = ?';\n", 2, f"{READ}?"),
}


@pytest.mark.parametrize("file", PROGRAMS)
def test_a_query_in_a_program_is_found_with_its_line(file: str) -> None:
    program, line, text = PROGRAMS[file]
    (source,), notes = scan({file: program}, POSTGRES)
    assert (source.file, source.line, source.text, notes) == (file, line, text, [])


@pytest.mark.parametrize(
    "program",
    [
        "x = 'it is a text'\n",
        "# SELECT a FROM b\n",
        "x = 'select one of these'\n",
        "from a import b\ny = 'updated set'\n",
    ],
)
def test_other_texts_are_no_queries(program: str) -> None:
    assert scan({"a.py": program}, POSTGRES) == ([], [])


def test_a_query_that_stands_in_several_places_is_imported_once() -> None:
    programs = {"a.py": f'q = "{READ}?"\n', "b.py": f'\nq = "{READ}  ?"\n'}
    (source,), (note,) = scan(programs, POSTGRES)
    assert (source.file, note.file, note.line, note.reason) == ("a.py", "b.py", 2, "a.py:1 says the same")


def test_a_query_of_a_program_names_its_place_in_the_text() -> None:
    text = import_text(SCHEMA, programs={"app/users.py": f'\n\nq = "{READ}%s"\n'}).text
    assert f"-- app/users.py:3\nCREATE QUERY selectUsers AS\n{READ}[id];\n" in text


def test_the_command_looks_below_a_folder_but_not_at_the_programs_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema, source = tmp_path / "schema.sql", tmp_path / "src"
    schema.write_text(SCHEMA)
    for name in ("app.py", "node_modules/other.js", ".hidden/x.py", "notes.txt"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(f'q = "{READ}{len(name)}"\n')
    assert import_([str(schema), "--scan", str(source)]) == 0
    printed = capsys.readouterr().out
    assert (printed.count("CREATE QUERY"), f"{READ}6;" in printed) == (1, True)
