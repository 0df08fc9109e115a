"""One file that several people edit: edits are passed on at once, saved a moment later, and then acknowledged.

    edits of a client → the document → all other clients
                                     → after a pause: kept (`kept_states.py`), saved as every save, acknowledged
    the text changed otherwise       → merged into the document as edits → all clients

Everything is on the event loop, but for what reads and writes files.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import ParamSpec, TypeVar

from piql_backend.applications.repository import Applications, revision_of
from piql_backend.data_folder.disk import FULL, is_full, what_is_refused
from piql_backend.live_sessions import messages
from piql_backend.live_sessions.document import NO_CHANGE, LiveDocument, UpdateRefused
from piql_backend.live_sessions.kept_states import KeptState, KeptStates
from piql_backend.live_sessions.messages import NotUnderstood
from piql_backend.live_sessions.participant import GONE, NOT_UNDERSTOOD, RESTART, STATUS, TOO_LARGE, Participant
from piql_backend.live_sessions.presence import Presence
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.guarded_sockets import Pass
from piql_backend.web.schemas import FileRead

log = logging.getLogger(__name__)
Given = ParamSpec("Given")
Result = TypeVar("Result")

SECONDS_BETWEEN_LOOKS = 1.0  # at the file and at what everybody may, so late both are noticed
SECONDS_OF_DISK = 10.0  # for a save and a look at the file, before everybody is told that the disk takes longer
SECONDS_OF_PAUSE = 0.4  # without an edit, before the text is saved
MOST_SECONDS_UNSAVED = 1.5  # while edits come without a pause
_MOST_TRACES = 20  # a document may be so many times as large as its text, and 100 kB more, before it begins anew
_SMALL_STATE_BYTES = 100_000

_HANGS = "The disk does not answer. Keep this page open: what you typed is saved once it does."
_NOTHING = ("", b"")


class LiveSession:
    """One file that is edited by whoever takes part; `on_end` is told when nobody does and all is saved.

    `disk` are the threads that wait for the disk; without, those of the event loop.
    """

    def __init__(
        self,
        application: str,
        path: str,
        applications: Applications,
        states: KeptStates,
        on_end: Callable[[], None],
        disk: Executor | None = None,
    ) -> None:
        self._application = application
        self._path = path
        self._applications = applications
        self._states = states
        self._on_end = on_end
        self._disk = disk
        self._document = LiveDocument()
        self._name = ""
        self._revision = ""  # of the text that is saved
        self._saved_state = b""  # the document with exactly that text
        self._tried = _NOTHING  # revision and document of a save that failed: the file may have its text all the same
        self._is_new = False  # whether nothing of the document is kept yet
        self._participants: set[Participant] = set()
        self._authors: set[Pass] = set()  # of edits that are not saved yet
        self._noting: set[asyncio.Task[None]] = set()  # into the record, who was refused
        self._presence = Presence()
        self._stirred = asyncio.Event()  # by an edit, or by somebody who left
        self._is_dirty = False  # whether the document has edits that are not saved
        self._task: asyncio.Task[None] | None = None
        self._trouble = ""  # why the text is not saved, as it was told last
        self._at_disk_since: float | None = None  # in seconds of the event loop
        self._is_closing = False
        self.is_over = False

    async def open(self) -> None:
        """Read the file and its document. Raises ApiError 404 where there is no such file."""
        file = await self._at_disk(self._applications.read_file, self._application, self._path)
        kept, base = await self._at_disk(self._states.read, self._application, self._path, file.revision)
        self._revision = file.revision
        if kept is None or (kept is base and _has_too_many_traces(kept.state, file.text)):
            self._name, self._document = secrets.token_hex(8), LiveDocument(text=file.text)
            self._is_dirty = self._is_new = True  # whoever reads it may come back to it after a kill
            self._saved_state = self._document.state
        else:
            self._name, self._document = kept.document, LiveDocument(kept.state)
            self._saved_state = (base or kept).state
            if base is not None and base.revision != file.revision:
                saved = LiveDocument(base.state)
                self._document.merge(saved.become(file.text))
                await self._keep(saved.state, file.revision)
            self._is_dirty = self._document.text != file.text or base is not kept
        await self.save()

    async def _at_disk(self, action: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._disk, partial(action, *given, **named))

    @property
    def size(self) -> int:
        return len(self._participants)

    def join(self, participant: Participant) -> None:
        """Tell somebody which document this is and who is there, and ask for the edits that only they have."""
        self._participants.add(participant)
        self._task = self._task or asyncio.create_task(self._run())
        participant.send(messages.document(self._name, self._revision, participant.may_write))
        participant.send(messages.asking(self._document.vector))
        if (everybody := self._presence.everybody()) is not None:
            participant.send(messages.presence(everybody))

    def leave(self, participant: Participant) -> None:
        self._participants.discard(participant)
        if (gone := self._presence.leave(participant)) is not None:
            self._tell(messages.presence(gone))
        self._stirred.set()

    def receive(self, participant: Participant, content: bytes) -> None:
        """Take one message; whoever sends what cannot be taken is ended, and the document is as it was."""
        try:
            message = messages.read_message(content)
            match message.kind:
                case "vector":
                    participant.send(messages.answering(self._document.missing_in(message.content)))
                    participant.send(self._saved_for(participant))
                case "update":
                    self._take_edits(participant, message.content)
                case "presence":
                    news = self._presence.take(participant, participant.passed.name, message.content)
                    if news is not None:
                        self._tell(messages.presence(news))
        except NotUnderstood as error:
            participant.end(NOT_UNDERSTOOD, f"A message was not understood: {error}.")
        except UpdateRefused as error:
            participant.end(TOO_LARGE, f"The edits are not taken: {error}.")

    async def save(self) -> None:
        """Keep the document and save its text, then acknowledge; what somebody else has saved meanwhile is merged.

        Raises OSError or ApiError where that fails: nothing is lost, and nothing is acknowledged.
        """
        while self._is_dirty:
            text, state, revision = self._document.text, self._document.state, self._revision
            edits = {participant: participant.edits for participant in self._participants}
            authors, self._authors, self._is_dirty = self._authors, set(), False
            try:
                await self._at_disk(self._write, text, state, revision)
            except BaseException as error:
                self._is_dirty, self._authors = True, self._authors | authors
                if not isinstance(error, ApiError) or error.body.current is None:
                    self._tried = revision_of(text), state
                    raise
                await self._take(error.body.current)
                continue
            self._saved(revision_of(text), state)
            for participant in self._participants & edits.keys():
                is_current = not self._is_dirty
                participant.send(messages.saved(self._revision, edits[participant], is_current))
            for author in authors:
                await author.note(200)

    async def check_all(self) -> None:
        """End whoever may no longer take part, whatever becomes of the text."""
        await asyncio.gather(*(participant.check() for participant in [*self._participants]))

    async def look(self) -> None:
        """Merge what was saved otherwise, and let what was saved be recorded."""
        try:
            file = await self._at_disk(self._recorded_and_read)
        except NotFound as error:
            await self._end_without_file(error)
            return
        if file.revision != self._revision:
            await self._merge(file.text)

    def _recorded_and_read(self) -> FileRead:
        """The file, after what waits of its application is recorded; in a thread."""
        self._applications.record_waiting(self._application)
        return self._applications.read_file(self._application, self._path)

    async def close(self) -> None:
        """End everybody's part, and save; for the end of the workbench."""
        for participant in [*self._participants]:
            participant.end(RESTART, "The workbench restarts.")
        self._is_closing = True
        self._stirred.set()
        if self._task is not None:
            await self._task
        try:
            await self.save()
        except Exception:
            log.exception("the last edits of %s in %s are not saved", self._path, self._application)
        await self._end()

    def _take_edits(self, participant: Participant, update: bytes) -> None:
        if update == NO_CHANGE:
            participant.edits += 1
            participant.send(self._saved_for(participant))
            return
        if not participant.may_write:
            participant.end(STATUS + 403, "To edit needs the role developer.")
            noting = asyncio.create_task(participant.passed.note(403))
            self._noting.add(noting)
            noting.add_done_callback(self._noting.discard)
            return
        self._document.apply(update)
        participant.edits += 1
        self._authors.add(participant.passed)
        self._tell(messages.edits(update), but=participant)
        self._stir()

    async def _take(self, current: FileRead) -> None:
        """Go on from the text that the file has: one of this session, or of somebody else."""
        revision, state = self._tried
        if current.revision == revision:
            await self._keep(state, revision)
        else:
            await self._merge(current.text)

    async def _merge(self, text: str) -> None:
        """Take a text that was saved by other means as edits of the text that was saved before.

        They are kept before anybody is told: after a kill they would else be found again, and be in the text twice.
        """
        base = LiveDocument(self._saved_state)
        update = base.become(text)
        await self._keep(base.state, revision_of(text))
        self._document.merge(update)
        self._tell(messages.edits(update))
        self._stir()

    async def _keep(self, state: bytes, revision: str) -> None:
        """Keep the document of a text that is saved already."""
        kept = KeptState.of(self._name, revision, revision, state)
        await self._at_disk(self._states.keep, self._application, self._path, kept)
        self._saved(revision, state)

    def _saved(self, revision: str, state: bytes) -> None:
        """The file has this text, and whatever failed before is over: who saves that again is somebody else."""
        self._revision, self._saved_state, self._tried = revision, state, _NOTHING

    def _write(self, text: str, state: bytes, revision: str) -> None:
        """Keep the document, then save its text; in a thread."""
        application, path = self._application, self._path
        coming = KeptState.of(self._name, revision_of(text), revision, state)
        self._states.begin(application, path, coming, self._is_new)
        self._is_new = False
        try:
            if revision_of(text) != revision:
                self._applications.save_file(application, path, text, revision, may_wait=True)
        except ApiError:  # nothing was written; after any other fault nobody knows
            self._states.abandon(application, path)
            raise
        self._states.finish(application, path)

    async def _run(self) -> None:
        """Save after pauses, and look around, until nobody takes part and nothing is left to save."""
        watching = asyncio.create_task(self._watch())
        while (self._participants or self._is_dirty) and not self._is_closing:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stirred.wait(), SECONDS_BETWEEN_LOOKS)
            try:
                await self._pause()
                self._at_disk_since = asyncio.get_running_loop().time()
                await self.save()
                self._trouble = ""
                await self.look()
            except NotFound as error:
                await self._end_without_file(error)
            except Exception as error:
                reason = _reason_of(error)
                if reason != self._trouble:
                    log.exception("%s of %s is not saved", self._path, self._application)
                self._tell_trouble(reason)
            finally:
                self._at_disk_since = None
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await self._end()
        self._on_end()

    async def _watch(self) -> None:
        """Notice who may no longer take part, and that the disk does not answer; neither waits for the disk."""
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            await self.check_all()
            since = self._at_disk_since
            is_late = since is not None and asyncio.get_running_loop().time() - since > SECONDS_OF_DISK
            if is_late and self._trouble != _HANGS:
                log.error("the disk does not answer: %s of %s is not saved", self._path, self._application)
                self._tell_trouble(_HANGS)

    def _tell_trouble(self, reason: str) -> None:
        self._trouble = reason
        self._tell(messages.not_saved(reason))

    async def _end(self) -> None:
        """Nobody takes part, and all is saved: it is recorded, too."""
        self.is_over = True
        await self._at_disk(self._applications.record_waiting, self._application, at_once=True)

    async def _pause(self) -> None:
        """Wait until no edit comes for a moment, but not for long."""
        ends_at = asyncio.get_running_loop().time() + MOST_SECONDS_UNSAVED
        while self._stirred.is_set() and self._participants and not self._is_closing:
            self._stirred.clear()
            left = min(SECONDS_OF_PAUSE, ends_at - asyncio.get_running_loop().time())
            if left <= 0:
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stirred.wait(), left)
        self._stirred.clear()

    async def _end_without_file(self, error: ApiError) -> None:
        """The file was renamed or deleted: what was typed and not acknowledged stays with those who typed it."""
        with contextlib.suppress(ApiError):
            await self._at_disk(self._states.remove, self._application, self._path)
        self._is_dirty = False
        for participant in self._participants:
            participant.end(GONE, error.body.message)
        self._participants.clear()

    def _saved_for(self, participant: Participant) -> bytes:
        """What is saved by now: of somebody's edits all, or none that they can rely on."""
        return messages.saved(self._revision, 0 if self._is_dirty else participant.edits, not self._is_dirty)

    def _stir(self) -> None:
        self._is_dirty = True
        self._stirred.set()

    def _tell(self, message: bytes, but: Participant | None = None) -> None:
        for participant in self._participants:
            if participant is not but:
                participant.send(message)


def _has_too_many_traces(state: bytes, text: str) -> bool:
    """Whether a document is mostly traces of what was deleted: then a new one is begun."""
    return len(state) > _SMALL_STATE_BYTES + _MOST_TRACES * len(text.encode())


def _reason_of(error: Exception) -> str:
    """Why a text is not saved, for those who typed it."""
    if isinstance(error, ApiError):
        return error.body.message
    if isinstance(error, OSError) and is_full(error):
        return FULL
    return what_is_refused(error) if isinstance(error, OSError) else "The workbench has failed. See its log."
