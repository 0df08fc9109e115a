"""What the queries of an environment cost in $, by the sheet of prices that was chosen for it.

sheet_schemas.py   the sheets that may be chosen
schemas.py         what is asked, and the answer
service.py         reads which sheet was chosen, and prices what was observed
reading.py         prices bounds, in a worker
endpoints.py       the HTTP path
"""
