"""What reading the text finds."""

from piql.text.diagnostics.code import Code

CODES = (
    Code(
        "syntax-error",
        "The text is not PIQL",
        "A word, a name or a symbol is missing or misspelled here. The message says what is expected and what is "
        "there. The statement is left out; the others are still compiled.",
        "CREATE QUERY q AS SELECT username FORM users;",
    ),
    Code(
        "missing-semicolon",
        "A semicolon is missing",
        "Every statement ends with a semicolon. Both statements are compiled all the same.",
        "CREATE TABLE a (id INT PRIMARY KEY)\nCREATE TABLE b (id INT PRIMARY KEY);",
    ),
    Code(
        "unclosed-quote",
        "A quote is not closed",
        "A text ('…') or a quoted name (\"…\") must end on the line on which it begins. Write a quote inside a "
        "text twice: 'it''s'.",
        "CREATE TABLE t (id INT PRIMARY KEY, a TEXT);\nCREATE QUERY q AS SELECT id FROM t WHERE a = 'red;",
    ),
    Code(
        "unclosed-comment",
        "A comment is not closed",
        "A comment that begins with /* must end with */. Everything up to the end of the text is taken for a comment.",
        "CREATE TABLE t (id INT PRIMARY KEY); /* and more",
    ),
    Code(
        "unknown-character",
        "A character is not part of the language",
        "This character has no meaning in PIQL. Inside quotes every character is allowed.",
        "CREATE TABLE t (id INT PRIMARY KEY, price$ INT);",
    ),
    Code(
        "nesting-too-deep",
        "Too many levels are nested",
        "The compiler reads 50 levels of parentheses, subqueries and NOT. Rewrite the condition with fewer levels.",
        "CREATE QUERY q AS SELECT id FROM t WHERE " + "(" * 60 + "id = 1" + ")" * 60 + ";",
    ),
    Code(
        "too-many",
        "There are too many parts",
        "These are the most that the compiler takes. One expression: 64 operators in a row. One FROM: 64 tables. One "
        "UNION: 64 queries. One table: 1,000 columns and constraints. One key, limit or index: 32 columns. One AND: "
        "2,000 conditions. One OR: 3,000 branches of several conditions each. One IN: 3,000 rows of several values. "
        "One GROUP BY or ORDER BY: 1,000 terms. One result: 5,000 columns. One statement: 50,000 words and signs. One "
        "file: 16,000,000 characters, and about 1,200 joins of two tables, 250 of six, 2,300 reads of one, 650 with an"
        " EXISTS, or 400 of a MIN or MAX; move what follows into another file. The stars and FETCHes of one file may "
        "add 300,000 columns together, which is 300 reads of the widest tables, or 100,000 in a file of thousands of "
        "queries. A project may have any number of files.",
        "CREATE QUERY q AS SELECT " + "+".join("1" * 70) + " FROM t;",
    ),
    Code(
        "read-policy",
        "WITH READ or WITH WRITE does not fit here",
        "WITH READ says how fresh the rows of a SELECT are. What a write reads it checks at serial or quorum "
        "consistency. WITH WRITE says which copies acknowledge an INSERT, UPDATE or DELETE: a majority (QUORUM), as "
        "without it, or ALL. A write that one copy alone acknowledges is not offered: this copy may be lost with its "
        "node, and a QUORUM read could miss the write.",
        "CREATE TABLE t (id INT PRIMARY KEY, a INT);\nCREATE QUERY q WITH READ EVENTUAL AS DELETE FROM t WHERE id = 1;",
    ),
    Code(
        "bad-number",
        "A number is out of its range",
        "A limit and the length of a type must be at least 1. A literal must fit into BIGINT or DOUBLE.",
        "CREATE TABLE t (id INT, a INT, PRIMARY KEY (id), CARDINALITY LIMIT 0 (a));",
    ),
    Code(
        "not-in-piql",
        "This part of SQL is not part of PIQL",
        "PIQL leaves out what needs unbounded work, and what can be written in another way: RIGHT and "
        "FULL joins, INTERSECT and EXCEPT, ON DELETE CASCADE. The message says what to write instead.",
        "CREATE TABLE u (a INT PRIMARY KEY);\n"
        "CREATE TABLE t (id INT PRIMARY KEY, a INT REFERENCES u ON DELETE CASCADE);",
    ),
    Code(
        "recursive-query",
        "A recursive query has no stated depth, or does more than add rows level by level",
        "How often a recursive query repeats depends on the data, so its work has no bound. MAX n LEVELS behind its "
        "parenthesis says how many levels are read at most after the first rows, from 1 to 64. Rows of further levels "
        "are left out without an error, as by LIMIT. The query has two parts, with UNION or UNION ALL between them: "
        "the first rows, and one SELECT that repeats. This SELECT names the query exactly once, in FROM and not on the "
        "right of a LEFT JOIN. It has no aggregate, GROUP BY, DISTINCT, ORDER BY or LIMIT: these belong to the query "
        "that reads it.",
        "CREATE TABLE parts (id INT PRIMARY KEY, part_of INT);\n"
        "CREATE QUERY q AS WITH RECURSIVE above (id, part_of) AS (\n"
        "  SELECT id, part_of FROM parts WHERE id = [id]\n"
        "  UNION ALL\n"
        "  SELECT p.id, p.part_of FROM parts p JOIN above a ON p.id = a.part_of\n"
        ")\n"
        "SELECT id FROM above;",
    ),
    Code(
        "parameter-style",
        "Parameters of one statement are written in two ways",
        "Parameters are named, as [1: name], [name] or :name, or they are ?, or they are numbered, as $1. The "
        "parameters of one statement are all written in one of these three ways. Those that have no name are called "
        "p1, p2, …: the first ? and $1 are p1.",
        "CREATE TABLE t (id INT PRIMARY KEY, a INT);\nCREATE QUERY q AS SELECT a FROM t WHERE id = ? AND a > [least];",
    ),
    Code(
        "unnamed-query",
        "A query has no name",
        "An application calls a query by its name: write CREATE QUERY name AS in front of it. Statements without a "
        "name are for the interactive mode.",
        "CREATE TABLE t (id INT PRIMARY KEY);\nSELECT id FROM t WHERE id = 1;",
    ),
)
