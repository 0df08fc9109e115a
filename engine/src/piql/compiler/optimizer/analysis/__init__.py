"""Answers about a plan that rules ask for; pure functions, which change no plan that they were given.

joins         region                                the join part of a SELECT, taken apart into legs and predicates
columns       restrictions, equalities, column_uses                  which are fixed, which are equal, which are named
rows          facts, keeps_rows, one_row, row_keys, same_row         what keys and limits prove about rows
predicates    predicates, comparisons, nulls, whole_numbers          questions about one predicate
subqueries    subqueries, first_match, left_join_subqueries          subqueries taken apart
fewer tests   combine_tests, literal_tests, decided_tests, range_ends, empty_queries
plans         copies, effort                        aliases of copies; which of two reads is cheaper
"""
