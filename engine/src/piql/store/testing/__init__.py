"""Stores in front of a store, for tests and measurements; `store/wrapper.py` is their base class.

latency.py         answers late
recording.py       keeps every read that it is asked for
copied_writes.py   row writes that go on to copies
"""
