"""The commands of the `piql` program: from arguments to an exit code.

A file has the name of its command (`importing` is `piql import`), but for these:

cli            the way in: finds the command, also one of another package
arguments      arguments that several commands share; `pricing` has `--price`, by the list of `prices`
existing       opens a store without making it
fixing         `piql check --fix`, and `text_files`, which writes them
following      prints the progress of a version
import_file    `piql import` of a file
storage        the part of `piql plan` about partitions
table          rows as aligned text

0 all is well · 1 findings, or a refusal at run time · 2 wrong arguments or an internal failure.
"""
