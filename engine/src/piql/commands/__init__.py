"""The commands of the `piql` program, one file each: from arguments to an exit code.

0 all is well · 1 findings, or a refusal at run time · 2 wrong arguments or an internal failure.
"""
