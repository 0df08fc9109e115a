"""The processes of a service: one supervisor, which listens, and workers, which answer.

supervisor.py         starts the workers, and replaces one that dies
worker.py             one worker: its event loop, its HTTP server, its connection to the store
settings.py           what the supervisor tells a worker
patient_protocol.py   HTTP/1.1 with limits on the time and size of a request
shared_tallies.py     collects the counts of all workers, for `/metrics`
"""
