"""The grammar of the language, production by production, and sentences derived from it.

The parser is written by hand, so this is a description beside it. One test derives sentences from every production and
parses them; another compares the keywords that the parser knows with the words below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from piql.schema.calendar import UNIT_OF_WORD
from piql.schema.types import KIND_OF_NAME

SECTIONS: dict[str, str] = {
    "Files": """
file            = { statement [ ";" ] } ;
statement       = create_table | create_index | create_view | set_setting | create_query | create_unit | create_entity
                | fetch_query ;
""",
    "Schema": """
create_table    = "CREATE" "TABLE" name "(" element { "," element } ")" ;
default         = literal | "CURRENT_TIMESTAMP" | "CURRENT_DATE" | word "(" ")" ;
element         = column | [ "CONSTRAINT" name ] constraint ;
column          = name type [ "NULL" | "NOT" "NULL" ] [ "DEFAULT" default ]
                  { [ "CONSTRAINT" name ] column_constraint } ;
column_constraint = "PRIMARY" "KEY" | "UNIQUE" | references | check ;
constraint      = "PRIMARY" "KEY" columns
                | "UNIQUE" columns
                | "FOREIGN" "KEY" columns references
                | "CARDINALITY" "LIMIT" positive [ columns | "(" "TOKEN" columns ")" ]
                | check ;
check           = "CHECK" "(" expression ")" ;
references      = "REFERENCES" name [ columns ] [ "MAX" positive ] { refusing } ;
refusing        = "ON" ( "DELETE" | "UPDATE" ) ( "RESTRICT" | "NO" "ACTION" ) ;
columns         = "(" name { "," name } ")" ;
type            = type_name [ "(" positive [ "," positive ] ")" ] ;
create_index    = "CREATE" "INDEX" name "ON" name "(" index_part { "," index_part } ")"
                  [ ( "COVERING" | "INCLUDE" ) columns ] [ "BUCKETS" positive ] ;
create_view     = "CREATE" "VIEW" name "AS" select [ "WINDOW" duration [ "BY" duration ] ]
                  [ "STRIPES" positive ] ;
duration        = positive unit ;
set_setting     = "SET" name "=" positive ;
index_part      = ( name | "TOKEN" columns ) [ "ASC" | "DESC" ] ;
""",
    "Queries": """
create_query    = "CREATE" "QUERY" name [ with_read ] "AS" ( query | union )
                | "CREATE" "QUERY" name "AS" fetch
                | "CREATE" "QUERY" name [ with_write ] "AS" ( insert | update | delete ) ;
with_read       = "WITH" "READ" ( "EVENTUAL" | "QUORUM" | "SESSION" ) ;
with_write      = "WITH" "WRITE" ( "QUORUM" | "ALL" ) ;
query           = [ with ] select { "UNION" [ "ALL" | "DISTINCT" ] select } [ order ] [ stop ]
                | "SELECT" output { "," output } ;
union           = [ with ] branch "UNION" [ "ALL" | "DISTINCT" ] branch { "UNION" [ "ALL" | "DISTINCT" ] branch }
                  [ order ] [ stop ] ;
branch          = select | "(" select [ order ] [ "LIMIT" ( positive | parameter ) ] ")" ;
with            = "WITH" [ "RECURSIVE" ] with_query { "," with_query } ;
with_query      = name [ columns ] "AS" "(" ( query | union ) ")" [ "MAX" levels "LEVELS" ] ;
select          = "SELECT" [ "DISTINCT" | "ALL" ] output { "," output } "FROM" source { "," source | join }
                  [ "WHERE" expression ]
                  [ "GROUP" "BY" expression { "," expression } ]
                  [ "HAVING" expression ] ;
output          = "*" | name "." "*" | expression [ "AS" name ] ;
source          = ( name | "(" ( query | union ) ")" ) [ [ "AS" ] name ] ;
join            = [ "INNER" ] "JOIN" source [ "ON" expression | "USING" columns ]
                | "LEFT" [ "OUTER" ] "JOIN" source ( "ON" expression | "USING" columns )
                | "CROSS" "JOIN" source ;
order           = "ORDER" "BY" sort_key { "," sort_key } ;
sort_key        = expression [ "ASC" | "DESC" ] [ "NULLS" ( "FIRST" | "LAST" ) ] ;
stop            = ( "LIMIT" | "PAGINATE" ) ( positive | parameter )
                | "FETCH" ( "FIRST" | "NEXT" ) [ positive | parameter ] ( "ROW" | "ROWS" ) "ONLY" ;
""",
    "Writes": """
