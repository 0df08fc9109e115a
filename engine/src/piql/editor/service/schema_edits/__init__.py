"""Changes of a schema that are chosen, not typed: a change → the edits of the text that make it.

changes.py        what can be changed: data only
edits.py          one change → its edits, or a refusal that says why
columns.py        columns: added, renamed, dropped; references of columns
limits.py         cardinality limits: added, set, removed
stripes.py        how many stripes the groups of a view have
declarations.py   new tables and indexes
statements.py     where a table is declared, and how an element is taken out of it
words.py          names and types as the user wrote them → as they must be written
consequences.py   what the compiler says of the texts after the edits that it did not say before
"""
