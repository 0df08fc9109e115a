"""The requests of the Language Server Protocol, each answered by the language service.

    documents    opened, changed, closed, saved: `Projects` follows, and findings are published
    workspace    its folders, and files that other programs change
    carets       hover, completion, signature help, definition, references, renaming
    files        symbols, tokens, folds, lenses, fixes, formatting

`make_server` registers all of them. A handler reads parameters, asks the service, and turns its values into the
protocol's with `answers`. A request about a document that is not open is answered with nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from piql.editor.server import answers
from piql.editor.server.positions import Text, Units, units_of
from piql.editor.server.project import Project
from piql.editor.server.server import PiqlServer
from piql.editor.service.completion import complete
from piql.editor.service.formatting import FormatRefused, format_edits
from piql.editor.service.hover import hover
from piql.editor.service.lenses import lenses
from piql.editor.service.navigation import definition, references
from piql.editor.service.outline import folds, outline
from piql.editor.service.quick_fixes import quick_fixes
from piql.editor.service.renaming import RenameRefused, rename, renameable
from piql.editor.service.semantic_tokens import encode, semantic_tokens
from piql.editor.service.signature import signature
from piql.editor.service.statement_tokens import context_at

WATCHED = "**/*.piql"


def make_server() -> PiqlServer:
    """Return a server that is ready to be started."""
    server = PiqlServer()
    _follow_documents(server)
    _follow_the_workspace(server)
    _answer_at_carets(server)
    _answer_about_files(server)
    return server


class _PositionParams(Protocol):
    """What the parameters of all requests about a position have in common."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...
    @property
    def position(self) -> types.Position: ...


class _Caret(NamedTuple):
    """A position in an open document: its project, its name there, and the offset in code points."""

    project: Project
    name: str
    offset: int

    @property
    def text(self) -> Text:
        return self.project.text(self.name)


def _caret(server: PiqlServer, params: _PositionParams) -> _Caret | None:
    """Return the position that a request is about; None if its document is not open."""
    file = server.projects.of(params.text_document.uri)
    if file is None:
        return None
    project, name = file
    return _Caret(project, name, project.text(name).offset(params.position.line, params.position.character))


def _refused(message: str) -> JsonRpcException:
    return JsonRpcException(message[0].upper() + message[1:] + ".", types.LSPErrorCodes.RequestFailed.value)


def _follow_documents(server: PiqlServer) -> None:
    projects = server.projects

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        projects.open(document.uri, document.version, document.text)
        server.publish_soon()

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = projects.documents.get(params.text_document.uri)
        if document is None:
            return
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = change.range.start, change.range.end
                document.text = document.text.replaced(
                    (start.line, start.character), (end.line, end.character), change.text
                )
            else:
                document.text = Text(change.text, projects.units)
        document.version = params.text_document.version
        projects.changed(document.uri)
        server.publish_soon()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        projects.close(params.text_document.uri)
        server.publish_soon()

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        projects.look_again()
        server.publish_soon()


def _follow_the_workspace(server: PiqlServer) -> None:
    projects = server.projects

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        folders = [workspace_folder.uri for workspace_folder in params.workspace_folders or ()] or [
            params.root_uri or ""
        ]
        projects.folders = [_folder(path) for uri in folders if (path := to_fs_path(uri))]
        options = params.initialization_options
        folders_of_projects = (
            getattr(options, "projects", None) if not isinstance(options, dict) else options.get("projects")
        )
        bases = projects.folders or [Path.cwd()]
        if isinstance(folders_of_projects, list | tuple):
            projects.named = [
                _folder(base / path) for base in bases for path in folders_of_projects if isinstance(path, str)
            ]

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        projects.units = cast("Units", server.protocol.server_capabilities.position_encoding or "utf-16")
        if server.can_watch:
            watched = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(WATCHED)])
            registration = types.Registration("piql", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watched)
            server.client_register_capability(types.RegistrationParams([registration]))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        projects.look_again()
        server.publish_soon()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {folder.uri for folder in params.event.removed}
        remaining = [
            folder for folder in projects.folders if folder not in {_folder(to_fs_path(uri) or "") for uri in gone}
        ]
        added = [_folder(path) for folder in params.event.added if (path := to_fs_path(folder.uri))]
        projects.folders = [*remaining, *added]
        projects.look_again()
        server.publish_soon()


