"""Answers about a plan that rules ask for; pure functions, which change no plan that they were given.

region                        the join part of a SELECT, taken apart into legs and predicates
restrictions, equalities      columns fixed by predicates, columns that are equal
facts, keeps_rows, one_row    what keys and limits prove about rows
predicates, comparisons, nulls, whole_numbers     questions about one predicate
subqueries, first_match, left_join_subqueries     subqueries taken apart
combine_tests, literal_tests, decided_tests, range_ends, empty_queries     tests folded into fewer
copies, effort                aliases of copies; which of two reads is cheaper
"""
