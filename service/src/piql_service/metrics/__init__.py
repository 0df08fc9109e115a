"""What workers did, in numbers.

tallies.py      what one worker counts, in memory
exposition.py   the text that Prometheus reads, for all workers together
"""
