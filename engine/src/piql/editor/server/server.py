"""One connection to one editor: what its client can do, compilations beside the event loop, findings published.

What each request of the protocol is answered with is in `requests`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from piql import __version__
from piql.compiler.result import Compilation
from piql.editor.server import answers
from piql.editor.server.project import Project, Projects

T = TypeVar("T")

PAUSE_SECONDS = 0.05  # after the last change, before the compiler is asked


class _Protocol(LanguageServerProtocol):
    """Keeps pygls from copying the texts: its copies break lines at characters that the protocol does not count.

    `Projects` keeps the texts instead.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Iterator[Any]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Iterator[Any]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class PiqlServer(LanguageServer):
    """One connection to one editor.

    Requests about names are answered at once from the texts. What needs the compiler waits for its one thread, beside
    the event loop. Findings are published after a pause of PAUSE_SECONDS without a change.
    """

    def __init__(self) -> None:
        super().__init__("piql", __version__, protocol_cls=_Protocol)
        self.projects = Projects()
        self._compiler = ThreadPoolExecutor(1, "compiler")
        self._waiting: asyncio.Task[None] | None = None
        self._published: set[str] = set()  # files that the client shows findings of

    # What the client can do

    @property
    def takes_versions(self) -> bool:
        """Whether edits may name the version of the document that they were made for."""
        edit = self._workspace_capabilities.workspace_edit
        return bool(edit is not None and edit.document_changes)

    @property
    def shows_related(self) -> bool:
        """Whether a finding may have further spans."""
        document = self.client_capabilities.text_document
        published = document.publish_diagnostics if document is not None else None
        return bool(published is not None and published.related_information)

    @property
    def refreshes_lenses(self) -> bool:
        """Whether the client asks for lenses anew when it is told to."""
        lens = self._workspace_capabilities.code_lens
        return bool(lens is not None and lens.refresh_support)

    @property
    def can_watch(self) -> bool:
        """Whether the client reports changes of files on disk."""
        watched = self._workspace_capabilities.did_change_watched_files
        return bool(watched is not None and watched.dynamic_registration)

    @property
    def _workspace_capabilities(self) -> types.WorkspaceClientCapabilities:
        return self.client_capabilities.workspace or types.WorkspaceClientCapabilities()

    # Compiling

    async def compiled(self, project: Project) -> Compilation:
        """Return the compilation of a project, made in the compiler's thread."""
        return await self.beside(lambda: project.compilation)

    async def beside(self, work: Callable[[], T]) -> T:
        """Do work in the compiler's thread, so that the event loop goes on answering."""
        return await asyncio.get_running_loop().run_in_executor(self._compiler, copy_context().run, work)

    def publish_soon(self) -> None:
        """Compile and publish after a pause, once for all changes within it."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().create_task(self._publish_all())

    async def _publish_all(self) -> None:
        await asyncio.sleep(PAUSE_SECONDS)
        published: set[str] = set()
        for project in self.projects.all():
            compilation = await self.compiled(project)
            for name, uri in project.uris.items():
                self._publish(project, compilation, name)
                published.add(uri)
        for uri in self._published - published:  # closed, or gone from the disk
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        self._published = published
        if self.refreshes_lenses and len(self.projects.documents) > 1:
            self.workspace_code_lens_refresh(None)

    def _publish(self, project: Project, compilation: Compilation, name: str) -> None:
        diagnostics = [
            answers.diagnostic(project, diagnostic, self.shows_related)
            for diagnostic in compilation.diagnostics
            if diagnostic.span.file == name
        ]
        uri = project.uris[name]
        if diagnostics or uri in self._published or uri in self.projects.documents:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, diagnostics, version=project.versions[name])
            )
