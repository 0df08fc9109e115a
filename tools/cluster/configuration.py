"""The files and flags of one node: small heaps, a fixed ring, and none of the waits that production wants."""

from __future__ import annotations

from pathlib import Path

NATIVE_PORT = 9042
STORAGE_PORT = 7000
HEAP = "640m"

_EXPORTS = """
java.base/jdk.internal.misc java.management.rmi/com.sun.jmx.remote.internal.rmi java.rmi/sun.rmi.registry
java.rmi/sun.rmi.server java.sql/java.sql java.base/java.lang.ref jdk.unsupported/sun.misc
jdk.compiler/com.sun.tools.javac.file jdk.attach/sun.tools.attach
""".split()
_OPENS = """
java.base/java.lang.module java.base/jdk.internal.loader java.base/jdk.internal.ref java.base/jdk.internal.reflect
java.base/jdk.internal.math java.base/jdk.internal.module java.base/jdk.internal.util.jar
jdk.management/com.sun.management.internal java.base/sun.nio.ch java.base/java.io java.base/java.lang.reflect
jdk.compiler/com.sun.tools.javac java.base/java.lang java.base/java.util java.base/java.nio
java.base/java.util.concurrent java.base/java.util.concurrent.atomic
""".split()
_QUICK = {
    "skip_wait_for_gossip_to_settle": "0",
    "ring_delay_ms": "100",
    "superuser_setup_delay_ms": "0",
    "consistent.rangemovement": "false",
    "skip_paxos_state_rebuild": "true",
    "shutdown_announce_in_ms": "0",
    "migration_delay_ms": "500",
    "schema_pull_interval_ms": "2000",
}

_LOGBACK = """<configuration>
  <appender name="FILE" class="ch.qos.logback.core.FileAppender">
    <file>{log}</file>
    <encoder><pattern>%d{{HH:mm:ss.SSS}} %-5level [%thread] %logger{{20}} %msg%n</pattern></encoder>
  </appender>
  <root level="INFO"><appender-ref ref="FILE"/></root>
  <logger name="org.apache.cassandra.service.ClientState" level="ERROR"/>
</configuration>
"""


def write_configuration(folder: Path, address: str, seeds: list[str], number: int, nodes: int) -> None:
    """Write a node's files; each has one token, so that a ring of n is the same however it starts."""
    token = -(2**63) + number * (2**64 // nodes)
    (folder / "cassandra.yaml").write_text(
        f"""cluster_name: piql
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
num_tokens: 1
initial_token: "{token}"
auto_bootstrap: false
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "{",".join(seeds)}"
listen_address: {address}
rpc_address: {address}
storage_port: {STORAGE_PORT}
native_transport_port: {NATIVE_PORT}
start_native_transport: true
endpoint_snitch: GossipingPropertyFileSnitch
dynamic_snitch: false
phi_convict_threshold: 12
data_file_directories: [{folder}/data]
commitlog_directory: {folder}/commitlog
saved_caches_directory: {folder}/saved_caches
hints_directory: {folder}/hints
cdc_raw_directory: {folder}/cdc_raw
commitlog_sync: periodic
commitlog_sync_period: 10s
commitlog_segment_size: 4MiB
commitlog_disk_access_mode: legacy
memtable_allocation_type: unslabbed_heap_buffers
memtable_heap_space: 64MiB
memtable_offheap_space: 64MiB
key_cache_size: 4MiB
counter_cache_size: 0MiB
file_cache_size: 32MiB
networking_cache_size: 16MiB
concurrent_reads: 8
concurrent_writes: 8
concurrent_compactors: 1
native_transport_max_threads: 16
request_timeout: 10s
read_request_timeout: 10s
write_request_timeout: 10s
cas_contention_timeout: 5s
range_request_timeout: 10s
truncate_request_timeout: 60s
hinted_handoff_enabled: true
auto_snapshot: false
"""
    )
    (folder / "rackdc.properties").write_text(f"dc=datacenter1\nrack=rack{number + 1}\n")
    (folder / "logback.xml").write_text(_LOGBACK.format(log=folder / "system.log"))


def java_command(folder: Path, lib: Path, *, is_quick: bool) -> list[str]:
    """Return the command of a node.

    `is_quick` starts sooner and runs at half the peak speed. Such a node does not write schema changes to disk at
    once: killed and started again, it may not know its keyspaces.
    """
    flushes_schema = "false" if is_quick else "true"
    properties = {f"cassandra.{name}": value for name, value in _QUICK.items()} | {
        "cassandra.test.flush_local_schema_changes": flushes_schema,
        "cassandra.config": f"file://{folder}/cassandra.yaml",
        "cassandra.storagedir": str(folder),
        "cassandra-rackdc.properties": f"file://{folder}/rackdc.properties",
        "cassandra-foreground": "yes",
        "logback.configurationFile": f"{folder}/logback.xml",
        "jdk.attach.allowAttachSelf": "true",
        "java.net.preferIPv4Stack": "true",
        "java.io.tmpdir": f"{folder}/tmp",
        "io.netty.tryReflectionSetAccessible": "true",
    }
    return [
        "java",
        f"-Xms{HEAP}",
        f"-Xmx{HEAP}",
        "-Xss384k",
        "-XX:+UseSerialGC",
        "-XX:MaxDirectMemorySize=256m",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:-BytecodeVerificationRemote",
        *(["-XX:TieredStopAtLevel=1"] if is_quick else []),
        *(f"--add-exports={export}=ALL-UNNAMED" for export in _EXPORTS),
        *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENS),
        *(f"-D{name}={value}" for name, value in properties.items()),
        "-cp",
        ":".join(sorted(map(str, lib.glob("*.jar")))),
        "org.apache.cassandra.service.CassandraDaemon",
    ]