create_unit     = "CREATE" "UNIT" name "AS" "BEGIN" { let ";" } write ";" { ( let | write ) ";" } "END" ;
let             = "LET" ( word "=" expression | "(" word { "," word } ")" "=" "(" query ")" ) ;
write           = insert | update | delete ;
insert          = "INSERT" "INTO" name [ columns ] "VALUES" ( row { "," row } | parameter )
                  [ "IF" "NOT" "EXISTS" | on_conflict ] [ returning ] ;
on_conflict     = "ON" "CONFLICT" "DO" "NOTHING" | "ON" "CONFLICT" columns "DO" "NOTHING"
                | "ON" "CONFLICT" columns "DO" "UPDATE" "SET" assignment { "," assignment } ;
update          = "UPDATE" written "SET" assignment { "," assignment } [ "WHERE" expression ] [ first ]
                  [ "IF" expression ] [ returning ] ;
assignment      = [ name "." ] name "=" concatenation ;
delete          = "DELETE" "FROM" written [ "WHERE" expression ] [ first ] [ "IF" expression ] [ returning ] ;
written         = name [ [ "AS" ] name ] ;
first           = [ order ] "LIMIT" ( positive | parameter ) ;
row             = "(" value { "," value } ")" ;
value           = expression | "DEFAULT" ;
returning       = "RETURNING" returned { "," returned } ;
returned        = "*" | name "." "*" | column_name [ "AS" name ] ;
""",
    "Expressions": """
expression      = conjunction { "OR" conjunction } ;
conjunction     = negation { "AND" negation } ;
negation        = { "NOT" } predicate ;
predicate       = concatenation [ comparison ] ;
comparison      = ( "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" ) concatenation
                | "=" ( "ANY" | "SOME" ) "(" parameter ")"
                | "<>" "ALL" "(" parameter ")"
                | "IS" [ "NOT" ] ( "NULL" | "DISTINCT" "FROM" concatenation )
                | [ "NOT" ] "BETWEEN" concatenation "AND" concatenation
                | [ "NOT" ] "IN" ( parameter | "(" query ")" | "(" expression { "," expression } ")" )
                | [ "NOT" ] ( "LIKE" | "CONTAINS" ) concatenation ;
concatenation   = sum { "||" sum } ;
sum             = product { ( "+" | "-" ) product } ;
product         = signed { ( "*" | "/" | "%" ) signed } ;
signed          = [ "-" | "+" ] operand { "::" type } ;
operand         = column_name | literal | parameter | call | case | cast | interval
                | "(" expression { "," expression } ")"
                | "(" query ")"
                | "EXISTS" "(" query ")" ;
column_name     = name [ "." name ] ;
call            = "POSITION" "(" concatenation "IN" expression ")"
                | "SUBSTRING" "(" expression ( "FROM" expression [ "FOR" expression ] | "FOR" expression ) ")"
                | "TRIM" "(" ( ( "BOTH" | "LEADING" | "TRAILING" ) [ expression ] | expression ) "FROM" expression ")"
                | word "(" [ "*" | [ "DISTINCT" ] expression { "," expression } [ order ] ] ")"
                  [ "FILTER" "(" "WHERE" expression ")" ]
                | ( "CURRENT_TIMESTAMP" | "CURRENT_DATE" ) [ "(" ")" ]
                | "EXTRACT" "(" word "FROM" expression ")" ;
case            = "CASE" [ column_name | call ] when { when } [ "ELSE" expression ] "END" ;
cast            = "CAST" "(" expression "AS" type ")" ;
when            = "WHEN" expression "THEN" expression ;
interval        = "INTERVAL" ( interval_text | ( positive | parameter ) unit ) ;
literal         = number | [ "DATE" | "TIME" | "TIMESTAMP" ] string | blob | "TRUE" | "FALSE" | "NULL" ;
parameter       = ( "[" [ positive ":" ] word "]" | ":" word ) [ "MAX" positive ] ;
""",
    "Entities": """
create_entity   = "ENTITY" name "{" attribute { "," attribute } [ "," ] "PRIMARY" [ "KEY" ] columns "}" ;
attribute       = type name [ "NULL" | "NOT" "NULL" ]
                | "FOREIGN" "KEY" name "REF" name [ "MAX" positive ]
                | [ "CONSTRAINT" name ] "UNIQUE" columns
                | [ "CONSTRAINT" name ] "CARDINALITY" "LIMIT" positive [ columns ]
                | [ "CONSTRAINT" name ] check ;
