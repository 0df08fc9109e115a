"""Headroom: how full the groups under the limits of the live version are, counted in the background.

service.py     counts, keeps the last two counts, and says what another limit costs
endpoints.py   the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
