"""For people who write PIQL, in the workbench and in other editors.

service    answers about texts and places in them: completion, hover, definitions, renaming …; no I/O
server     `piql lsp`: gives these answers to any editor by the Language Server Protocol
"""
