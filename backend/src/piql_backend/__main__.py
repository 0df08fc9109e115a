"""`python -m piql_backend` is `piql serve`."""

import sys

from piql_backend.commands import serve

sys.exit(serve())
