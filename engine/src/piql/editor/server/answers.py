"""From the values of the language service to those of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from lsprotocol import types

from piql.editor.server.positions import Text
from piql.editor.server.project import Project
from piql.editor.service.completion_items import CompletionItem, CompletionKind
from piql.editor.service.outline import OutlineItem, OutlineKind
from piql.editor.service.quick_fixes import QuickFix
from piql.editor.service.semantic_tokens import TOKEN_TYPES, TokenType
from piql.text.diagnostics.diagnostic import Diagnostic, Edit
from piql.text.source import Span

SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
COMPLETION_KINDS: dict[CompletionKind, types.CompletionItemKind] = {
    "keyword": types.CompletionItemKind.Keyword,
    "table": types.CompletionItemKind.Struct,
    "column": types.CompletionItemKind.Field,
    "alias": types.CompletionItemKind.Variable,
    "function": types.CompletionItemKind.Function,
    "type": types.CompletionItemKind.TypeParameter,
    "parameter": types.CompletionItemKind.Variable,
    "condition": types.CompletionItemKind.Snippet,
}
SYMBOL_KINDS: dict[OutlineKind, types.SymbolKind] = {
    "table": types.SymbolKind.Struct,
    "column": types.SymbolKind.Field,
    "index": types.SymbolKind.Key,
    "query": types.SymbolKind.Function,
}
# The protocol's own names, which every editor has a colour for.
_TOKEN_NAMES: dict[TokenType, types.SemanticTokenTypes] = {
    "keyword": types.SemanticTokenTypes.Keyword,
    "type": types.SemanticTokenTypes.Type,
    "function": types.SemanticTokenTypes.Function,
    "table": types.SemanticTokenTypes.Class,
    "column": types.SemanticTokenTypes.Property,
    "alias": types.SemanticTokenTypes.Variable,
    "output": types.SemanticTokenTypes.Variable,
    "parameter": types.SemanticTokenTypes.Parameter,
    "query": types.SemanticTokenTypes.Function,
    "index": types.SemanticTokenTypes.Struct,
    "string": types.SemanticTokenTypes.String,
    "number": types.SemanticTokenTypes.Number,
    "comment": types.SemanticTokenTypes.Comment,
    "operator": types.SemanticTokenTypes.Operator,
    "name": types.SemanticTokenTypes.Variable,
}
_LEGEND = sorted({token_name.value for token_name in _TOKEN_NAMES.values()})
LEGEND = types.SemanticTokensLegend(_LEGEND, [types.SemanticTokenModifiers.Definition.value])
_NUMBER_IN_LEGEND = [_LEGEND.index(_TOKEN_NAMES[token_type_].value) for token_type_ in TOKEN_TYPES]


def range_of(text: Text, start: int, end: int) -> types.Range:
    """Return the range between two offsets in code points, in the client's lines and columns."""
    return types.Range(types.Position(*text.position(start)), types.Position(*text.position(end)))


def location(project: Project, span: Span) -> types.Location:
    """Return where a span is, as the protocol says it."""
    return types.Location(project.uris[span.file], range_of(project.text(span.file), span.start, span.end))


def diagnostic(project: Project, finding: Diagnostic, can_relate: bool) -> types.Diagnostic:
    """Return a finding of the compiler; its help follows the message. `can_relate`: the client shows further spans."""
    notes = [f"allowed: {finding.allowed}"] if finding.allowed else [f"help: {line}" for line in finding.help]
    message = "\n".join((finding.message, *notes))
    related = [
        types.DiagnosticRelatedInformation(location(project, label.span), label.text)
        for label in finding.labels
        if label.span.file in project.uris
    ]
    return types.Diagnostic(
        range=range_of(project.text(finding.span.file), finding.span.start, finding.span.end),
        message=message,
        severity=SEVERITIES[finding.severity],
        code=finding.code,
        source="piql",
        related_information=related if related and can_relate else None,
    )


def workspace_edit(project: Project, edits: Iterable[Edit], with_versions: bool) -> types.WorkspaceEdit:
    """Return edits of several files; with versions, a client refuses them when a text has changed meanwhile."""
    by_file = [
        (name, text_edits(project.text(name), [*group]))
        for name, group in groupby(sorted(edits, key=lambda edit: (edit.file, edit.start)), lambda edit: edit.file)
    ]
    if not with_versions:
        return types.WorkspaceEdit(changes={project.uris[name]: changes for name, changes in by_file})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(project.uris[name], project.versions[name]), [*changes]
            )
            for name, changes in by_file
        ]
    )


def text_edits(text: Text, edits: Iterable[Edit]) -> list[types.TextEdit]:
    """Return edits of one file."""
    return [types.TextEdit(range_of(text, edit.start, edit.end), edit.text) for edit in edits]


def code_action(
    project: Project, fix: QuickFix, at_caret: Sequence[types.Diagnostic], with_versions: bool, is_first: bool
) -> types.CodeAction:
    """Return a fix as a quick fix; the client shows it beside those of its findings `at_caret` that it fixes."""
    shown = diagnostic(project, fix.finding, can_relate=False)
    fixed = [finding for finding in at_caret if finding.code == shown.code and finding.range == shown.range]
    return types.CodeAction(
        title=fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=fixed or None,
        edit=workspace_edit(project, fix.fix.edits, with_versions),
        is_preferred=is_first or None,
    )


def completion(item: CompletionItem, number: int, replaced: types.Range) -> types.CompletionItem:
    """Return one item of a completion list. `number` keeps the order; `replaced` is the range of the word so far."""
    return types.CompletionItem(
        label=item.label,
        kind=COMPLETION_KINDS[item.kind],
        detail=item.detail or None,
        sort_text=f"{number:04}",
        filter_text=item.label,
        text_edit=types.TextEdit(replaced, item.insert_text),
    )


def document_symbol(text: Text, item: OutlineItem) -> types.DocumentSymbol:
    """Return a symbol of the outline with those inside it."""
    return types.DocumentSymbol(
        name=item.name,
        kind=SYMBOL_KINDS[item.kind],
        detail=item.detail,
        range=range_of(text, item.span.start, max(item.span.end, item.name_span.end)),
        selection_range=range_of(text, item.name_span.start, item.name_span.end),
        children=[document_symbol(text, child) for child in item.children],
    )


def semantic_data(data: Sequence[int]) -> list[int]:
    """Return encoded tokens, five numbers each, with their types, the fourth number, as indexes in `LEGEND`."""
    return [_NUMBER_IN_LEGEND[number] if at % 5 == 3 else number for at, number in enumerate(data)]
