"""What every request and answer passes, whatever its resource: middleware, errors, shapes, pages, files in parts.

middleware, in the order in which a request passes it
    prefix.py             takes away what a proxy puts before all paths
    trusted_proxies.py    what listed proxies say of a request
    security_headers.py   headers of every answer, and the nonce of the page
    retry_after.py        429 and 503 say when to ask again
    allowed_hosts.py      refuses another `Host`
    same_origin.py        refuses what a page of another origin sends
    rate_limit.py         refuses a client that asks too much (`rates.py` counts, by an `allowances.py`)
    request_limit.py      refuses bodies that are too large
    compressed_bodies.py  unpacks the bodies of reports
    unchanged.py          304 for what the client has
    gone_clients.py       what nobody waits for any more is not begun
    connection_limit.py, slow_clients.py   below the application: too many, or too slow, connections
    refusal.py            how middleware answers by itself
for endpoints
    needs.py              what an endpoint needs of whoever asks: roles, and the declaration beside each endpoint
    visitor.py            who asks, and whether they may
    guarded_routes.py     the routes that hold it, and the walk over all of them at the start; sockets by
                          guarded_sockets.py, methods that a path does not have by wrong_methods.py; sifted_routes.py
                          passes by those of which no path fits
    dependencies.py       the workbench, or the environment that the path names
    schemas.py            the base of all shapes, and those that several resources share
    errors.py             one exception, one shape of refusal
    validation_words.py   what is wrong with a field, in plain words
    pages.py              lists by the page
    downloads.py, uploads.py   files as answers, and files in parts
    background_work.py    what goes on after an answer was sent
api_document.py           the OpenAPI document
front_end.py              the built front end
"""