def _folder(path: str | Path) -> Path:
    return Path(os.path.normpath(path))


def _answer_at_carets(server: PiqlServer) -> None:
    def answer(feature: str, handler: Callable[[_Caret, Any], object], options: object = None) -> None:
        def handle(params: Any) -> object:
            caret = _caret(server, params)
            return handler(caret, params) if caret is not None else None

        server.feature(feature, options)(handle)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: types.HoverParams) -> types.Hover | None:
        caret = _caret(server, params)
        return await _hover(server, caret) if caret is not None else None

    answer(types.TEXT_DOCUMENT_COMPLETION, _completions, types.CompletionOptions(trigger_characters=[".", "[", ":"]))
    answer(types.TEXT_DOCUMENT_SIGNATURE_HELP, _signature, types.SignatureHelpOptions(trigger_characters=["(", ","]))
    answer(types.TEXT_DOCUMENT_DEFINITION, _definition)
    answer(types.TEXT_DOCUMENT_REFERENCES, _references)
    answer(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlights)
    answer(types.TEXT_DOCUMENT_PREPARE_RENAME, _renameable)
    answer(types.TEXT_DOCUMENT_RENAME, lambda caret, params: _rename(server, caret, params))


async def _hover(server: PiqlServer, caret: _Caret) -> types.Hover | None:
    card = hover(await server.compiled(caret.project), caret.name, caret.offset)
    if card is None:
        return None
    text = types.MarkupContent(types.MarkupKind.Markdown, card.markdown)
    return types.Hover(text, answers.range_of(caret.text, card.span.start, card.span.end))


def _completions(caret: _Caret, _: types.CompletionParams) -> types.CompletionList:
    project, name, offset = caret
    context = context_at(project.texts[name], offset)
    start = offset - len(context.prefix) if context is not None else offset
    replaced = answers.range_of(caret.text, start, offset)
    items = complete(project.texts, name, offset)
    completions = [answers.completion(item, number, replaced) for number, item in enumerate(items)]
    return types.CompletionList(is_incomplete=True, items=completions)


def _signature(caret: _Caret, _: types.SignatureHelpParams) -> types.SignatureHelp | None:
    call = signature(caret.project.texts, caret.name, caret.offset)
    if call is None:
        return None
    label = Text(call.label, caret.project.units)
    parts = [
        types.ParameterInformation((label.position(start)[1], label.position(end)[1])) for start, end in call.parameters
    ]
    information = types.SignatureInformation(call.label, call.documentation or None, parts, call.active)
    return types.SignatureHelp([information], active_signature=0, active_parameter=call.active)


def _definition(caret: _Caret, _: types.DefinitionParams) -> types.Location | None:
    declaration = definition(caret.project.texts, caret.name, caret.offset)
    return answers.location(caret.project, declaration) if declaration is not None else None


def _references(caret: _Caret, params: types.ReferenceParams) -> list[types.Location]:
    with_declaration = params.context.include_declaration
    return [
        answers.location(caret.project, occurrence.span)
        for occurrence in references(caret.project.texts, caret.name, caret.offset)
        if with_declaration or not occurrence.is_definition
    ]


