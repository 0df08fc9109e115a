"""The workbench over HTTP: joins the compiler, the profiler and the stores of applications, for a browser.

server.py, app.py   the process and the application: middleware, then the endpoints of each resource
workbench.py        builds all services; those of one environment are in `environments/environment.py`
<resource>/         one folder for each resource: `endpoints.py` over HTTP, `service.py` what it does, `schemas.py`
                    the shapes of requests and answers, `repository.py` how it is kept
lifecycle.py        makes, duplicates, archives and deletes whole applications
starting/           what happens once, before it serves
people/             the people of a team, and what they may do
web/                what every request passes: middleware, errors, shapes that resources share
stores/             the store of an environment
data_folder/        where files lie and how they are written
database/           DuckDB and its migrations
workers/            the server's side of the processes that compile and predict; `worker_process/` is the other
commands/           what this package adds to `piql`: serve, slo, app, user
"""

__version__ = "0.1.0"
