"""Live sessions: several people edit one file at once, over a socket each, and nobody overwrites anybody.

document.py      the text of a file as a Y document: edits of all merge into the same text
kept_states.py   the document on disk beside the file, so that whoever was offline can merge after a restart
messages.py      what is said over the socket, as bytes
presence.py      who is there, and where their caret is
participant.py   one socket: what it may send, and what waits to be sent to it
session.py       one file that is edited: merges, saves, and tells when something is saved
service.py       all sessions, and how many there may be
endpoints.py     the socket: /api/applications/{application}/live/{path}

The text of the file is the truth for everything else: a session reads it, and saves it as every other save does.
"""
