"""What binding finds in queries."""

from piql.text.diagnostics.code import Code

_T = "CREATE TABLE t (id INT PRIMARY KEY, a INT, name TEXT, day DATE);\n"
_U = "CREATE TABLE u (id INT PRIMARY KEY, a INT);\n"

CODES = (
    Code(
        "duplicate-query",
        "Two queries have one name",
        "Query names are unique in all files together. Upper and lower case do not make them different.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = 1;\nCREATE QUERY q AS SELECT a FROM t WHERE id = 1;",
    ),
    Code(
        "unknown-table",
        "There is no such table",
        "No file of the project declares a table of this name. If a table has a similar name, it is offered as a fix.",
        _T + "CREATE QUERY q AS SELECT id FROM tt WHERE id = 1;",
    ),
    Code(
        "unknown-column",
        "There is no such column",
        "Neither the table nor any other table of the query has a column of this name.",
        _T + "CREATE QUERY q AS SELECT idd FROM t WHERE id = 1;",
    ),
    Code(
        "unknown-relation",
        "FROM names no such table",
        "The name before the dot is neither a table in FROM nor an alias. A table with an alias can only be called "
        "by its alias.",
        _T + "CREATE QUERY q AS SELECT t.id FROM t x WHERE x.id = 1;",
    ),
    Code(
        "unknown-function",
        "There is no such function",
        "The message names a function with a similar name, or lists all of them. The reference lists what each "
        "takes and returns.",
        _T + "CREATE QUERY q AS SELECT LOWR(name) AS n FROM t WHERE id = 1;",
    ),
    Code(
        "function-arguments",
        "A function has the wrong arguments",
        "The function takes another number of arguments, or arguments of other types. The message shows how to "
        "call it.",
        _T + "CREATE QUERY q AS SELECT LOWER(a) AS n FROM t WHERE id = 1;",
    ),
    Code(
        "ambiguous-column",
        "Several tables have this column",
        "Several tables of the query have a column of this name. Write the table or its alias before it.",
        _T + _U + "CREATE QUERY q AS SELECT t.id FROM t JOIN u ON u.id = t.id WHERE a = 1;",
    ),
    Code(
        "ambiguous-step",
        "A step of FETCH may lead in two directions",
        "OF … BY names a foreign key between two entities. Both entities have a foreign key of this name that "
        "refers to the other, so the direction is not clear. Write a SELECT, which says the direction.",
        "ENTITY p { int id, FOREIGN KEY other REF p, PRIMARY(id) }\nQUERY q FETCH p OF p x BY other WHERE x = [this]",
    ),
    Code(
        "unused-with",
        "A query of WITH is not used",
        "Nothing reads this query, so it is left out: it makes no request. Remove it, or read it in FROM.",
        _T + "CREATE QUERY q AS WITH few AS (SELECT id FROM t LIMIT 5) SELECT id FROM t WHERE id = 1;",
        "warning",
    ),
    Code(
        "parts-of-groups",
        "The stripes of a view are read one by one",
        "A view with STRIPES n has up to n rows for each group: a column of such a row is a part of the count or sum. "
        "So the groups are what SUM gives, by the columns of the view's GROUP BY. Other aggregates take each stripe "
        "for itself, and so does a SUM of more than the parts, such as SUM(n + 1): add them up in a derived table "
        "before. A join repeats its rows for each. Name the column stripe, in the select list or in WHERE, if the "
        "parts are meant.",
        _T + "CREATE VIEW v AS SELECT a, COUNT(*) AS n FROM t WHERE a > 0 GROUP BY a STRIPES 4;\n"
        "CREATE QUERY q AS SELECT n FROM v WHERE a = 1;",
        "warning",
    ),
    Code(
        "duplicate-alias",
        "Two tables of FROM have one name",
        "Each table in FROM is called by its own name or alias. A table that appears twice needs an alias.",
        _T + "CREATE QUERY q AS SELECT t.id FROM t JOIN t ON t.id = t.a;",
    ),
    Code(
        "duplicate-output",
        "Two columns of the result have one name",
        "A row of the result is a dictionary, so its columns need different names. Give one of them an alias with AS.",
        _T + _U + "CREATE QUERY q AS SELECT t.id, u.id FROM t JOIN u ON u.id = t.a WHERE t.id = 1;",
    ),
    Code(
        "missing-from",
        "A query reads no table",
        "A query must read at least one table, in FROM or in a subquery of the select list. For a constant no query is "
        "needed.",
        "CREATE QUERY q AS SELECT 1;",
    ),
    Code(
        "missing-alias",
        "A derived table has no name",
        "A query in FROM needs a name, by which its columns are called: FROM (SELECT …) AS name.",
        _T + "CREATE QUERY q AS SELECT id FROM (SELECT id FROM t WHERE id = 1);",
    ),
    Code(
        "type-mismatch",
        "Types do not fit together",
        "Values are compared, joined and written within one type: numbers with numbers, texts with texts. "
        "Values of TIMESTAMP, DATE, TIME, UUID and DECIMAL may be written as texts, such as '2026-01-31'.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = 'one';",
    ),
    Code(
        "not-a-condition",
        "This is not a condition",
        "WHERE, ON and HAVING need something that is true or false: a comparison, or a BOOLEAN column.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE a;",
    ),
    Code(
        "null-comparison",
        "A comparison with NULL is never true",
        "NULL is not equal to anything, not even to NULL. Write IS NULL or IS NOT NULL.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 AND a = NULL;",
        "warning",
    ),
    Code(
        "row-value",
        "Several values are given where one is expected",
        "Several values in parentheses can be compared with the same number of values, be searched for by IN in a "
        "list of rows, or be searched by CONTAINS. Nothing else can be done with them.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE (id, a) = (1, 2, 3);",
    ),
    Code(
        "scalar-subquery",
        "A subquery that may return several rows is used as one value",
        "A subquery used as a value must return at most one row. Either it fixes a whole key of its only table by "
        "equalities, or it names no column from outside and ends with LIMIT 1 or one aggregate. In the select list "
        "and in WHERE it may also be an aggregate over the rows that belong to the outer row. Any other subquery "
        "would fail as soon as it finds two rows, or could not be read within a bound.",
        _T + _U + "CREATE QUERY q AS SELECT id FROM t WHERE id = (SELECT a FROM u WHERE a = 1);",
    ),
    Code(
        "subquery-columns",
        "The subquery of IN returns several columns",
        "IN compares one value with one column. Select one column only.",
        _T + _U + "CREATE QUERY q AS SELECT id FROM t WHERE id IN (SELECT id, a FROM u WHERE id = 1);",
    ),
    Code(
        "one-value-list",
        "IN with one parameter in parentheses takes one value",
        "A parameter in the parentheses of IN is one value. A list is one parameter, without parentheses and with the "
        "most values that it may have: IN [ids] MAX 50. Write column = [id] where one value is meant.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id IN ([ids]);",
        "info",
    ),
    Code(
        "union-columns",
        "The queries of a UNION differ in their columns",
        "All queries of a UNION return the same number of columns, of the same types. The names are those of the "
        "first query.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 UNION SELECT id, a FROM t WHERE id = 2;",
    ),
    Code(
        "aggregate-misuse",
        "An aggregate is not allowed here",
        "Aggregates are allowed in the select list, in HAVING and in ORDER BY, but not inside one another.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE COUNT(*) > 1;",
    ),
    Code(
        "not-grouped",
        "A column may differ within one group",
        "With GROUP BY or an aggregate, each row of the result is a group. Every other column must be in GROUP BY "
        "or inside an aggregate.",
        _T + "CREATE QUERY q AS SELECT a, COUNT(*) AS n FROM t WHERE id = 1;",
    ),
    Code(
        "distinct-order",
        "DISTINCT is ordered by something that is not in the result",
        "DISTINCT combines equal rows into one, so the order can only use columns of the result.",
        _T + "CREATE QUERY q AS SELECT DISTINCT a FROM t WHERE id = 1 ORDER BY name;",
    ),
    Code(
        "token-search",
        "LIKE and CONTAINS search one word",
        "A search needs text columns of one table on the left, and one word on the right: a parameter, or a text "
        "of letters and digits. To search for several words, write several searches joined by AND.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE name LIKE 'red sea' LIMIT 10;",
    ),
    Code(
        "pattern-match",
        "A pattern would be tried on every row",
        "LIKE '%x%' can only be answered by reading all rows, however many there are. Search for whole words with "
        "column LIKE [word]: an inverted index finds them.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE name LIKE '%red%' LIMIT 10;",
    ),
    Code(
        "offset",
        "The work of OFFSET grows with the offset",
        "A query with OFFSET reads and drops all rows before its page, so page 1,000 costs as much as a thousand "
        "pages. PAGINATE returns a cursor with each page, and every page costs the same.",
        _T + "CREATE QUERY q AS SELECT id FROM t ORDER BY id LIMIT 10 OFFSET 20;",
    ),
    Code(
        "nested-page",
        "A query inside another has no pages",
        "PAGINATE returns a cursor to the caller, so only the outermost query can have it. Inside, write LIMIT.",
        _T + "CREATE QUERY q AS SELECT d.id FROM (SELECT id FROM t PAGINATE 5) d LIMIT 5;",
    ),
    Code(
        "window-function",
        "Window functions are not part of PIQL",
        "A window function looks at rows beyond those that the query returns. Group a bounded number of rows with "
        "GROUP BY, or number the rows in the application.",
        _T + "CREATE QUERY q AS SELECT ROW_NUMBER() OVER (ORDER BY id) AS n FROM t WHERE id = 1;",
    ),
    Code(
        "missing-max",
        "A parameter has no MAX",
        "The work of the query depends on how many rows or values the caller asks for. So LIMIT [count] and IN "
        "[list] must state the most it may be: add MAX and a number.",
        _T + "CREATE QUERY q AS SELECT id FROM t LIMIT [1: count];",
    ),
    Code(
        "max-without-use",
        "MAX has no effect here",
        "MAX is for a list parameter and for the count of LIMIT and PAGINATE. This parameter is a single value.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = [1: id] MAX 5;",
        "warning",
    ),
    Code(
        "parameter-type-unknown",
        "The type of a parameter is unknown",
        "A parameter takes the type of the column that it is compared with or assigned to. Here there is no such "
        "column.",
        _T + "CREATE QUERY q AS SELECT [1: x] AS x FROM t WHERE id = 1;",
    ),
    Code(
        "parameter-conflict",
        "A parameter is used in two ways",
        "A parameter has one type, and is either one value or a list. Use two parameters.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = [1: x] AND name = [1: x];",
    ),
    Code(
        "parameter-ordinal",
        "The ordinals of the parameters are wrong",
        "Ordinals start at 1 and leave no gap, and each belongs to one parameter. You can leave them all out.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = [2: x];",
    ),
)
