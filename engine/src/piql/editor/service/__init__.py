"""What an editor asks about a text: pure functions over texts and offsets in them, one file for each request.

names, occurrences     every name with what it means: the base of the others
statement_tokens       the statement around an offset, also while it does not parse
completion (`completion_items`, `view_clauses`), signature, hover, lenses, outline, semantic_tokens     what is shown
navigation, renaming, quick_fixes, fix_all, formatting, schema_edits       what is done
"""
