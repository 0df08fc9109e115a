"""Reads a bound off a physical plan: requests, round trips, rows and bytes, each with the facts that prove it.

Enters: the physical plan of a SELECT (`queries.bound_of`) or of a write (`writes.bound_of_write`); the bounds of the
statements of a unit (`units.bound_of_unit`). Leaves: a `Bound`.
Every number is a `Formula` over named `Term`s, such as `1 + subscriptions.owner·count`; each term knows the text that
proves it. Nothing here is an estimate.

    requests, bytes     what each operator requests and fetches   rows, distinct_values   what leaves an operator
    facts, formula      numbers and their names                   other_limits            other numbers for a plan
    levels              refuses a recursive query whose numbers are beyond reason
    scaling, savings    what a bound depends on, and what an index saves
    expensive, copies   warn of a very high bound, and of a write that is dear by copies in an index
    unsized             names the columns whose bytes are assumed

`bound` holds the results, which everybody reads; all else is read by the compiler alone.
"""
