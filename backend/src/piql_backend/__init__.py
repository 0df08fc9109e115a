"""The workbench over HTTP: joins the compiler, the profiler and the stores of applications, for a browser.

server.py, app.py   the process and the application: middleware, then the endpoints of each resource
workbench.py        builds all services; those of one environment are in `environments/environment.py`
<resource>/         one folder for each resource: `endpoints.py` over HTTP, `service.py` what it does, `schemas.py`
                    the shapes of requests and answers, `repository.py` how it is kept
commands.py         `piql serve` and `piql slo`; `application_commands.py` has `piql app`
"""

__version__ = "0.1.0"
