"""From an address to the settings of the Rust driver: its session, its profiles, and its names of consistencies.

A profile says how a request is sent: with which timeout and retries, and after how long copies go to other nodes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from piql.errors import StoreUnavailable
from piql.store.cql.address import Address
from piql.store.cql.levels import levels_of
from piql.store.cql.link import Reach

LATE_SECONDS = 1.0  # an idle connection is probed after so long, and has as long again to answer
_SPECULATIVE_COPIES = 2
_CONDITIONAL_PATIENCE = 5  # times as long before a copy: copies of a conditional change hinder each other
AGREEMENT_SECONDS = 60  # that the nodes have to agree on a change of the schema


class DriverSettings(NamedTuple):
    """What a session is made with; the values are the driver's.

    builder     connects a session, whose requests go by the default profile
    profiles    those of other requests: "read" without copies, "serial", "if" for conditional changes
    levels      the consistencies of reads; `serial` that of serial reads
    patience    seconds before a copy of a conditional change is sent; 0 for never
    """

    builder: Any
    profiles: dict[str, Any]
    levels: dict[Reach, Any]
    serial: Any
    patience: float


def driver_settings(address: Address) -> DriverSettings:
    """Return the settings for an address; raise StoreUnavailable if the driver is not installed."""
    try:
        from scylla import enums
        from scylla.execution_profile import ExecutionProfile
        from scylla.policies.load_balancing import DefaultPolicy, NodeLocationPreference
        from scylla.policies.retry_policy import DefaultRetryPolicy, FallthroughRetryPolicy
        from scylla.policies.speculative_execution import SimpleSpeculativeExecutionPolicy
        from scylla.session_builder import SessionBuilder
    except ImportError as missing:
        advice = "install it with pip install 'piql[rust]'"
        raise StoreUnavailable("driver=rust needs a package that is not installed", advice) from missing
    names = levels_of(address)
    write = getattr(enums.Consistency, _of_driver(names.write))
    levels: dict[Reach, Any] = {
        "all": enums.Consistency.All,
        "eventual": getattr(enums.Consistency, _of_driver(names.eventual)),
        "quorum": getattr(enums.Consistency, _of_driver(names.quorum)),
    }
    serial = getattr(enums.Consistency, _of_driver(names.serial))
    where = NodeLocationPreference.datacenter(address.datacenter) if address.datacenter else None

    def profile(copies_after: float, retry_policy: Any) -> Any:
        return ExecutionProfile(
            timeout=address.timeout,
            consistency=write,
            serial_consistency=getattr(enums.SerialConsistency, _of_driver(names.serial)),
            load_balancing_policy=DefaultPolicy(node_location_preference=where),
            retry_policy=retry_policy,
            speculative_execution_policy=(
                SimpleSpeculativeExecutionPolicy(copies_after, _SPECULATIVE_COPIES) if copies_after else None
            ),
        )

    retries = DefaultRetryPolicy() if address.retries else FallthroughRetryPolicy()
    seconds = address.speculative / 1000
    patience = _CONDITIONAL_PATIENCE * seconds
    profiles = {
        "read": profile(0, FallthroughRetryPolicy()),
        "serial": profile(patience, retries),
        "many serial": profile(patience, retries),
        "if": profile(patience, FallthroughRetryPolicy()),
    }
    builder = (
        SessionBuilder()
        .contact_points([(host, address.port) for host in address.hosts])
        .execution_profile(profile(seconds, retries))
        .connection_timeout(address.timeout)
        .keepalive_interval(LATE_SECONDS)
        .keepalive_timeout(LATE_SECONDS)
        .schema_agreement_timeout(max(address.timeout, AGREEMENT_SECONDS))
        .auto_await_schema_agreement(False)
        .write_coalescing(None)
    )
    if address.user:
        builder = builder.user(address.user, address.password or "")
    return DriverSettings(builder, profiles, levels, serial, patience)


def _of_driver(level: str) -> str:
    """Return the driver's name of a level: `LOCAL_QUORUM` is `LocalQuorum`."""
    return "".join(word.capitalize() for word in level.split("_"))
