"""The other side of `workers/`: the process that carries out jobs.

process.py   receives jobs, keeps the limits of time and memory, sends answers
inbox.py     the next job, and whether somebody still waits for it
jobs.py      each job by its name
garbage.py   when it looks for garbage
"""
