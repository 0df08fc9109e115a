"""One dashboard over all applications that a person may see: what is in danger in each of their environments.

    names of environments that the person sees  →  the dashboard of each, kept for some seconds  →  its worst queries

service.py     reads and keeps them, and leaves out what somebody may not see
endpoints.py   the HTTP path, with `schemas.py`, the shape of the answer
"""
