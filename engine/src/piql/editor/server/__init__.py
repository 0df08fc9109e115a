"""`piql lsp`: the language service as a server of the Language Server Protocol, for editors other than the workbench.

    positions   offsets ↔ the client's positions         project    which files belong together, and their texts now
    answers     the service's values → the protocol's    server     one connection: compiling, publishing findings
    requests    what each request is answered with; `make_server` is the way in
    framing     cuts the messages out of the stream of bytes

The package `pygls` is needed for all but `positions`.
"""
