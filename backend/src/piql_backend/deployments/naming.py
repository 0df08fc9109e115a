"""Names versions in the history of an application's files: version 3 of staging is called `staging/3` there.

That history is no part of the file that holds the versions, so a kill or a fault may leave a version without its name.
Nothing notes which: what has no name is looked for, at the start, after each deployment, and now and then.
"""

from __future__ import annotations

import logging
from functools import partial

from piql_backend.applications.repository import Applications
from piql_backend.deployments.repository import DeploymentTable
from piql_backend.web.errors import NotFound

log = logging.getLogger(__name__)


class VersionNames:
    """Follows the versions of one environment."""

    def __init__(self, table: DeploymentTable, applications: Applications, application: str, environment: str) -> None:
        self._table = table
        self._applications = applications
        self._application = application
        self._environment = environment

    def complete(self) -> None:
        """Name each version that has no name yet; what fails is tried again by the next call, and raises nothing."""
        try:
            texts_of = {
                f"{self._environment}/{version}": partial(self._table.own_texts, version)
                for version in self._table.numbers()
            }
            self._applications.name_deployed(self._application, texts_of)
        except NotFound:
            log.info("the versions of %s are not named: it was deleted", self._application)
        except Exception:
            log.exception("the versions of %s are not named", self._application)
