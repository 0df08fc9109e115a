"""`python -m piql_backend` is `piql serve`."""

import sys

from piql_backend.commands.serve import serve

sys.exit(serve())
