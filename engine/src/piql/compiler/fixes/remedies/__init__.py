"""The ways to bound a query, one file each: from the gaps of a `RefusedQuery` to `Remedy`s that may close them.

    cardinality_limit   CARDINALITY LIMIT 100 (owner)      foreign_key       FOREIGN KEY … REFERENCES …
    stop                LIMIT 100, PAGINATE 20             order_by_range    ORDER BY posted, …
    join_by_key         AND t.owner = u.name               read_both_sides   a <> b → (a < b OR a > b), NOT IN likewise
    fix_columns         AND owner = [owner]                read_first_rows   FROM (SELECT * … LIMIT 100) t
    limit_of_joined_table    CARDINALITY LIMIT 100 (owner) on a table by which the join can begin
    limit_of_table           CARDINALITY LIMIT 1000 on a table that is a short list
    read_first_rows_of_join  FROM (SELECT * … ORDER BY … LIMIT 100) t JOIN …
    keep_view                a view that holds what the query counts and sums
    compare_columns          LOWER(email) = … → email = …
    keep_joined_view         the same of tables that it joins
    usual_nulls              NULLs where an index has them
    range_of_one_parameter   o >= [from] AND o < [to] → o >= [to] - 20 AND o < [to]

A remedy need not work: `suggest` tries it, alone and with others. To add one, see the head of `fixes`.
"""