def _highlights(caret: _Caret, _: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    return [
        types.DocumentHighlight(
            answers.range_of(caret.text, reference.span.start, reference.span.end),
            types.DocumentHighlightKind.Write if reference.is_definition else types.DocumentHighlightKind.Read,
        )
        for reference in references(caret.project.texts, caret.name, caret.offset)
        if reference.span.file == caret.name
    ]


def _renameable(caret: _Caret, _: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    try:
        span = renameable(caret.project.texts, caret.name, caret.offset)
    except RenameRefused:
        return None
    return types.PrepareRenamePlaceholder(answers.range_of(caret.text, span.start, span.end), span.text)


def _rename(server: PiqlServer, caret: _Caret, params: types.RenameParams) -> types.WorkspaceEdit:
    try:
        edits = rename(caret.project.texts, caret.name, caret.offset, params.new_name)
    except RenameRefused as refusal:
        raise _refused(str(refusal)) from refusal
    return answers.workspace_edit(caret.project, edits, server.takes_versions)


def _answer_about_files(server: PiqlServer) -> None:
    def answer(feature: str, handler: Callable[[Project, str], object], options: object = None) -> None:
        def handle(params: Any) -> object:
            file = server.projects.of(params.text_document.uri)
            return handler(*file) if file is not None else None

        server.feature(feature, options)(handle)

    @server.feature(types.WORKSPACE_SYMBOL)
    def workspace_symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return _workspace_symbols(server, params.query.lower())

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        file = server.projects.of(params.text_document.uri)
        return await _code_lenses(server, *file) if file is not None else None

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        file = server.projects.of(params.text_document.uri)
        only = params.context.only
        if file is None or (only is not None and not any(kind in ("", types.CodeActionKind.QuickFix) for kind in only)):
            return None
        return await _code_actions(server, *file, params)

    answer(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _document_symbols)
    answer(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _tokens, answers.LEGEND)
    answer(types.TEXT_DOCUMENT_FOLDING_RANGE, _folding_ranges)
    answer(types.TEXT_DOCUMENT_FORMATTING, lambda project, name: _formatting(server, project, name))


def _workspace_symbols(server: PiqlServer, query: str) -> list[types.WorkspaceSymbol]:
    return [
        types.WorkspaceSymbol(
            location=answers.location(project, symbol.name_span),
            name=symbol.name,
            kind=answers.SYMBOL_KINDS[symbol.kind],
            container_name=name,
        )
        for project in server.projects.all()
        for name, text in project.texts.items()
        for symbol in outline(text, name)
        if query in symbol.name.lower()
    ]


async def _code_lenses(server: PiqlServer, project: Project, name: str) -> list[types.CodeLens]:
    return [
        types.CodeLens(
            answers.range_of(project.text(name), lens.span.start, lens.span.end), types.Command(lens.text, "")
        )
        for lens in lenses(await server.compiled(project), name)
    ]


async def _code_actions(
    server: PiqlServer, project: Project, name: str, params: types.CodeActionParams
) -> list[types.CodeAction]:
    text = project.text(name)
    start = text.offset(params.range.start.line, params.range.start.character)
    end = text.offset(params.range.end.line, params.range.end.character)
    compilation = await server.compiled(project)
    fixes = await server.beside(lambda: quick_fixes(compilation, name, start, end))
    return [
        answers.code_action(project, fix, params.context.diagnostics, server.takes_versions, number == 0)
        for number, fix in enumerate(fixes)
    ]


def _document_symbols(project: Project, name: str) -> list[types.DocumentSymbol]:
    text = project.text(name)
    return [answers.document_symbol(text, item) for item in outline(text.text, name)]


def _tokens(project: Project, name: str) -> types.SemanticTokens:
    tokens = semantic_tokens(project.texts, name)
    data = encode(tokens, project.texts[name], lambda text: units_of(text, project.units))
    return types.SemanticTokens(answers.semantic_data(data))


def _folding_ranges(project: Project, name: str) -> list[types.FoldingRange]:
    kinds = {"comment": types.FoldingRangeKind.Comment, "region": None}
    return [
        types.FoldingRange(fold.start_line - 1, fold.end_line - 1, kind=kinds[fold.kind])
        for fold in folds(project.texts[name], name)
    ]


def _formatting(server: PiqlServer, project: Project, name: str) -> list[types.TextEdit] | None:
    try:
        return answers.text_edits(project.text(name), format_edits(project.texts[name], name))
    except FormatRefused as refusal:  # the finding is shown already: a message at each save would disturb
        message = f"{name} is not formatted: {refusal}"
        server.window_log_message(types.LogMessageParams(types.MessageType.Info, message))
        return None
