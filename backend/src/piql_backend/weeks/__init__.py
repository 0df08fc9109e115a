"""The last seven days of a version as one HTML page: latencies, deployments and alerts.

service.py     reads what the page is about;  endpoints.py   the HTTP path
page.py        draws it; pure
"""
