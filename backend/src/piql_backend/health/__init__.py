"""Whether the workbench, an environment and its store are well, as the status bar shows it.

service.py     gathers the problems
endpoints.py   the HTTP paths, with `schemas.py`, the shapes of answers

What machines ask (`/healthz`, `/readyz`, `/metrics`) is in `probes/`.
"""
