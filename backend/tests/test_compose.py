"""The Compose files are held to the Compose schema, and to what a schema cannot say: that its names lead somewhere."""

import json
import shlex
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from piql_backend.commands.serve import _serve_parser
from piql_backend.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
HOSTING = ROOT / "backend" / "hosting"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    return jsonschema.Draft202012Validator(json.loads(schema.read_text()))


def test_the_file_fits_the_compose_schema(compose: dict[str, Any], validator: jsonschema.Draft202012Validator) -> None:
    assert [error.message for error in validator.iter_errors(compose)] == []


def test_the_schema_would_notice_a_misspelt_setting(
    compose: dict[str, Any], validator: jsonschema.Draft202012Validator
) -> None:
    misspelt = compose | {"services": {"backend": {"image": "x", "depend_on": ["y"]}}}
    assert list(validator.iter_errors(misspelt))


@pytest.fixture(scope="module")
def team() -> dict[str, Any]:
    """The file of a team's servers."""
    loaded: dict[str, Any] = yaml.safe_load((HOSTING / "docker-compose.yml").read_text())
    return loaded


def test_the_file_of_several_servers_fits_it_too(
    team: dict[str, Any], validator: jsonschema.Draft202012Validator
) -> None:
    assert [error.message for error in validator.iter_errors(team)] == []


def test_servers_of_a_team_have_one_folder_one_database_and_names_that_lead_somewhere(team: dict[str, Any]) -> None:
    servers = [service for name, service in team["services"].items() if name.startswith("server-")]
    assert len(servers) == 2
    for service in team["services"].values():
        assert set(service.get("secrets", ())) <= team["secrets"].keys()
        assert set(service["networks"]) <= team["networks"].keys()
        for name, how in service.get("depends_on", {}).items():
            assert "healthcheck" in team["services"][name] or how["condition"] != "service_healthy"
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert (HOSTING / source).exists() if source.startswith(".") else source in team["volumes"]
    upstream = (HOSTING / "nginx.conf").read_text()
    assert all(f"server {name}:8400" in upstream for name in team["services"] if name.startswith("server-"))


def test_the_arguments_of_these_servers_are_taken(team: dict[str, Any]) -> None:
    command = team["services"]["server-1"]["command"][2].replace("$$(hostname -i)", "172.30.63.2")
    options = _serve_parser(Settings()).parse_args(shlex.split(command)[3:])
    assert (options.metadata, options.root_path, options.team) == ("file:/run/secrets/metadata", "/piql", True)
    (network,) = team["networks"]["inside"]["ipam"]["config"]
    assert options.trusted_proxies == [network["subnet"]]


def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    nginx = subprocess.run([ROOT / "tools" / "setup-nginx.sh"], stdout=subprocess.PIPE, text=True, check=True)
    text = (HOSTING / "nginx.conf").read_text().replace("server-1:", "127.0.0.1:").replace("server-2:", "127.0.0.2:")
    whole = tmp_path / "nginx.conf"
    temporary = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = " ".join(f"{name}_temp_path {tmp_path}/{name};" for name in temporary)
    without_installed = f"access_log off; {folders}"  # where nginx is not installed, its own folders are not there
    whole.write_text(
        f"pid {tmp_path}/pid; events {{}} http {{ {without_installed} {text} }}".replace(
            "listen 80", "listen 127.0.0.1:18400"
        )
    )
    command = [nginx.stdout.strip(), "-t", "-q", "-c", whole, "-p", tmp_path, "-e", tmp_path / "log"]
    tested = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (tested.returncode, tested.stderr) == (0, "")


def test_it_starts_the_backend_ray_and_three_scylla_nodes(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert {"backend", "ray-head", "ray-worker"} <= services.keys()
    assert len([name for name, service in services.items() if "scylladb/scylla" in service["image"]]) == 3


def test_its_scylla_has_conditional_changes_on_tablets(compose: dict[str, Any]) -> None:
    images = {service["image"] for service in compose["services"].values() if "scylladb/scylla" in service["image"]}
    versions = [tuple(map(int, image.partition(":")[2].split("."))) for image in images]
    assert min(versions, default=(0, 0)) >= (2025, 4)  # docs/scylladb.md


def test_every_dependency_and_volume_is_declared(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for name, how in service.get("depends_on", {}).items():
            assert "healthcheck" in compose["services"][name] or how["condition"] != "service_healthy"
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in compose["volumes"]


def test_every_dockerfile_copies_only_what_exists(compose: dict[str, Any]) -> None:
    dockerfiles = {service["build"]["dockerfile"] for service in compose["services"].values() if "build" in service}
    assert dockerfiles
    for dockerfile in dockerfiles:
        for line in (ROOT / dockerfile).read_text().splitlines():
            if line.startswith("COPY ") and "--from" not in line:
                for path in line.split()[1:-1]:
                    assert (ROOT / path).exists(), f"{dockerfile}: {line}"


def test_the_store_named_is_the_cluster_of_the_file(compose: dict[str, Any]) -> None:
    command = " ".join(compose["services"]["backend"]["command"])
    hosts = command.partition("cql://")[2].partition("/")[0].split(",")
    assert set(hosts) <= compose["services"].keys()
    assert len(hosts) == 3
