"""What executions cost in $, from a bound and a dated sheet of prices; pure.

sheets.py   the kinds of sheets: of a bucket, of requests, of nodes; those that are known, and those that a file holds
prices.py   the price of 1,000 executions by a sheet, and of a month at a rate
"""
