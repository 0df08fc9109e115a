"""Runs physical plans: reads go to the store, rows come back, and every request is counted before it is made.

parameters ──▶ prepared_query ──▶ operators/ ──batches of reads──▶ strategy ──▶ store
checked first  prepared once      one file each                    sends them together or one by one,
                                                                   and stops before the bound is passed

preparation, keys, range_read, ordering, expressions, functions, numbers     what operators prepare themselves from
fast_path          a query of one scan, generated as one function
execution          what one execution carries from operator to operator
cursors, seals     where a page ended, as an encrypted text for the client
settling           reads of a store without transactions
observation        what is reported to a listener after each execution
incidents          what is found in the store that must not be there
casts, texts, listed_values, supplied     what `expressions` call: conversions, long texts, lists, the time and new ids
"""
