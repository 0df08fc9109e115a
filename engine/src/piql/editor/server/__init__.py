"""`piql lsp`: the language service as a server of the Language Server Protocol, for editors other than the workbench.

`places` turns offsets into the client's positions, `project` knows which files belong together and what they say now,
`answers` turns what the language service finds into the protocol's values, and `server` registers the requests. The
package `pygls` is needed from `answers` on.
"""
