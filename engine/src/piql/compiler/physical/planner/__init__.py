"""From sections of the logical plan to bounded operators; one file for each kind of section.

Enters: an optimized logical plan. Leaves: a `Planning`: operators, indexes, gaps (`planner.plan_query`).

    planner     walks the sections and gathers a `Part` from each
    scans, joins, first_matches, semi_joins, unions, groups, alternatives, recursion     plan one kind of section each
    access      which index a read uses, and what bounds it, index by index (`access_by_index`)
    part, reading, legs     what is asked of a section, of a relation, of a leg of a join, and what is given
    left_out, competing_facts    plans a query without some of its limits, too
    layout      which columns each operator passes on
    unbounded, findings     what nothing bounds, and how the user is told; `join_starts`: where a join could begin
"""
