"""The generated readers for the Rust driver, with a stand-in that returns rows; no cluster is asked."""

from datetime import date
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from piql.schema.catalog import Column, Kind, SqlType, Table
from piql.store.base import Reader, ReadShape
from piql.store.cql.address import parse_address
from piql.store.cql.layout import layout_of
from piql.store.cql.reads.listing import Lister
from piql.store.cql.reads.reads import plan_read
from piql.store.cql.rust.reads import RustReads
from piql.store.cql.rust.values import SELECTED_AS
from piql.store.rows import Row

TEXT, DAY, MOMENT = SqlType(Kind.VARCHAR), SqlType(Kind.DATE), SqlType(Kind.TIMESTAMP)
USERS = Table("users", (Column("name", TEXT, False), Column("born", DAY, True)), ("name",))
POSTS = Table("posts", (Column("owner", TEXT, False), Column("at", MOMENT, False)), ("owner", "at"))
BIRTHDAY = date(1960, 2, 29)
USER = ReadShape(USERS, USERS.primary_index(), ("name", "born"), 1)
NEWEST = ReadShape(POSTS, POSTS.primary_index(), ("at",), 1, is_ascending=False)


class _Cluster:
    """Stands in for a connection: gives one page for every request, or fails; `sent` are the values that were sent."""

    def __init__(self, page: list[dict[str, Any]], types: tuple[str, ...], failure: Exception | None = None) -> None:
        self.address = parse_address("cql://a/k?driver=rust")
        self.sent: list[list[Any]] = []
        self.others: list[Any] = []
        self.slots: SimpleQueue[None] = SimpleQueue()
        self.slots.put(None)
        self.session = self
        self._page, self._failure = page, failure
        columns = [SimpleNamespace(cql_type=type(name, (), {})()) for name in types]
        self._prepared = SimpleNamespace(result_columns=columns)

    def prepared_for_reads(self, cql: str, consistency: object) -> Any:
        return self._prepared

    def execute(self, statement: object, values: list[Any], *, paged: bool) -> Any:
        assert statement is self._prepared
        assert not paged
        self.sent.append(values)
        return self

    def result(self, seconds: float) -> Any:
        assert self.slots.empty()
        if self._failure is not None:
            raise self._failure
        return SimpleNamespace(iter_current_page=lambda: iter(self._page))

    def answer(self, cql: str, values: list[Any], consistency: object) -> list[Row]:
        self.others.append(values)
        return [("ada", BIRTHDAY.toordinal(), 0)]

    def pages(self, requests: list[tuple[str, list[Any]]], consistency: object) -> list[list[dict[str, Any]]]:
        self.others += [values for _, values in requests]
        return [self._page for _ in requests]

    def rows(self, cql: str, page: list[dict[str, Any]]) -> list[Row]:
        return [tuple(row.values()) for row in page]


def reader(cluster: _Cluster, shape: ReadShape, more: Reader | None = None) -> Reader:
    def never(_: Row) -> NoReturn:
        raise AssertionError("no row was hidden")

    read = plan_read(shape, layout_of(shape.table, shape.table.primary_index(), "k"), SELECTED_AS)
    return RustReads(cluster).reader(read, None, more or never)  # type: ignore[arg-type]


def test_a_get_gives_its_row_as_it_is_stored() -> None:
    cluster = _Cluster([{"name": "ada", "born": BIRTHDAY, "#state": 0}], ("CqlText", "CqlDate", "CqlTinyInt"))
    assert reader(cluster, USER)(("ada",)) == ([("ada", BIRTHDAY.toordinal())], 1)
    assert cluster.sent == [["ada"]]
    assert cluster.others == []
    assert not cluster.slots.empty()


@pytest.mark.parametrize(("state", "is_shown"), [(None, True), (0, True), (1, True), (2, False), (3, False)])
def test_a_record_that_is_hidden_is_not_shown(state: int | None, is_shown: bool) -> None:
    page = [{"name": "ada", "born": None, "#state": state}]
    cluster = _Cluster(page, ("CqlText", "CqlDate", "CqlTinyInt"))
    assert reader(cluster, USER)(("ada",)) == ([("ada", None)] if is_shown else [], 1)
    assert cluster.others == []


def test_more_are_asked_for_only_where_hidden_rows_took_the_place_of_others() -> None:
    page = [{"at": 7, "#state": 0}, {"at": 6, "#state": 2}]
    cluster = _Cluster(page, ("CqlBigInt", "CqlTinyInt"))
    asked: list[Row] = []

    def more(arguments: Row) -> tuple[list[Row], int]:
        asked.append(arguments)
        return [(7,), (5,)], 2

    read = reader(cluster, NEWEST, more)
    assert read(("ada", 3)) == ([(7,)], 1)
    assert asked == []
    assert read(("ada", 2)) == ([(7,), (5,)], 2)
    assert asked == [("ada", 2)]


def test_what_fails_goes_the_ordinary_way_and_gives_its_place_back() -> None:
    cluster = _Cluster([], ("CqlText", "CqlDate", "CqlTinyInt"), TimeoutError())
    assert reader(cluster, USER)(("ada",)) == ([("ada", BIRTHDAY.toordinal())], 1)
    assert cluster.others == [[b"ada"]]
    assert not cluster.slots.empty()


def lister(cluster: _Cluster, shape: ReadShape) -> Lister:
    read = plan_read(shape, layout_of(shape.table, shape.table.primary_index(), "k"), SELECTED_AS)
    return RustReads(cluster).lister(read, read.listings[0], None)  # type: ignore[arg-type]


def test_a_batch_of_gets_is_one_list_of_keys_and_its_rows_go_to_each() -> None:
    page = [{"name": "bob", "born": None, "#state": 0}, {"name": "\0", "born": BIRTHDAY, "#state": None}]
    cluster = _Cluster(page, ("CqlText", "CqlDate", "CqlTinyInt"))
    answer = lister(cluster, USER)(("ada",), ["ada", "bob", "\0"])
    assert answer == ({"ada": [], "bob": [("bob", None)], "\0": [("", BIRTHDAY.toordinal())]}, True, 1)
    assert cluster.sent == [[["ada", "bob", "\0"]]]
    assert not cluster.slots.empty()


def test_a_batch_gives_all_rows_where_hidden_ones_took_the_place_of_others() -> None:
    page = [{"at": 7, "#state": 0, "owner": "ada"}, {"at": 6, "#state": 2, "owner": "bob"}]
    cluster = _Cluster(page, ("CqlBigInt", "CqlTinyInt", "CqlText"))
    rows_of_keys, are_shown, statements = lister(cluster, NEWEST)(("ada", 1), ["ada", "bob"])
    assert (rows_of_keys, are_shown, statements) == ({"ada": [(7, 0)], "bob": [(6, 2)]}, False, 1)
    assert cluster.sent == [[["ada", "bob"], 1]]


def test_a_batch_that_fails_goes_the_ordinary_way() -> None:
    page = [{"name": "ada", "born": None, "#state": 0}]
    cluster = _Cluster(page, ("CqlText", "CqlDate", "CqlTinyInt"), TimeoutError())
    assert lister(cluster, USER)(("ada",), ["ada", "bob"]) == ({"ada": [("ada", None)], "bob": []}, True, 1)
    assert cluster.others == [[["ada", "bob"]]]
    assert not cluster.slots.empty()
