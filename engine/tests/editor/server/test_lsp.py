"""`piql lsp` as an editor meets it: a process of its own, spoken to over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types
from patience import PATIENCE
from piql.editor.server.positions import Text
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

SCHEMA = """-- 😀 the people
CREATE TABLE users (username VARCHAR(32) PRIMARY KEY, hometown TEXT);
CREATE TABLE subscriptions (
  owner VARCHAR(32) REFERENCES users, target VARCHAR(32) REFERENCES users,
  PRIMARY KEY (owner, target), CARDINALITY LIMIT 100 (owner)
);
"""
QUERY = """CREATE QUERY followed AS
SELECT '😀' AS face, s.target FROM subscriptions s WHERE s.owner = [me];
"""


class Editor(LanguageClient):
    """A client that keeps what it was told."""

    def __init__(self, folder: Path) -> None:
        super().__init__("test", "1")
        self.folder = folder
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.logged: list[str] = []
        self.watched: list[str] = []

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

        @self.feature(types.WINDOW_LOG_MESSAGE)
        def log(params: types.LogMessageParams) -> None:
            self.logged.append(params.message)

        @self.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            self.watched += [registration.method for registration in params.registrations]

        @self.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def refresh(params: None) -> None:
            pass

    def uri(self, name: str) -> str:
        return from_fs_path(str(self.folder / name)) or ""

    async def begin(
        self, encodings: list[types.PositionEncodingKind | str] | None = None, options: object = None
    ) -> types.InitializeResult:
        await self.start_io(sys.executable, "-m", "piql.commands.cli", "lsp", "--stdio")
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=encodings),
            workspace=types.WorkspaceClientCapabilities(
                workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
                did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
                code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
            ),
            text_document=types.TextDocumentClientCapabilities(
                rename=types.RenameClientCapabilities(prepare_support=True),
                publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            ),
        )
        folder = types.WorkspaceFolder(from_fs_path(str(self.folder)) or "", "project")
        result = await self.initialize_async(
            types.InitializeParams(capabilities, workspace_folders=[folder], initialization_options=options)
        )
        self.initialized(types.InitializedParams())
        return result

    def open(self, name: str, text: str | None = None) -> None:
        shown = (self.folder / name).read_text() if text is None else text
        item = types.TextDocumentItem(self.uri(name), "piql", 1, shown)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, name: str, version: int, range: types.Range, text: str) -> None:
        change = types.TextDocumentContentChangePartial(range=range, text=text)
        identifier = types.VersionedTextDocumentIdentifier(version, self.uri(name))
        self.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    async def findings(self, name: str, version: int | None = None) -> list[types.Diagnostic]:
        """Wait for what is published about a file, and of a version where one is asked for."""
        while True:
            published = await asyncio.wait_for(self.published.get(), PATIENCE)
            if published.uri == self.uri(name) and (version is None or published.version == version):
                return [*published.diagnostics]

    def at(self, name: str, text: str, words: str, plus: int = 0) -> dict[str, object]:
        position = types.Position(*Text(text).position(text.index(words) + plus))
        return {"text_document": types.TextDocumentIdentifier(self.uri(name)), "position": position}


@pytest_asyncio.fixture
async def editor(tmp_path: Path) -> AsyncIterator[Editor]:
    (tmp_path / "schema.piql").write_text(SCHEMA)
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "followed.piql").write_text(QUERY)
    client = Editor(tmp_path)
    yield client
    await asyncio.wait_for(client.shutdown_async(None), PATIENCE)
    client.exit(None)
    await client.stop()


NAME = "queries/followed.piql"


def changed(texts: dict[str, str], edit: types.WorkspaceEdit, editor: Editor) -> dict[str, str]:
    after = dict(texts)
    for change in edit.document_changes or ():
        assert isinstance(change, types.TextDocumentEdit)
        (name,) = (text for text in texts if editor.uri(text) == change.text_document.uri)
        after[name] = applied(after[name], [edit for edit in change.edits if isinstance(edit, types.TextEdit)])
    return after


def applied(text: str, edits: list[types.TextEdit]) -> str:
    shown = Text(text)
    for edit in sorted(edits, key=lambda text_edit: (-text_edit.range.start.line, -text_edit.range.start.character)):
        start, end = edit.range.start, edit.range.end
        shown = shown.replaced((start.line, start.character), (end.line, end.character), edit.new_text)
    return shown.text


async def test_findings_follow_the_text_with_its_version(editor: Editor) -> None:
    result = await editor.begin()
    assert result.capabilities.position_encoding == "utf-16"
    sync = result.capabilities.text_document_sync
    assert isinstance(sync, types.TextDocumentSyncOptions)
    assert sync.change == types.TextDocumentSyncKind.Incremental
    editor.open(NAME)
    assert await editor.findings(NAME, 1) == []
    line = QUERY.split("\n")[1]
    start = Text(line).position(line.index("[me]"))[1]
    where = types.Range(types.Position(1, start), types.Position(1, start + 4))
    editor.type(NAME, 2, where, "[1: you] AND 😀")
    (finding,) = await editor.findings(NAME, 2)
    assert finding.severity == types.DiagnosticSeverity.Error
    assert finding.range.start == types.Position(1, start + len("[1: you] AND "))
    editor.type(NAME, 3, types.Range(finding.range.start, types.Position(1, 99)), "s.nobody = 1;")
    (finding,) = await editor.findings(NAME, 3)
    assert (finding.code, finding.source) == ("unknown-column", "piql")
    assert "help: " in finding.message
    assert editor.watched == ["workspace/didChangeWatchedFiles"]


async def test_names_lead_across_files_behind_emoji(editor: Editor) -> None:
    await editor.begin()
    editor.open(NAME)
    at_target = editor.at(NAME, QUERY, "target", 2)
    definition = await editor.text_document_definition_async(types.DefinitionParams(**at_target))
    assert isinstance(definition, types.Location)
    assert definition.uri == editor.uri("schema.piql")
    assert definition.range.start == types.Position(3, 38)
    places = await editor.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(include_declaration=True), **at_target)
    )
    assert [(location.uri == editor.uri(NAME), location.range.start.line) for location in places or ()] == [
        (True, 1),
        (False, 3),
        (False, 4),
    ]
    used = await editor.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(include_declaration=False), **at_target)
    )
    assert len(used or ()) == 2
    shown = await editor.text_document_hover_async(types.HoverParams(**editor.at(NAME, QUERY, "followed", 1)))
    assert shown is not None
    assert isinstance(shown.contents, types.MarkupContent)
    assert "at most **1 operation**" in shown.contents.value
    marks = await editor.text_document_document_highlight_async(
        types.DocumentHighlightParams(**editor.at(NAME, QUERY, "s.target"))
    )
    assert [mark.kind for mark in marks or ()].count(types.DocumentHighlightKind.Write) == 1
    assert len(marks or ()) == 3


async def test_a_rename_changes_all_files_or_none(editor: Editor) -> None:
    await editor.begin()
    editor.open(NAME)
    at_target = editor.at(NAME, QUERY, "target", 6)
    prepared = await editor.text_document_prepare_rename_async(types.PrepareRenameParams(**at_target))
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == "target"
    edit = await editor.text_document_rename_async(types.RenameParams(new_name="followee", **at_target))
    assert edit is not None
    texts = {"schema.piql": SCHEMA, NAME: QUERY}
    after = changed(texts, edit, editor)
    assert after == {name: text.replace("target", "followee") for name, text in texts.items()}
    versions = [
        document_change.text_document.version
        for document_change in edit.document_changes or ()
        if hasattr(document_change, "text_document")
    ]
    assert sorted(versions, key=str) == [1, None]
    for name, why in (("owner", "There is a column owner already."), ("", "A name cannot be empty.")):
        with pytest.raises(JsonRpcException, match=why):
            await editor.text_document_rename_async(types.RenameParams(new_name=name, **at_target))
    nothing = editor.at(NAME, QUERY, "SELECT", 1)
    assert await editor.text_document_prepare_rename_async(types.PrepareRenameParams(**nothing)) is None


async def test_a_quick_fix_of_another_file_is_offered_and_works(editor: Editor) -> None:
    (editor.folder / "schema.piql").write_text(SCHEMA.replace(", CARDINALITY LIMIT 100 (owner)", ""))
    await editor.begin()
    editor.open(NAME)
    (finding,) = await editor.findings(NAME, 1)
    assert finding.code == "unbounded-scan"
    actions = await editor.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(editor.uri(NAME)), finding.range, types.CodeActionContext([finding])
        )
    )
    first = (actions or [])[0]
    assert isinstance(first, types.CodeAction)
    assert first.title.startswith("Add CARDINALITY LIMIT 100 (owner) to subscriptions: writes beyond 100 rows")
    assert [*(first.diagnostics or ())] == [finding]
    assert first.edit is not None
    after = changed({"schema.piql": (editor.folder / "schema.piql").read_text(), NAME: QUERY}, first.edit, editor)
    (editor.folder / "schema.piql").write_text(after["schema.piql"])
    changes = [types.FileEvent(editor.uri("schema.piql"), types.FileChangeType.Changed)]
    editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))
    assert await editor.findings(NAME) == []
    context = types.CodeActionContext([], only=[types.CodeActionKind.Refactor])
    asked = types.CodeActionParams(types.TextDocumentIdentifier(editor.uri(NAME)), finding.range, context)
    assert await editor.text_document_code_action_async(asked) is None


async def test_formatting_keeps_comments_and_leaves_broken_texts(editor: Editor) -> None:
    await editor.begin()
    editor.open("schema.piql")
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)
    identifier = types.TextDocumentIdentifier(editor.uri("schema.piql"))
    asked = types.DocumentFormattingParams(identifier, options)
    edits = await editor.text_document_formatting_async(asked)
    after = applied(SCHEMA, [*(edits or ())])
    assert after.startswith("-- 😀 the people\nCREATE TABLE users (\n  username VARCHAR(32) PRIMARY KEY,\n")
    editor.type("schema.piql", 2, types.Range(types.Position(1, 0), types.Position(1, 6)), "CREAT")
    assert await editor.text_document_formatting_async(asked) is None
    assert [line for line in editor.logged if "schema.piql is not formatted: line 2" in line]


async def test_a_file_is_shown_by_its_outline_folds_tokens_and_bounds(editor: Editor) -> None:
    result = await editor.begin()
    editor.open(NAME)
    editor.open("schema.piql")
    identifier = types.TextDocumentIdentifier(editor.uri("schema.piql"))
    symbols = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(identifier))
    assert [(symbol.name, [child.name for child in symbol.children or ()]) for symbol in symbols or ()] == [  # type: ignore[union-attr]
        ("users", ["username", "hometown"]),
        ("subscriptions", ["owner", "target"]),
    ]
    folds = await editor.text_document_folding_range_async(types.FoldingRangeParams(identifier))
    assert [(fold.start_line, fold.end_line) for fold in folds or ()] == [(2, 5)]
    legend = result.capabilities.semantic_tokens_provider
    assert legend is not None
    query = types.TextDocumentIdentifier(editor.uri(NAME))
    tokens = await editor.text_document_semantic_tokens_full_async(types.SemanticTokensParams(query))
    assert tokens is not None
    names = [legend.legend.token_types[number] for number in tokens.data[3::5]]
    assert names[:5] == ["keyword", "keyword", "function", "keyword", "keyword"]
    assert names.count("class") == 1
    lenses = await editor.text_document_code_lens_async(types.CodeLensParams(query))
    assert [lens.command.title for lens in lenses or () if lens.command] == ["≤ 1 op · 1 trip · class II"]
    workspace_symbols = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("FOLLOW"))
    assert [symbol.name for symbol in workspace_symbols or ()] == ["followed"]


async def test_completion_replaces_the_word_begun(editor: Editor) -> None:
    await editor.begin()
    text = "CREATE QUERY q AS SELECT '😀', s.tar FROM subscriptions s WHERE s.owner = [me];"
    editor.open(NAME, text)
    completions = await editor.text_document_completion_async(types.CompletionParams(**editor.at(NAME, text, "tar", 3)))
    assert isinstance(completions, types.CompletionList)
    item = completions.items[0]
    assert item.label == "target"
    assert isinstance(item.text_edit, types.TextEdit)
    assert applied(text, [item.text_edit]) == text.replace("s.tar ", "s.target ")
    text = "CREATE QUERY q AS SELECT '😀', SUBSTR(hometown, "
    editor.open("queries/new.piql", text)
    help_at = types.SignatureHelpParams(**editor.at("queries/new.piql", text, ", ", 2))
    help_at.position = types.Position(*Text(text).position(len(text)))
    shown = await editor.text_document_signature_help_async(help_at)
    assert shown is not None
    assert (shown.signatures[0].label, shown.active_parameter) == ("SUBSTR(text, from, length)", 1)


async def test_units_that_the_client_prefers_are_used(editor: Editor) -> None:
    result = await editor.begin([types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16])
    assert result.capabilities.position_encoding == "utf-8"
    editor.open(NAME)
    position = types.Position(1, len("SELECT '😀' AS face, s.".encode()))
    definition = await editor.text_document_definition_async(
        types.DefinitionParams(types.TextDocumentIdentifier(editor.uri(NAME)), position)
    )
    assert isinstance(definition, types.Location)
    assert definition.range.start == types.Position(3, 38)


async def test_named_projects_join_folders_that_hold_no_file_themselves(editor: Editor) -> None:
    (editor.folder / "split" / "tables").mkdir(parents=True)
    (editor.folder / "split" / "tables" / "t.piql").write_text("CREATE TABLE t (a INT PRIMARY KEY);")
    (editor.folder / "schema.piql").unlink()
    (editor.folder / NAME).unlink()
    await editor.begin(options={"projects": ["split"]})
    editor.open("split/queries/q.piql", "CREATE QUERY q AS SELECT a FROM t WHERE a = [x];")
    assert await editor.findings("split/queries/q.piql", 1) == []


async def test_broken_and_closed_texts_are_answered(editor: Editor) -> None:
    await editor.begin()
    text = "CREATE TABLE (((( 😀 [[ 'x\nSELECT \u2028 FROM ; CREATE QUERY q AS \r\n/* "
    editor.open(NAME, text)
    assert await editor.findings(NAME, 1)
    identifier = types.TextDocumentIdentifier(editor.uri(NAME))
    for line in range(4):
        position = types.Position(line, 9)
        assert await editor.text_document_definition_async(types.DefinitionParams(identifier, position)) is None
        await editor.text_document_completion_async(types.CompletionParams(identifier, position))
        await editor.text_document_hover_async(types.HoverParams(identifier, position))
    await editor.text_document_semantic_tokens_full_async(types.SemanticTokensParams(identifier))
    editor.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
    assert await editor.findings(NAME) == []
    assert await editor.text_document_document_symbol_async(types.DocumentSymbolParams(identifier)) is None


def test_without_its_package_the_command_says_which_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from piql.commands import cli

    for name in [module for module in sys.modules if module.split(".")[0] == "pygls" or "language_server" in module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert cli.main(["lsp"]) == 2
    assert capsys.readouterr().err == "piql lsp: install piql[lsp] for this command\n"
