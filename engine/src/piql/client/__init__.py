"""The way into PIQL at run time: databases and sessions, for threads (`database`) and for asyncio (`asynchronous`).

`piql.connect` returns a `Database`, which deploys sets, loads rows and executes queries by name. `session` makes reads
as fresh as what a client has seen; `tokens` carries that from server to server.

    connecting      opens a database                         reported         a database that counts its executions
    prepared        what is ready to run                     watched          one that tells others of them
    selects         SELECTs that are compiled elsewhere      group_levels     how full the groups under limits are
    canaries        which version an execution goes to
    table_rows      a page of a table, for people            table_pages      a table from its beginning, page by page
    raised_limit    what another limit would cost            version_in_force    which version is deployed
    deploying       puts another one in force
    recounts         holds views against their tables, and repairs them; stepped_recounts without transactions
    recounted        what is told of both                    sample           the groups or rows of a sample
    indexes_again    holds the indexes of a table against its rows; entries_again those of a view, too
"""
