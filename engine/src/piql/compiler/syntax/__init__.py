"""Text → tree → text. A broken statement is reported and hides no other; positions are code points of the source.

Enters: a `Source`. Leaves: an `ast.ParsedFile` with its diagnostics (`parser.parse`); `printer.print_file` goes back.

    pieces ──▶ lexer ──▶ cursor ──▶ parser ──▶ definitions, entities, queries, writes, expressions
    one text a statement                       one file for each kind of statement
    units                                    CREATE UNIT      work    what compiling a text takes
    with_clauses, case, dates, arguments     parts of queries and expressions

    ast          the nodes of the tree                 precedence    how tightly operators bind
    allowances   warnings that a comment of the text allows
    unsupported  SQL and CQL that PIQL does not have   printer       tree → text: the formatter, over print_queries
"""
