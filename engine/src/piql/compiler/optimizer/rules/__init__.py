"""The rules of Phase I, one file each: a function `rule(plan, context)` named after its file.

A rule returns an equal plan, or the same object where it does not apply. What it did it says by `context.note`, for the
trace that users see. The order stands in `optimizer.RULES`, and each docstring shows a plan before and after.

simplify_predicates, narrow_tests, leave_out_null, spread_equalities, drop_implied_predicates     which tests stand
push_selection_down, push_selection_into_groups                                                   where tests stand
spread_or, spread_union, merge_derived                                       unions and derived tables
turn_not_exists_extreme, fix_correlations, unnest_subqueries, attach_subqueries, summarize_subqueries     subqueries
drop_distinct, group_after_joining, join_extremes_of_groups, split_extremes  groups
stop_extremes, stop_extremes_of_values, stop_joined_extremes                 MIN and MAX as a first row
turn_left_join_inner, order_joins, merge_first_match                         joins
complete_order, push_stop_into_union, push_stop_down, insert_data_stops      orders and stops
"""
