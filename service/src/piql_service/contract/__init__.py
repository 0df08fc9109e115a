"""What clients can rely on: the queries of a deployment with their types, and how values are written in JSON.

deployed_set.py   for each query its parameters, the columns of its rows, and its bound
values.py         values between JSON and the engine
headers.py        the names of the service's own headers
openapi.py        all of it as an OpenAPI document
"""
