"""The messages of the compiler. They are collected, never raised.

diagnostic   what a message holds: its span, labels, help and fixes
report       makes a `Diagnostic` of a code
code         what the page of a code holds: title, explanation, example
pages/       the pages of all codes
render       a diagnostic as text for a terminal
"""
