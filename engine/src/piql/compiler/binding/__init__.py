"""Names → columns: DDL becomes a `Catalog`, each query a logical plan over typed columns.

Enters: the syntax trees of all files. Leaves: a `BoundSchema` (`binder.bind_schema_once`) and one `BoundQuery` a query
(`binder.bind_piece`), with diagnostics for names and types that do not fit. Next: `optimizer`.

    schema, entities, indexes        CREATE TABLE, ENTITY, CREATE INDEX; settings   SET
    type_names, defaults, checks, references_with_null     parts of a table
    views, view_tables, view_windows CREATE VIEW; the tables that it joins, and its windows of time
    view_rows, row_tests             which rows a view counts; what that shares with a CHECK
    queries, unions, fetch, stops    SELECT, UNION, FETCH, LIMIT
    with_clauses, recursion, using, order, existence, one_row, determined     parts of a SELECT
    parts_of_groups                  what takes the stripes of a view for its groups
    stripes_read, added_up_stripes   what is read of them, and the fix that adds them up
    sums_of_stripes                  whether a SUM over stripes is that of the groups
    writes, written_rows, returning  INSERT, UPDATE, DELETE; which rows they change, and what they give back
    read_values                      what an INSERT reads first
    units    let                     CREATE UNIT: what its statements mean beside what they mean alone; its LETs
    expressions and what it calls    calls, aggregate_calls, aggregates, alike, case, cast, dates, distinct, row_values,
                                     supplied, token_search, whole_numbers, windows
    scope, near_names, parameters    which column or parameter a name means
    outputs, output_names, star_room the columns of a result, and how many stars may stand for
    types, functions                 rules of types; the one list of functions
    same_but_limits                  tables of which only limits have other numbers
    conversion                       the ENTITY/FETCH dialect as SQL, for whoever wants to leave it
"""
