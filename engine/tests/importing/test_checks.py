"""CHECK of other databases: what is kept, in PIQL's words, and what is left out with a note."""

from __future__ import annotations

import piql
import pytest
from piql.importing import import_text

POSTGRES = """CREATE TABLE public.items (
    id integer NOT NULL PRIMARY KEY,
    quantity integer,
    state character varying(20),
    price numeric(10,2) CONSTRAINT not_negative CHECK (price >= (0)::numeric),
    "Order" text,
    CONSTRAINT items_state_check CHECK
      (((state)::text = ANY ((ARRAY['new'::character varying, 'it''s'::character varying])::text[]))),
    CONSTRAINT long CHECK ((char_length("Order") <= 30) AND quantity <> ALL (ARRAY[1, 2])),
    CONSTRAINT form CHECK ("Order" ~ '^[a-z]+$')
);
ALTER TABLE ONLY public.items ADD CONSTRAINT later CHECK (quantity >= 3) NOT VALID;
"""
MYSQL = """CREATE TABLE `items` (
  `id` int NOT NULL,
  `qty` int DEFAULT NULL,
  `state` varchar(10) DEFAULT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `items_chk_1` CHECK ((`qty` > 0)),
  CONSTRAINT `items_chk_2` CHECK ((`state` in (_utf8mb4'new',_utf8mb4'paid'))),
  CONSTRAINT `items_chk_3` CHECK ((`qty` < 9)) NOT ENFORCED
);
"""
TSQL = """CREATE TABLE [dbo].[items]([id] [int] NOT NULL PRIMARY KEY, [qty] [int] NULL)
GO
ALTER TABLE [dbo].[items] WITH CHECK ADD CONSTRAINT [CK_q] CHECK (([qty]>=(0)))
GO
"""


@pytest.mark.parametrize(
    ("text", "dialect", "checks"),
    [
        (
            POSTGRES,
            "postgres",
            [
                "not_negative: price >= 0::NUMERIC",
                "items_state_check: state IN ('new', 'it''s')",
                'long: CHAR_LENGTH("Order") <= 30 AND quantity NOT IN (1, 2)',
                "later: quantity >= 3",
            ],
        ),
        (MYSQL, "mysql", ["items_chk_1: qty > 0", "items_chk_2: state IN ('new', 'paid')"]),
        (TSQL, "tsql", ["CK_q: qty >= 0"]),
    ],
)
def test_a_check_is_kept_in_the_words_of_piql(text: str, dialect: str, checks: list[str]) -> None:
    table = piql.compile(import_text(text, dialect).text).tables["items"]
    assert [f"{check.name}: {check.written}" for check in table.checks] == checks


def test_a_check_that_cannot_be_kept_is_noted_with_its_line() -> None:
    notes = [(note.line, note.subject, note.reason) for note in import_text(POSTGRES, "postgres").notes]
    assert notes == [(10, "CHECK of items", "check in the application that \"Order\" ~ '^[a-z]+$'")]
    (note,) = (note for note in import_text(MYSQL, "mysql").notes)
    assert (note.line, note.reason) == (8, "its database does not check it either")