fetch_query     = "QUERY" name [ with_read ] fetch ;
fetch           = "FETCH" name [ [ "AS" ] name ] { "OF" name [ [ "AS" ] name ] "BY" name }
                  [ "WHERE" expression ] [ order ] [ stop ] ;
""",
}

# What the productions leave to the lexer, with texts that stand for them.
LEXICAL: dict[str, tuple[str, tuple[str, ...]]] = {
    "name": (
        "a word that is not reserved, or any text in double quotes or backticks",
        ("users", "owner", "text", '"two words"', "`two words`"),
    ),
    "word": ("letters, digits and `_`, not beginning with a digit", ("count", "_me", "LOWER", "größe")),
    "type_name": ("one of the [types](types.md)", tuple(KIND_OF_NAME)),
    "number": ("digits, with a point or an exponent where wished: `7`, `7.5`, `7e3`", ("7", "7.5", ".5", "7e3")),
    "positive": ("digits, at least 1", ("1", "100")),
    "levels": ("a whole number from 1 to 64", ("1", "64")),
    "string": ("text in single quotes on one line; a quote inside is doubled", ("'ada'", "'it''s'", "''")),
    "interval_text": (
        "counts of units, or a count in front of a unit, in single quotes",
        ("'7 days'", "'1 year 2 days'", "'-1.5 hours'", "'7' DAY"),
    ),
    "unit": ("one of the units of an interval, or its plural", tuple(UNIT_OF_WORD)),
    "blob": ("pairs of hexadecimal digits: `X'00FF'`", ("X'00FF'", "x''")),
}

_PRODUCTION = re.compile(r"^([a-z_]+) += (.*?) ;$", re.MULTILINE | re.DOTALL)
_SYMBOL = re.compile(r'"[^"]+"|[a-z_]+|[\[\](){}|]')
_CLOSING = {"[": "]", "{": "}", "(": ")"}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a production: a terminal or a name, or alternatives of sequences inside brackets."""

    kind: str  # "terminal", "name", "[", "{" or "("
    text: str = ""
    alternatives: tuple[tuple[Part, ...], ...] = ()


def productions() -> dict[str, Part]:
    """Return every production by name."""
    parts = {}
    for section in SECTIONS.values():
        for name, body in _PRODUCTION.findall(section):
            symbols = _SYMBOL.findall(body)
            alternatives, end = _alternatives(symbols, 0)
            assert end == len(symbols), name
            parts[name] = Part("(", alternatives=alternatives)
    return parts


def _alternatives(symbols: list[str], at: int) -> tuple[tuple[tuple[Part, ...], ...], int]:
    """Return the alternatives that begin at an index, up to a closing bracket or the end, and the index behind them."""
    alternatives: list[tuple[Part, ...]] = []
    sequence: list[Part] = []
    while at < len(symbols) and symbols[at] not in _CLOSING.values():
        symbol = symbols[at]
        at += 1
        if symbol == "|":
            alternatives.append(tuple(sequence))
            sequence = []
        elif symbol in _CLOSING:
            inner, at = _alternatives(symbols, at)
            assert symbols[at] == _CLOSING[symbol], symbols[:at]
            at += 1
            sequence.append(Part(symbol, alternatives=inner))
        else:
            is_terminal = symbol.startswith('"')
            sequence.append(Part("terminal" if is_terminal else "name", symbol.strip('"')))
    return (*alternatives, tuple(sequence)), at


def keywords() -> frozenset[str]:
    """Return the words of the grammar."""
    return frozenset(word for section in SECTIONS.values() for word in re.findall(r'"([A-Z]+)"', section))


def derive(start: str, random: Random, depth: int = 16) -> str:
    """Return one random sentence. Inside more than `depth` productions, everything optional is left out."""
    return " ".join(_derived(Part("name", start), productions(), random, depth))


def _derived(part: Part, rules: dict[str, Part], random: Random, depth: int) -> list[str]:
    """Return the words of a random sentence of one part."""
    if part.kind == "terminal":
        return [part.text]
    if part.kind == "name":
        if part.text in LEXICAL:
            return [random.choice(LEXICAL[part.text][1])]
        return _derived(rules[part.text], rules, random, depth - 1)
    times = {"(": 1, "[": random.randint(0, 1), "{": random.choice((0, 0, 0, 1, 2))}[part.kind]
    if depth <= 0 and part.kind != "(":
        times = 0
    words: list[str] = []
    for _ in range(times):
        chosen = part.alternatives[0] if depth <= 0 else random.choice(part.alternatives)
        for symbol in chosen:
            words.extend(_derived(symbol, rules, random, depth))
    return words
