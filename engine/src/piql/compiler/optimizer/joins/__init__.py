"""The order of joins, for the rules `order_joins`, `drop_implied_predicates` and `merge_first_match`.

Enters: a `Region` of legs. Leaves: the cheapest orders in which each read is bounded.

leg_ranks ──▶ join_search ──▶ joining                      key_values
an order of legs that         how a leg is joined          how many different keys are read
no spelling changes           to those before it

stop_places.py tells the search above which legs a stop may stand, rough_rows.py how many rows a derived table has.
Sets of legs are numbers (leg_sets.py).
"""
