"""Every ```piql block of the documentation is what it says: it compiles, or is refused where its fence says `refused`.

A fence may add `with scadr`: then the block is compiled together with the schema of that sample application. Every
```python block runs, and so do the `piql` commands of ```sh blocks, in a folder that holds the sample applications and
nothing else.
"""

import re
import shlex
from pathlib import Path

import piql
import pytest
from piql.commands import cli
from reference.commands import parser_of

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?P<language>piql|python|sh)(?P<says>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    return [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("sample-apps/*/README.md")]


def blocks(language: str) -> list[tuple[str, str, str]]:
    blocks = []
    for document in documents():
        text = document.read_text()
        for block in FENCE.finditer(text):
            if block["language"] == language:
                line = text.count("\n", 0, block.start()) + 1
                blocks.append((f"{document.relative_to(ROOT)}:{line}", block["says"], block["text"]))
    return blocks


def test_the_documentation_shows_piql() -> None:
    assert len(blocks("piql")) >= 100
    assert len(blocks("python")) >= 2
    assert len(blocks("sh")) >= 3


@pytest.mark.parametrize(("says", "text"), [pytest.param(says, text, id=where) for where, says, text in blocks("piql")])
def test_a_block_of_the_documentation_is_what_it_says(says: str, text: str) -> None:
    words = says.split()
    files = {"block.piql": text}
    if "with" in words:
        application = words[words.index("with") + 1]
        files["schema.piql"] = (ROOT / "sample-apps" / application / "schema.piql").read_text()
    errors = [diagnostic.message for diagnostic in piql.compile(files).diagnostics if diagnostic.severity == "error"]
    assert bool(errors) == ("refused" in words), errors


@pytest.mark.parametrize("text", [pytest.param(text, id=where) for where, _, text in blocks("python")])
def test_a_program_of_the_documentation_runs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _enter(tmp_path, monkeypatch)
    exec(compile(text, "documentation", "exec"), {"__name__": "documentation"})


@pytest.mark.parametrize("text", [pytest.param(text, id=where) for where, _, text in blocks("sh")])
def test_the_commands_of_the_documentation_are_understood(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _enter(tmp_path, monkeypatch)
    for line in text.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == ".venv/bin/piql" and arguments[0] in cli.OWN:
            assert cli.main(arguments) == 0, line
        elif program == ".venv/bin/piql":
            parser_of(arguments[0]).parse_args(arguments[1:])  # measuring and serving take longer than a test may


def test_the_architecture_names_every_part_of_the_engine() -> None:
    described = (ROOT / "docs" / "architecture.md").read_text()
    parts = [entry.name for entry in Path(piql.__file__).parent.iterdir() if entry.suffix == ".py" or entry.is_dir()]
    assert [name for name in parts if not name.startswith("__pycache__") and name not in described] == []


def glossary() -> list[tuple[str, str, str]]:
    """Return each term of the glossary with its meaning and the target of its link."""
    text = (ROOT / "docs" / "glossary.md").read_text()
    return re.findall(r"^\| ([a-z][a-z -]*[a-z]) \| (.+?) \| \[[^]]*\]\(([^)#]+)[^)]*\) \|$", text, re.MULTILINE)


def test_the_list_of_decisions_has_each_of_them() -> None:
    decisions = ROOT / "docs/decisions"
    listed = re.findall(r"^- \[\d{4}\]\(([^)]+)\)", (decisions / "README.md").read_text(), re.MULTILINE)
    assert listed == sorted(file.name for file in decisions.glob("0*.md"))


def test_the_glossary_has_a_line_for_each_of_its_terms() -> None:
    terms = [term for term, _, _ in glossary() if term != "term"]
    lines = [line for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line.startswith("| ")]
    assert len(lines) - sum(line.startswith(("| term ", "| ---")) for line in lines) == len(terms)
    assert len(terms) == len(set(terms)) >= 20


@pytest.mark.parametrize(("term", "target"), [pytest.param(term, target, id=term) for term, _, target in glossary()])
def test_a_term_of_the_glossary_is_used_where_it_links_to(term: str, target: str) -> None:
    linked = (ROOT / "docs" / target).resolve()
    pages = sorted(linked.glob("**/*.py")) if linked.is_dir() else [linked]
    spelling = r"[\s_]".join(term.split())
    word = re.compile(rf"(?<![a-z]){spelling}(s|es)?(?![a-z])", re.IGNORECASE)
    assert any(word.search(page.read_text()) for page in pages), f"{target} does not speak of {term!r} any more"


@pytest.mark.parametrize("meaning", [pytest.param(meaning, id=term) for term, meaning, _ in glossary()])
def test_a_term_of_the_glossary_is_explained_in_one_sentence(meaning: str) -> None:
    assert meaning[0].isupper()
    assert re.findall(r"[.!?](?= |$)", meaning) == ["."]
    assert meaning.endswith(".")


def _enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sample-apps").symlink_to(ROOT / "sample-apps")
    monkeypatch.chdir(folder)
