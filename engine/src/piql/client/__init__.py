"""The way into PIQL at run time: databases and sessions, for threads (`database`) and for asyncio (`asynchronous`).

`piql.connect` returns a `Database`, which deploys sets, loads rows and executes queries by name. `session` makes reads
as fresh as what a client has seen; `tokens` carries that from server to server. `prepared` keeps what is ready to run.
"""
