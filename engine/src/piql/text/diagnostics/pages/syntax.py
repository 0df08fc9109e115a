"""What reading the text finds."""

from piql.text.diagnostics.code import Code

CODES = (
    Code(
        "syntax-error",
        "The text is not PIQL",
        "Something else stands where a word, a name or a symbol is needed. The message says what is expected and "
        "what is found. The statement is left out, the others are still compiled.",
        "CREATE QUERY q AS SELECT username FORM users;",
    ),
    Code(
        "missing-semicolon",
        "A semicolon is missing",
        "Every statement ends with a semicolon. Both statements are understood all the same.",
        "CREATE TABLE a (id INT PRIMARY KEY)\nCREATE TABLE b (id INT PRIMARY KEY);",
    ),
    Code(
        "unclosed-quote",
        "A quote is not closed",
        "A text ('…') or a quoted name (\"…\") ends on the line on which it begins. A quote inside a text is "
        "doubled: 'it''s'.",
        "CREATE TABLE t (id INT PRIMARY KEY, a TEXT);\nCREATE QUERY q AS SELECT id FROM t WHERE a = 'red;",
    ),
    Code(
        "unclosed-comment",
        "A comment is not closed",
        "A comment that begins with /* ends with */. Everything up to the end of the text was taken for a comment.",
        "CREATE TABLE t (id INT PRIMARY KEY); /* and more",
    ),
    Code(
        "unknown-character",
        "A character has no meaning",
        "This character is no part of the language. Inside quotes any character of UTF-8 may stand.",
        "CREATE TABLE t (id INT PRIMARY KEY, price$ INT);",
    ),
    Code(
        "nesting-too-deep",
        "Too much stands inside one another",
        "The compiler reads 50 levels of parentheses, subqueries and NOT. Nothing written by hand comes near.",
        "CREATE QUERY q AS SELECT id FROM t WHERE " + "(" * 60 + "id = 1" + ")" * 60 + ";",
    ),
    Code(
        "too-many",
        "There are too many parts",
        "One expression has 64 operators in a row, one FROM 64 tables, one UNION 64 queries, one table 1,000 "
        "columns and constraints, one key, limit or index 32 columns, one AND 2,000 conditions, one OR 3,000 "
        "branches of several conditions each, one IN as many rows, one GROUP BY or ORDER BY 1,000 terms, one result"
        " 5,000 columns, one statement 50,000 words and signs, one file 16,000,000 characters. One file holds about"
        " 1,100 joins of two tables, 250 of six, 2,000 reads of one, or 400 of a MIN or MAX: what stands behind "
        "them goes into another file. The stars and FETCHes of one file stand for 300,000 columns together, which "
        "are 300 reads of the widest tables there are; of a file of thousands of queries for 100,000. A project has"
        " as many files as it likes.",
        "CREATE QUERY q AS SELECT " + "+".join("1" * 70) + " FROM t;",
    ),
    Code(
        "bad-number",
        "A number is out of its range",
        "A limit and the length of a type are at least 1; a literal fits into BIGINT or DOUBLE.",
        "CREATE TABLE t (id INT, a INT, PRIMARY KEY (id), CARDINALITY LIMIT 0 (a));",
    ),
    Code(
        "not-in-piql",
        "This part of SQL is left out",
        "PIQL leaves out what would need unbounded work or what can be said another way: CASE, WITH, RIGHT and FULL "
        "joins, INTERSECT and EXCEPT, DEFAULT, CHECK. The message names the other way.",
        "CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT 0);",
    ),
    Code(
        "recursive-query",
        "A query cannot repeat itself",
        "How often a recursive query repeats depends on the data, so no bound of its work exists. Follow one level "
        "with a join, and call the query again for the next one.",
        "CREATE QUERY q AS WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r;",
    ),
    Code(
        "unnamed-query",
        "A query has no name",
        "Queries of a file are called by their name: write CREATE QUERY name AS in front. Bare statements are for "
        "the interactive mode.",
        "CREATE TABLE t (id INT PRIMARY KEY);\nSELECT id FROM t WHERE id = 1;",
    ),
)
