"""The chart of a team is rendered by Helm and held to the schemas of Kubernetes; no cluster ran it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from piql_backend.commands.serve import _serve_parser
from piql_backend.settings import Settings

pytestmark = pytest.mark.long  # Helm and the schemas are 360 MB

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "backend" / "hosting" / "chart"
VERSIONS = ("1.30", "1.33", "1.37")
LEAST: Mapping[str, Any] = {"metadata": {"secret": "people"}, "trustedProxies": ["10.244.0.0/16"]}
MOST = LEAST | {
    "image": {"repository": "registry.example/piql", "tag": "7"},
    "replicas": 3,
    "data": {"storageClass": "nfs", "size": "1Ti"},
    "rootPath": "/piql",
    "allowedHosts": ["piql.svc"],
    "ingress": {
        "enabled": True,
        "className": "nginx",
        "host": "piql.example",
        "tlsSecret": "piql-tls",
        "annotations": {"nginx.ingress.kubernetes.io/proxy-buffering": "off"},
    },
    "environment": [{"name": "STORE", "valueFrom": {"secretKeyRef": {"name": "store", "key": "url"}}}],
}


@pytest.fixture(scope="module")
def helm() -> str:
    """The Python that has Helm."""
    found = subprocess.run([ROOT / "tools" / "setup-helm.sh"], stdout=subprocess.PIPE, text=True, check=True)
    return found.stdout.strip()


def rendered(helm: str, values: Mapping[str, Any], chart: Path = CHART) -> Any:
    command = [helm, ROOT / "tools" / "chart" / "render.py", chart, *VERSIONS]
    run = subprocess.run(command, input=json.dumps(values), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def manifests(helm: str) -> dict[str, Any]:
    """What a team with an ingress gets, by kind."""
    return {manifest["kind"]: manifest for manifest in rendered(helm, MOST)["manifests"]}


@pytest.mark.parametrize(("values", "kinds"), [(LEAST, 4), (MOST, 5)])
def test_it_is_rendered_and_each_version_of_kubernetes_takes_it(
    helm: str, values: Mapping[str, Any], kinds: int
) -> None:
    answer = rendered(helm, values)
    assert (answer["refused"], answer["misfits"], len(answer["manifests"])) == (None, [], kinds)
    assert [finding["error"] for finding in answer["lint"]] == ["icon is recommended"]


def test_without_a_secret_for_the_people_and_with_a_misspelt_value_it_is_refused(helm: str) -> None:
    assert "/metadata/secret" in rendered(helm, {"trustedProxies": ["10.0.0.1"]})["refused"]
    assert "/trustedProxies" in rendered(helm, {"metadata": {"secret": "people"}})["refused"]
    assert "replica'" in rendered(helm, {**LEAST, "replica": 3})["refused"]
    assert "/ingress/host" in rendered(helm, {**LEAST, "ingress": {"enabled": True}})["refused"]


def test_the_schemas_would_notice_a_misspelt_word_of_a_template(helm: str, tmp_path: Path) -> None:
    for path in CHART.rglob("*"):
        if path.is_file():
            copy = tmp_path / "chart" / path.relative_to(CHART)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(path.read_text().replace("readinessProbe:", "readynessProbe:"))
    misfits = rendered(helm, LEAST, tmp_path / "chart")["misfits"]
    assert len(misfits) == len(VERSIONS)
    assert all("readynessProbe" in misfit for misfit in misfits)


def test_the_arguments_of_a_server_are_taken(manifests: dict[str, Any]) -> None:
    arguments = [word.replace("$(POD_IP)", "10.244.1.7") for word in container_of(manifests)["args"]]
    options = _serve_parser(Settings()).parse_args(arguments)
    assert (options.team, options.root_path, options.metadata) == (True, "/piql", "file:/metadata/url")
    assert (options.peer_address, options.trusted_proxies) == ("10.244.1.7:8400", ["10.244.0.0/16"])
    assert options.allowed_hosts == ["piql.example", "piql.svc"]


def test_names_lead_somewhere(manifests: dict[str, Any]) -> None:
    pod = manifests["Deployment"]["spec"]["template"]
    selector = manifests["Service"]["spec"]["selector"]
    assert selector == manifests["Deployment"]["spec"]["selector"]["matchLabels"]
    assert selector == manifests["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]
    assert selector.items() <= pod["metadata"]["labels"].items()
    (path,) = manifests["Ingress"]["spec"]["rules"][0]["http"]["paths"]
    assert path["backend"]["service"]["name"] == manifests["Service"]["metadata"]["name"]
    volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
    assert {mount["name"] for mount in container_of(manifests)["volumeMounts"]} == set(volumes)
    claim = volumes["data"]["persistentVolumeClaim"]["claimName"]
    assert claim == manifests["PersistentVolumeClaim"]["metadata"]["name"]
    assert manifests["PersistentVolumeClaim"]["spec"]["accessModes"] == ["ReadWriteMany"]


async def test_its_probes_are_answered(manifests: dict[str, Any], client: httpx.AsyncClient) -> None:
    container = container_of(manifests)
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert (await client.get(container[probe]["httpGet"]["path"])).status_code == 200


def test_it_runs_as_the_user_of_the_image_and_may_do_nothing_else(manifests: dict[str, Any]) -> None:
    user = re.search(r"^USER (\d+):(\d+)$", (ROOT / "backend" / "Dockerfile").read_text(), re.MULTILINE)
    security = manifests["Deployment"]["spec"]["template"]["spec"]["securityContext"]
    assert user is not None
    assert (security["runAsUser"], security["runAsGroup"]) == (int(user[1]), int(user[2]))
    assert security["runAsNonRoot"] is True
    assert container_of(manifests)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def container_of(manifests: dict[str, Any]) -> Any:
    (container,) = manifests["Deployment"]["spec"]["template"]["spec"]["containers"]
    return container
