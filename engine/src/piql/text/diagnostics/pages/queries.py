"""What binding finds in queries."""

from piql.text.diagnostics.code import Code

_T = "CREATE TABLE t (id INT PRIMARY KEY, a INT, name TEXT, day DATE);\n"
_U = "CREATE TABLE u (id INT PRIMARY KEY, a INT);\n"

CODES = (
    Code(
        "duplicate-query",
        "Two queries have one name",
        "Query names are unique in all files together, whatever the case of their letters.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = 1;\nCREATE QUERY q AS SELECT a FROM t WHERE id = 1;",
    ),
    Code(
        "unknown-table",
        "There is no such table",
        "No file of the project declares a table of this name. Where a name is near, it is offered.",
        _T + "CREATE QUERY q AS SELECT id FROM tt WHERE id = 1;",
    ),
    Code(
        "unknown-column",
        "There is no such column",
        "The table, or none of the tables of the query, has a column of this name.",
        _T + "CREATE QUERY q AS SELECT idd FROM t WHERE id = 1;",
    ),
    Code(
        "unknown-relation",
        "FROM names no such table",
        "The name before the dot is neither a table of FROM nor an alias in it. A table with an alias is called by "
        "its alias only.",
        _T + "CREATE QUERY q AS SELECT t.id FROM t x WHERE x.id = 1;",
    ),
    Code(
        "unknown-function",
        "There is no such function",
        "The message names a function with a similar name, or lists all of them. The reference says of each what it "
        "takes and what it gives.",
        _T + "CREATE QUERY q AS SELECT LOWR(name) AS n FROM t WHERE id = 1;",
    ),
    Code(
        "function-arguments",
        "A function is called in another way",
        "The number or the types of the arguments are not those that the function takes.",
        _T + "CREATE QUERY q AS SELECT LOWER(a) AS n FROM t WHERE id = 1;",
    ),
    Code(
        "ambiguous-column",
        "A column may be one of several",
        "Several tables of the query have a column of this name. Write the table or its alias before it.",
        _T + _U + "CREATE QUERY q AS SELECT t.id FROM t JOIN u ON u.id = t.id WHERE a = 1;",
    ),
    Code(
        "ambiguous-step",
        "A step of FETCH may lead in two directions",
        "OF … BY names a foreign key between two entities. When both have one of that name that refers to the "
        "other, the direction is open; a SELECT says it.",
        "ENTITY p { int id, FOREIGN KEY other REF p, PRIMARY(id) }\nQUERY q FETCH p OF p x BY other WHERE x = [this]",
    ),
    Code(
        "duplicate-alias",
        "Two tables of FROM have one name",
        "Each table in FROM is called by its own name or alias; a table that stands twice needs an alias.",
        _T + "CREATE QUERY q AS SELECT t.id FROM t JOIN t ON t.id = t.a;",
    ),
    Code(
        "duplicate-output",
        "Two columns of the result have one name",
        "A row of the result is a dictionary, so the names of its columns differ. Give one of them an alias with AS.",
        _T + _U + "CREATE QUERY q AS SELECT t.id, u.id FROM t JOIN u ON u.id = t.a WHERE t.id = 1;",
    ),
    Code(
        "missing-from",
        "A query reads no table",
        "A query reads at least one table; a constant needs none.",
        "CREATE QUERY q AS SELECT 1;",
    ),
    Code(
        "missing-alias",
        "A derived table has no name",
        "A query in FROM is given a name, by which its columns are called: FROM (SELECT …) AS name.",
        _T + "CREATE QUERY q AS SELECT id FROM (SELECT id FROM t WHERE id = 1);",
    ),
    Code(
        "type-mismatch",
        "The types do not fit",
        "Values are compared, joined and written within one type: numbers with numbers, texts with texts. ISO texts "
        "stand for TIMESTAMP, DATE, UUID and DECIMAL.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = 'one';",
    ),
    Code(
        "not-a-condition",
        "This is no condition",
        "WHERE, ON and HAVING hold something that is true or false: a comparison, or a BOOLEAN column.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE a;",
    ),
    Code(
        "null-comparison",
        "A comparison with NULL is never true",
        "NULL is not equal to anything, itself included. Ask with IS NULL or IS NOT NULL.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 AND a = NULL;",
        "warning",
    ),
    Code(
        "row-value",
        "Several values stand where one belongs",
        "Values in parentheses are compared with as many values, looked for by IN among rows, or searched by "
        "CONTAINS; nothing else is done with them.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE (id, a) = (1, 2, 3);",
    ),
    Code(
        "scalar-subquery",
        "A subquery of several rows stands for one value",
        "A subquery in the place of a value gives one row at most: it fixes a whole key of its only table by "
        "equalities, or it speaks of nothing outside and stops after one row or gives one aggregate. In the select "
        "list and in WHERE it may also be an aggregate over the rows that the row outside finds. Any other would be an "
        "error as soon as it has two rows, or could not be read within a bound.",
        _T + _U + "CREATE QUERY q AS SELECT id FROM t WHERE id = (SELECT a FROM u WHERE a = 1);",
    ),
    Code(
        "subquery-columns",
        "The subquery of IN gives several columns",
        "IN compares one value with one column.",
        _T + _U + "CREATE QUERY q AS SELECT id FROM t WHERE id IN (SELECT id, a FROM u WHERE id = 1);",
    ),
    Code(
        "union-columns",
        "The queries of a UNION differ in their columns",
        "All queries of a UNION give as many columns, of the same types; the names are those of the first.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = 1 UNION SELECT id, a FROM t WHERE id = 2;",
    ),
    Code(
        "aggregate-misuse",
        "An aggregate cannot stand here",
        "Aggregates stand in the select list, in HAVING and in ORDER BY, and not inside one another.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE COUNT(*) > 1;",
    ),
    Code(
        "not-grouped",
        "A column may differ within one group",
        "With GROUP BY or an aggregate, a row stands for a group: other columns are group keys or inside aggregates.",
        _T + "CREATE QUERY q AS SELECT a, COUNT(*) AS n FROM t WHERE id = 1;",
    ),
    Code(
        "distinct-order",
        "DISTINCT is ordered by something it does not give",
        "With DISTINCT several rows become one, so the order can only ask for columns of the result.",
        _T + "CREATE QUERY q AS SELECT DISTINCT a FROM t WHERE id = 1 ORDER BY name;",
    ),
    Code(
        "token-search",
        "LIKE and CONTAINS search one word",
        "A search names text columns of one table on the left, and on the right one word: a parameter or a text of "
        "letters and digits. Several words are several searches joined by AND.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE name LIKE 'red sea' LIMIT 10;",
    ),
    Code(
        "pattern-match",
        "A pattern has to be tried on every row",
        "LIKE '%x%' can only be answered by reading all rows, however many there are. Search for whole words, which "
        "an inverted index finds: column LIKE [word].",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE name LIKE '%red%' LIMIT 10;",
    ),
    Code(
        "offset",
        "OFFSET does work that grows",
        "A query with OFFSET reads and drops all rows before its page, so page 1,000 costs a thousand pages. "
        "PAGINATE gives a cursor with each page, and every page costs the same.",
        _T + "CREATE QUERY q AS SELECT id FROM t ORDER BY id LIMIT 10 OFFSET 20;",
    ),
    Code(
        "nested-page",
        "A query inside another has no pages",
        "PAGINATE gives a cursor to the caller, and only the outermost query has one. Inside, write LIMIT.",
        _T + "CREATE QUERY q AS SELECT d.id FROM (SELECT id FROM t PAGINATE 5) d LIMIT 5;",
    ),
    Code(
        "window-function",
        "Window functions are left out",
        "A window function looks at rows beyond those that the query returns. Group a bounded section, or number "
        "the rows in the application.",
        _T + "CREATE QUERY q AS SELECT ROW_NUMBER() OVER (ORDER BY id) AS n FROM t WHERE id = 1;",
    ),
    Code(
        "missing-max",
        "A parameter has no MAX",
        "The work of the query depends on how many rows or values the caller asks for, so LIMIT [count] and IN "
        "[list] name the most that it may be.",
        _T + "CREATE QUERY q AS SELECT id FROM t LIMIT [1: count];",
    ),
    Code(
        "max-without-use",
        "MAX says nothing here",
        "MAX belongs to a list parameter and to the count of LIMIT and PAGINATE; one value has no number of values.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = [1: id] MAX 5;",
        "warning",
    ),
    Code(
        "parameter-type-unknown",
        "The type of a parameter is unknown",
        "A parameter takes the type of the column that it is compared with or put into. Here there is none.",
        _T + "CREATE QUERY q AS SELECT [1: x] AS x FROM t WHERE id = 1;",
    ),
    Code(
        "parameter-conflict",
        "A parameter is used in two ways",
        "One parameter has one type, and is either one value or a list.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = [1: x] AND name = [1: x];",
    ),
    Code(
        "parameter-ordinal",
        "The ordinals of the parameters are wrong",
        "Ordinals start at 1, leave no gap, and each belongs to one parameter. They may be left out altogether.",
        _T + "CREATE QUERY q AS SELECT id FROM t WHERE id = [2: x];",
    ),
)
