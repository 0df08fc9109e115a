"""The requests of the Language Server Protocol, each answered by the language service.

    documents    opened, changed, closed, saved: `Projects` follows, and findings are published
    names        completion, signature help, hover, definition, references
    files        symbols, tokens, folds, lenses
    changes      fixes, renaming, formatting

`make_server` registers all of them. A handler reads parameters, asks the service, and turns its values into the
protocol's with `answers`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol, cast

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
    _answer_about_names(server)
    _answer_about_files(server)
    _offer_changes(server)
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


def _answer_about_names(server: PiqlServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "[", ":"]))
    def completion(params: types.CompletionParams) -> types.CompletionList | None:
        caret = _caret(server, params)
        if caret is None:
            return None
        project, name, offset = caret
        context = context_at(project.texts[name], offset)
        start = offset - len(context.prefix) if context is not None else offset
        replaced = answers.range_of(project.text(name), start, offset)
        items = complete(project.texts, name, offset)
        completions = [answers.completion(item, number, replaced) for number, item in enumerate(items)]
        return types.CompletionList(is_incomplete=True, items=completions)

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature_help(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        caret = _caret(server, params)
        call = signature(caret.project.texts, caret.name, caret.offset) if caret is not None else None
        if call is None:
            return None
        label = Text(call.label, server.projects.units)
        parts = [
            types.ParameterInformation((label.position(start)[1], label.position(end)[1]))
            for start, end in call.parameters
        ]
        information = types.SignatureInformation(call.label, call.documentation or None, parts, call.active)
        return types.SignatureHelp([information], active_signature=0, active_parameter=call.active)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: types.HoverParams) -> types.Hover | None:
        caret = _caret(server, params)
        if caret is None:
            return None
        project, name, offset = caret
        card = hover(await server.compiled(project), name, offset)
        if card is None:
            return None
        text = types.MarkupContent(types.MarkupKind.Markdown, card.markdown)
        return types.Hover(text, answers.range_of(project.text(name), card.span.start, card.span.end))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def on_definition(params: types.DefinitionParams) -> types.Location | None:
        caret = _caret(server, params)
        if caret is None:
            return None
        declaration = definition(caret.project.texts, caret.name, caret.offset)
        return answers.location(caret.project, declaration) if declaration is not None else None

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def on_references(params: types.ReferenceParams) -> list[types.Location] | None:
        caret = _caret(server, params)
        if caret is None:
            return None
        project, name, offset = caret
        with_declaration = params.context.include_declaration
        occurrences = references(project.texts, name, offset)
        return [
            answers.location(project, occurrence.span)
            for occurrence in occurrences
            if with_declaration or not occurrence.is_definition
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        caret = _caret(server, params)
        if caret is None:
            return None
        project, name, offset = caret
        return [
            types.DocumentHighlight(
                answers.range_of(project.text(name), reference.span.start, reference.span.end),
                types.DocumentHighlightKind.Write if reference.is_definition else types.DocumentHighlightKind.Read,
            )
            for reference in references(project.texts, name, offset)
            if reference.span.file == name
        ]


def _answer_about_files(server: PiqlServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        file = server.projects.of(params.text_document.uri)
        if file is None:
            return None
        project, name = file
        text = project.text(name)
        return [answers.document_symbol(text, item) for item in outline(text.text, name)]

    @server.feature(types.WORKSPACE_SYMBOL)
    def workspace_symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        query = params.query.lower()
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

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, answers.LEGEND)
    def tokens(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        file = server.projects.of(params.text_document.uri)
        if file is None:
            return None
        project, name = file
        units: Callable[[str], int] = lambda text: units_of(text, project.units)  # noqa: E731
        data = encode(semantic_tokens(project.texts, name), project.texts[name], units)
        return types.SemanticTokens(answers.semantic_data(data))

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding_ranges(params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        file = server.projects.of(params.text_document.uri)
        if file is None:
            return None
        project, name = file
        kinds = {"comment": types.FoldingRangeKind.Comment, "region": None}
        return [
            types.FoldingRange(fold.start_line - 1, fold.end_line - 1, kind=kinds[fold.kind])
            for fold in folds(project.texts[name], name)
        ]

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        file = server.projects.of(params.text_document.uri)
        if file is None:
            return None
        project, name = file
        return [
            types.CodeLens(
                answers.range_of(project.text(name), lens.span.start, lens.span.end), types.Command(lens.text, "")
            )
            for lens in lenses(await server.compiled(project), name)
        ]


def _offer_changes(server: PiqlServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        file = server.projects.of(params.text_document.uri)
        only = params.context.only
        if file is None or (only is not None and not any(kind in ("", types.CodeActionKind.QuickFix) for kind in only)):
            return None
        project, name = file
        text = project.text(name)
        start = text.offset(params.range.start.line, params.range.start.character)
        end = text.offset(params.range.end.line, params.range.end.character)
        compilation = await server.compiled(project)
        fixes = await server.beside(lambda: quick_fixes(compilation, name, start, end))
        return [
            answers.code_action(project, fix, params.context.diagnostics, server.takes_versions, number == 0)
            for number, fix in enumerate(fixes)
        ]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        caret = _caret(server, params)
        if caret is None:
            return None
        project, name, offset = caret
        try:
            span = renameable(project.texts, name, offset)
        except RenameRefused:
            return None
        return types.PrepareRenamePlaceholder(answers.range_of(project.text(name), span.start, span.end), span.text)

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    def on_rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        caret = _caret(server, params)
        if caret is None:
            return None
        project, name, offset = caret
        try:
            edits = rename(project.texts, name, offset, params.new_name)
        except RenameRefused as refusal:
            raise _refused(str(refusal)) from refusal
        return answers.workspace_edit(project, edits, server.takes_versions)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        file = server.projects.of(params.text_document.uri)
        if file is None:
            return None
        project, name = file
        try:
            return answers.text_edits(project.text(name), format_edits(project.texts[name], name))
        except FormatRefused as refusal:  # the finding is shown already: a message at each save would disturb
            message = f"{name} is not formatted: {refusal}"
            server.window_log_message(types.LogMessageParams(types.MessageType.Info, message))
            return None
