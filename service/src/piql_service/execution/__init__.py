"""From a checked request to the bytes of its answer.

executor.py       runs queries in threads, for the event loop of one worker
shared_reads.py   equal reads that arrive together share one execution
deadlines.py      a read makes no further request once its deadline has passed
"""
