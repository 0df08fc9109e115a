"""Neutral cases: a schema, one query, its parameters, rows, and what must come of them; `cases/` holds our own.
`equivalent.json` holds groups of queries that say the same.

| field | meaning |
| --- | --- |
| `ddl`, `query` | the text; a SELECT or write is wrapped as CREATE QUERY q |
| `params`, `data` | parameter values by name; rows by table, loaded before anything else |
| `writes_after_load` | statements run before the query; with a `result`, the refusal that must come |
| `expect.outcome` | `bounded`; `rejected` or `view`: no bound, an error with a span, fixes that each help; |
| | `invalid`: the schema or query is wrong; `accepted`: a schema alone; `either` |
| `expect.max_ops_covering_indexes`, `max_ops` | the bound lies between the two |
| `expect.rows`, `ordered`, `pages` | the result; one list a page |
| `expect.suggest` | words of which each must stand in some fix |
| `expect.runtime_error` | the class that executing must raise |
| `expect.writes_expected` | writes with the refusals that must come |
"""
