"""The messages of the compiler. They are collected, never raised.

report       makes a `Diagnostic` for a code of the table        diagnostic   message, span, labels, help, fixes
pages/       the page of each code, with a tested example        render       a diagnostic as text for a terminal
"""
