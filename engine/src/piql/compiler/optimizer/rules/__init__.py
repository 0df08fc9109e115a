"""The rules of Phase I, one file each: a function `rule(plan, context)` named after its file.

A rule returns an equal plan, or the same object where it does not apply. By `context.note` it says what it did, for the
trace that users see. The order stands in `optimizer.RULES`. Each docstring shows a plan before and after.

which tests there are       simplify_predicates, narrow_tests, leave_out_null, spread_equalities,
                            drop_implied_predicates, name_stripes
where tests stand           push_selection_down, push_selection_into_groups
unions, derived tables      spread_or, spread_union, merge_derived
subqueries                  turn_not_exists_extreme, fix_correlations, unnest_subqueries, attach_subqueries,
                            summarize_subqueries
groups                      drop_distinct, group_after_joining, join_extremes_of_groups, split_extremes
MIN, MAX as a first row     stop_extremes, stop_extremes_of_values, stop_joined_extremes
joins                       turn_left_join_inner, merge_same_rows, order_joins, merge_first_match
orders and stops            complete_order, push_stop_into_union, push_stop_down, insert_data_stops
"""
