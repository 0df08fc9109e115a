"""Names → columns: DDL becomes a `Catalog`, each query a logical plan over typed columns.

Enters: the syntax trees of all files. Leaves: a `BoundSchema` (`binder.bind_schema_once`) and one `BoundQuery` a query
(`binder.bind_piece`), with diagnostics for names and types that do not fit. Next: `optimizer`.

    schema, entities, indexes        CREATE TABLE, ENTITY, CREATE INDEX
    queries, unions, fetch, stops    SELECT, UNION, FETCH, LIMIT   writes    INSERT, UPDATE, DELETE
    expressions and what it calls    calls, aggregates, row_values, token_search, whole_numbers, windows
    scope, near_names, parameters    which column or parameter a name means
    outputs, star_room               the columns of a result, and how many stars may stand for
    types, functions                 rules of types; the one list of functions
    conversion                       the ENTITY/FETCH dialect as SQL, for whoever wants to leave it
"""
