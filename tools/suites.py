"""The suites that `make check`, `make test` and `make test-long` run: each a command, and where its report is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PYTHON = ".venv/bin/python"
REPORTS = ".test-results"
VITEST = ("npm", "run", "--silent", "-w", "frontend", "test", "--", "--reporter=default", "--reporter=json")

Report = Literal["exit status", "junit", "vitest", "playwright", "conformance", "cluster"]

PLACES = 5  # for two cores: a suite that waits for a browser, a disk or a node leaves its core to another


@dataclass(frozen=True, slots=True)
class Suite:
    """One command; `report` says how its tests are counted, and a check without tests counts as one.

    `places` says how many of the `PLACES` it takes: the number of its processes that run at a time. It starts when the
    suite with the name in `after` is over, '' for none. After `minutes` it counts as hung and is ended; they are many
    times what it takes, so that no suite fails because the machine is busy.
    """

    name: str
    command: tuple[str, ...]
    report: Report = "exit status"
    minutes: int = 60
    places: int = 1
    after: str = ""

    @property
    def report_file(self) -> str:
        """The file that the suite's report is written to."""
        return f"{REPORTS}/{self.name}.{'xml' if self.report == 'junit' else 'json'}"


WITHOUT_SCHEMATHESIS = ("-p", "no:schemathesis")  # only the backend's tests need it, and it takes two seconds to load


def _pytest(name: str, folder: str, *options: str, minutes: int = 60, places: int = 1) -> Suite:
    command = (PYTHON, "-m", "pytest", "-q", folder, f"--junitxml={REPORTS}/{name}.xml", *options)
    return Suite(name, command, "junit", minutes, places)


FAST = "not long and not cluster"

CHECKS = (
    Suite("ruff", (PYTHON, "-m", "ruff", "check", ".")),
    Suite("format", (PYTHON, "-m", "ruff", "format", "--check", ".")),
    Suite("mypy", (PYTHON, "-m", "mypy")),
    Suite("dead code", (PYTHON, "tools/dead_code.py")),
    Suite("imports", (".venv/bin/lint-imports", "--no-cache")),
    Suite("oxlint", ("npm", "run", "--silent", "--workspace=frontend", "lint")),
    Suite("biome", ("npm", "run", "--silent", "format-check")),
    Suite("knip", ("npm", "run", "--silent", "unused")),
    Suite("tsc", ("npm", "run", "--silent", "--workspace=frontend", "types")),
    Suite("tsc-e2e", ("npm", "run", "--silent", "--workspace=e2e", "types")),
    Suite("api-types", ("tools/check-api-types.sh",)),
)

ENGINE = _pytest("engine", "engine", "-m", FAST, "-n", "2", *WITHOUT_SCHEMATHESIS, places=2)

BACKEND = _pytest("backend", "backend", "-m", FAST, "-n", "2", "--dist", "worksteal", places=2)
PROFILER = _pytest("profiler", "profiler", "-m", FAST, *WITHOUT_SCHEMATHESIS)
SERVICE = _pytest("service", "service", "-m", FAST, *WITHOUT_SCHEMATHESIS)

SHORT = (
    Suite("frontend", (*VITEST, f"--outputFile.json=../{REPORTS}/frontend.json"), "vitest"),
    _pytest("sample-apps", "sample-apps", "-m", FAST, *WITHOUT_SCHEMATHESIS),
    _pytest("tools", "tools", "-m", FAST, *WITHOUT_SCHEMATHESIS),
    Suite("conformance", (PYTHON, "tools/conformance.py", f"{REPORTS}/conformance.json"), "conformance"),
)

CLUSTER = Suite("cluster", (PYTHON, "tools/cluster_suite.py", f"{REPORTS}/cluster.json"), "cluster", places=2)

CLUSTER_LONG = Suite(
    "cluster",
    (PYTHON, "tools/cluster_suite.py", f"{REPORTS}/cluster.json", "--long"),
    "cluster",
    minutes=180,
    places=PLACES,
)

BUILD = Suite("build", ("make", "--silent", "frontend/dist/index.html"))

END_TO_END = Suite(  # the long suites look at each state in both themes
    "e2e",
    ("env", "PIQL_E2E_THEMES=present", "tools/e2e.sh", "--grep-invert", "@long"),
    "playwright",
    places=2,
    after="build",
)

LONG_JOURNEYS = Suite(  # and the one that `make test` makes with 2,000 messages
    "e2e",
    ("env", "PIQL_E2E_MESSAGES=100000", "tools/e2e.sh", "--grep", "16-chat-from-nothing|@long"),
    "playwright",
    after="build",
)

TWO_SERVERS = Suite(  # all journeys on two servers behind a proxy, one of which is killed where a journey kills
    "two-servers",
    ("env", "PIQL_E2E_SERVERS=2", "PIQL_E2E_REPORT=two-servers", "tools/e2e.sh"),
    "playwright",
    minutes=180,
    places=2,
    after="e2e",  # it takes the same ports
)

LONG_TESTS = "long and not cluster"


def _long(name: str, *paths: str, processes: int, minutes: int, places: int = 2) -> Suite:
    """Share long tests among processes; whoever has none left takes one from another."""
    shared = ("-n", str(processes), "--dist", "worksteal", "-m", LONG_TESTS)
    return _pytest(name, *paths, *shared, minutes=minutes, places=places)


LONG_BY_FOLDER = {
    "campaigns": ("engine/tests/oracle",),  # its tests start processes themselves
    "orders": ("engine/tests/runtime",),
    "faults": ("engine/tests/faults", "engine/tests/conformance"),
    "kills": ("engine/tests/crash", "engine/tests/concurrency", "backend/tests/kills"),
}
ELSEWHERE = tuple(f"--ignore={path}" for paths in LONG_BY_FOLDER.values() for path in paths)

LONG = (
    _long("orders", *LONG_BY_FOLDER["orders"], processes=2, minutes=120),
    _long("kills", *LONG_BY_FOLDER["kills"], processes=2, minutes=120),
    _long("faults", *LONG_BY_FOLDER["faults"], processes=2, minutes=120),
    _long("elsewhere", ".", *ELSEWHERE, processes=2, minutes=180),
)

CAMPAIGNS = _long("campaigns", *LONG_BY_FOLDER["campaigns"], processes=1, minutes=180, places=PLACES)

EXAMPLES = _pytest(  # `make test` draws the same ones each time
    "examples",
    "engine",
    "profiler",
    "-m",
    "hypothesis and not cluster",
    "--hypothesis-profile=any examples",
    "-n",
    "2",
    places=2,
)

GROUPS = {
    "check": CHECKS,
    # The journeys take longest: they begin as soon as the front end is built, beside which checks fill the cores. They
    # and the back end's tests wait for a third of their time, which those of one process fill. What keeps both cores
    # busy by itself comes last, beside the nodes, for which tests wait.
    "test": (BUILD, *CHECKS, END_TO_END, BACKEND, PROFILER, SERVICE, *SHORT, CLUSTER, ENGINE),
    "e2e": (BUILD, END_TO_END),
    "long": (BUILD, LONG_JOURNEYS, TWO_SERVERS, *LONG, EXAMPLES, CAMPAIGNS),
    "cluster": (CLUSTER_LONG,),
}
