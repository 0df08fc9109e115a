"""Phase II: each section of the logical plan becomes bounded operators over an index, or a gap that nothing bounds.

Enters: an optimized logical plan. Leaves: a physical plan (`operators`), the indexes it needs, and its gaps.
Next: `bounds`.

    planner/      sections → operators: `planner.plan_query`          indexes/   how indexes are made and shared
    operators     the physical plan, data only                        format     the plan as text
    write_plan    the plan of a write, data only                      writes     INSERT, UPDATE, DELETE → that plan
    unit_plan     the plan of a unit, data only                view_upkeep   what views add to a write
    unit_by_steps, unit_groups  which units stores without transactions make
    partitions, few_values, widths    what warnings and bytes are computed from
"""
