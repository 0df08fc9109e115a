"""The people of a team: accounts, sessions, tokens, roles, and the record of who did what (docs/decisions/0042).

tables.py, database.py   the tables, and the database that holds them; `migrations/` makes and changes them
sqlite_file.py           that database as a file of one server
postgresql.py            that database for several servers, by reference to a secret
opening.py, copying.py   opens the one or the other, and copies people from the one to the other
accounts.py              people, their passwords and their roles
sessions.py, tokens.py   what a browser and a program show, so that they are known (`bearer.py`: kept as digests)
known_visitors.py        who asks, remembered for a moment; access_revision.py says when that does not hold any more
passwords.py             Argon2id
cookie.py                the cookie of a session
browsers.py              the name of a browser, so that people know their sessions apart
clock.py                 the time as the tables keep it
attempts.py              how often a wrong password may be tried
audit.py                 the record, to which rows are only added; record_writer.py adds what waits, together
wishes.py                what a request asked for, as far as the record tells it
strangers.py             what is refused to nobody who is known, which the record does not keep
gate.py                  lets requests through, or refuses them, by what their endpoint needs
service.py               logs in, changes passwords, and opens all of the above
endpoints.py, schemas.py the session, tokens and the record over HTTP; with login_endpoints.py for where one is
                         signed in, and member_endpoints.py for the people of a team
"""
