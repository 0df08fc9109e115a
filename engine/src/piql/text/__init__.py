"""Texts and what is said about them: `source` has `Source` and `Span`, and `edits` changes a text.

`diagnostics/` has messages, codes and pages; `web_addresses` splits the addresses that users write.
"""
