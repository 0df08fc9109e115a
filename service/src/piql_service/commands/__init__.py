"""The commands that this package adds to `piql`.

service.py         `piql service`: offers deployed queries over HTTP
service_token.py   `piql service-token`: makes a token of a caller
client.py          `piql client`: writes a typed client
"""
