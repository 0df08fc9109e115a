"""Rows of files into tables: uploaded in parts, checked, loaded batch by batch.

service.py     keeps the uploaded file; a thread checks or loads it
endpoints.py   the HTTP paths, with `schemas.py`, the shapes of requests and answers
"""
