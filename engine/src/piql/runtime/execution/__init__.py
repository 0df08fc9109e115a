"""Runs physical plans: reads go to the store, rows come back, and every request is counted before it is made.

parameters ──▶ prepared_query ──▶ operators/ ──batches of reads──▶ strategy ──▶ store
checked first  prepared once      one file each                    sends them together or one by one,
                                                                   and stops before the bound is passed

preparation, keys, range_read, ordering, expressions, functions, numbers     what operators prepare themselves from
cursors, seals     where a page ended, sealed            settling, at_once   reads of a store without transactions
observation        what is reported to a listener
"""
