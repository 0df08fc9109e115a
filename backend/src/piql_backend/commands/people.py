"""`piql user`: adds people to a workbench of a team, and says what they may do.

It works on the data folder, or with `--metadata` on the PostgreSQL database of several servers.

    piql user add ada --role administrator
    piql user role ben developer --application shop

Passwords are asked for, or read from a file descriptor; never from an argument. The workbench may run meanwhile.

Exit codes: 0 done, 1 refused, with the reason on stderr.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piql_backend.commands.serve import METADATA_HELP
from piql_backend.data_folder.layout import PEOPLE_FILE, applications_folder
from piql_backend.settings import Settings
from piql_backend.web.needs import ROLES

if TYPE_CHECKING:
    from piql_backend.people.service import People

REFUSED = 1
_MOST_BYTES = 4_000
_EVERYWHERE = ""


def user(argv: Sequence[str] | None = None) -> int:
    """Add people to a workbench of a team, list them, and change their roles and passwords."""
    options = _parser().parse_args(argv)
    os.umask(0o077)  # the file is readable by this user alone
    path = options.data / PEOPLE_FILE
    try:
        metadata = _metadata(options.metadata)
        if metadata is None and options.carry_out is not _add and not os.path.lexists(path):
            raise ValueError(f"there is no {path}: give --data the data folder of a workbench, or add somebody first")
        if options.carry_out is _add:
            options.new_password = _asked_before_a_file_is_made(options)
        from piql_backend.people.opening import open_people  # SQLAlchemy and Alembic take half a second to import

        people = open_people(options.data, metadata)
        try:
            for line in options.carry_out(people, options):
                print(line)
            _note(people, options)
        finally:
            people.close()
    except (OSError, ValueError, EOFError) as error:
        print(f"piql user: {error}", file=sys.stderr)
        return REFUSED
    return 0


def _metadata(reference: str | None) -> str | None:
    """The URL of the database of people that an argument refers to; without one, that of METADATA, or None."""
    if reference is None:
        return Settings.from_environment().metadata
    from piql_backend.people.postgresql import address_from

    return address_from(reference).url


def _copy(people: People, options: argparse.Namespace) -> Iterator[str]:
    """Copy the people of the data folder into the database of PostgreSQL that is opened."""
    from piql_backend.people.copying import copy_people
    from piql_backend.people.service import People as Opened

    path = options.data / PEOPLE_FILE
    if _metadata(options.metadata) is None:
        raise ValueError("no database is named to copy them to: give --metadata")
    if not os.path.lexists(path):
        raise ValueError(f"there is no {path} to copy from")
    source = Opened(path)
    try:
        counts = copy_people(source.database, people.database)
    finally:
        source.close()
    yield ", ".join(f"{count} {table}" for table, count in counts.items()) + f" are copied to {people.database.name}."
    yield f"{path} is no longer used: remove it once everybody can sign in."


def _note(people: People, options: argparse.Namespace) -> None:
    """Put into the record what was changed: by this command, and nobody knows who gave it."""
    from piql_backend.people.audit import Deed
    from piql_backend.people.wishes import wish_among

    operation = _RECORDED.get(options.carry_out)
    if operation is None:
        return
    wish = {"name": options.name.lower()}
    wish |= {"role": options.role, "application": options.application} if "role" in options else {}
    wish |= {"is_disabled": not options.back} if "back" in options else {}
    place = options.application or "" if "application" in options else ""
    people.audit.note_of(None, "command", Deed(operation, "piql user", 200, place, wish=wish_among(wish)))


def _add(people: People, options: argparse.Namespace) -> Iterator[str]:
    people.accounts.add(options.name, options.new_password)
    yield f"{options.name.lower()} is added."
    if options.role is not None:
        yield from _role(people, options)


def _asked_before_a_file_is_made(options: argparse.Namespace) -> str | None:
    """The password of somebody new, None without one; raises ValueError for what `add` would refuse, too."""
    from piql_backend.people.accounts import proper_name, refuse_password

    _refuse_unknown(options)
    name = proper_name(options.name)
    if options.without_password:
        return None
    password = _password(options)
    refuse_password(password, name)
    return password


def _list(people: People, options: argparse.Namespace) -> Iterator[str]:
    accounts = people.accounts.all()
    if not accounts:
        yield "nobody is added yet: `piql user add NAME --role administrator`"
    for account in accounts:
        roles = ", ".join(f"{role} {_where(place)}" for place, role in sorted(account.roles.items()))
        yield f"{account.name}  {roles or 'no role'}{'  (disabled)' if account.is_disabled else ''}"


def _role(people: People, options: argparse.Namespace) -> Iterator[str]:
    _refuse_unknown(options)
    role, place = (None if options.role == "none" else options.role), options.application or _EVERYWHERE
    people.accounts.set_role(options.name, place, role)
    yield f"{options.name.lower()} is {role or 'nothing'} {_where(place)}."


def _set_password(people: People, options: argparse.Namespace) -> Iterator[str]:
    people.accounts.id_of(options.name)
    people.accounts.set_password(options.name, _password(options))
    yield f"{options.name.lower()} has another password; their sessions and tokens have ended."


def _disable(people: People, options: argparse.Namespace) -> Iterator[str]:
    people.accounts.set_disabled(options.name, not options.back)
    yield f"{options.name.lower()} {'may sign in again' if options.back else 'is shut out'}."


def _link(people: People, options: argparse.Namespace) -> Iterator[str]:
    from piql_backend.oidc.identities import Identities
    from piql_backend.people.clock import wall_clock

    if not options.issuer:
        raise ValueError("no provider is named: give --issuer, or set OIDC_ISSUER")
    Identities(people.database, wall_clock).link(options.name, options.issuer, options.subject)
    yield f"{options.name.lower()} is linked to {options.subject} of {options.issuer}."


def _unlink(people: People, options: argparse.Namespace) -> Iterator[str]:
    from piql_backend.oidc.identities import Identities
    from piql_backend.people.clock import wall_clock

    people.sessions.end_all(people.accounts.id_of(options.name))
    was_linked = Identities(people.database, wall_clock).unlink(options.name)
    yield f"{options.name.lower()} {'is no longer linked, and is signed out' if was_linked else 'was not linked'}."


_RECORDED = {
    _add: "add_person",
    _role: "set_role",
    _set_password: "reset_password",
    _disable: "update_person",
    _link: "link_person",
    _unlink: "unlink_person",
}


def _where(place: str) -> str:
    return f"in {place}" if place else "in all applications"


def _refuse_unknown(options: argparse.Namespace) -> None:
    """Raise ValueError for an application that is not in the data folder."""
    folder = applications_folder(options.data)
    there = sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []
    if options.application is not None and options.application not in there:
        raise ValueError(f"there is no application {options.application} in {options.data}")


def _password(options: argparse.Namespace) -> str:
    """The new password: a line of the file descriptor, or what is typed twice at the prompt."""
    if options.password_fd is not None:
        with os.fdopen(options.password_fd, "rb") as file:
            return file.readline(_MOST_BYTES).decode().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise ValueError("there is no terminal to ask for the password: give --password-fd")
    password = getpass.getpass(f"Password for {options.name}: ")
    if getpass.getpass("Once more: ") != password:
        raise ValueError("the two passwords differ: nothing was changed")
    return password


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="piql user", description=user.__doc__)
    default = Settings.from_environment().data
    data: dict[str, Any] = {"type": Path, "metavar": "DIR", "help": "the data folder of the workbench"}
    metadata: dict[str, Any] = {"metavar": "REFERENCE", "help": METADATA_HELP}
    parser.add_argument("--data", default=default, **data)
    parser.add_argument("--metadata", **metadata)
    commands = parser.add_subparsers(
        required=True, metavar="COMMAND", help="add, list, role, password, disable, link, unlink or copy"
    )

    def command(name: str, carry_out: Any, about: str, *, names_one: bool = True) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.set_defaults(carry_out=carry_out)
        added.add_argument("--data", default=argparse.SUPPRESS, **data)  # it may stand before or behind the command
        added.add_argument("--metadata", default=argparse.SUPPRESS, **metadata)
        if names_one:
            added.add_argument("name", help="the name of the person")
        return added

    add = command("add", _add, "add a person; the password is asked for")
    add.add_argument("--role", choices=ROLES, help="what they may do; default: nothing")
    add.add_argument(
        "--without-password", action="store_true", help="a proxy signs them in (`piql serve --trust-proxy-user`)"
    )
    command("list", _list, "list the people with their roles", names_one=False)
    role = command("role", _role, "give a person another role")
    role.add_argument("role", choices=(*ROLES, "none"))
    for parser_of_role in (add, role):
        parser_of_role.add_argument("--application", metavar="ID", help="where the role holds; default: everywhere")
    password = command("password", _set_password, "give a person another password, which ends their sessions")
    for parser_of_password in (add, password):
        parser_of_password.add_argument(
            "--password-fd", type=int, metavar="N", help="read the password from this file descriptor"
        )
    disable = command("disable", _disable, "shut a person out, and end their sessions")
    disable.add_argument("--back", action="store_true", help="let them in again")
    link = command("link", _link, "let a person sign in as an existing account at the OpenID provider")
    link.add_argument("subject", help="the id of the person at the provider: the claim `sub`")
    link.add_argument(
        "--issuer", default=Settings.from_environment().oidc_issuer, metavar="URL", help="default: OIDC_ISSUER"
    )
    command("unlink", _unlink, "end the link to the provider, and the sessions of the account")
    command("copy", _copy, "copy everybody from people.db to the empty database of --metadata", names_one=False)
    return parser
