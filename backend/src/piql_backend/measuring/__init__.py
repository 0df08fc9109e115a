"""What profile runs and load runs have in common.

process.py     a command of piql_profiler as a process of its own: started, followed, ended
"""
