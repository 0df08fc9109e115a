"""A schema in another SQL, or in CQL → the same in PIQL, with a list of all that changed and all that is left out.

`import_text` (`imported`) is the entry. The text is cut into statements (`statements`), which are read one after the
other (`tokens` with `texts`, `reading`, `tables`, `columns` with `column_types`, `defaults`, `checks`, and
`alterations`) into tables (`schema`). `resolving` gives each table a key and each foreign key a key to refer to,
`writing` writes them. Queries of files, and those that `scanning` finds in programs, are rewritten by `queries`, with
`parameters` and `translating`.

    bytes → decoded → text → statements → tables → resolved tables → PIQL
                              `dialects`  `collected` holds them, and the notes for the user

`keyspaces` writes the tables of a live CQL keyspace, which need no parser.

What PIQL has nothing for raises LeftOut where it is met; the nearest loop notes the reason and goes on.
"""

from piql.importing.imported import Imported, decoded, import_text
from piql.importing.tokens import ImportRefused

__all__ = ["ImportRefused", "Imported", "decoded", "import_text"]
