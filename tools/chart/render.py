"""Renders a chart with Helm, and checks it against the schemas of Kubernetes. Runs in `.helm` (setup-helm.sh).

render.py CHART VERSION…  < values.json  →  {"lint": […], "refused": null, "manifests": […], "misfits": […]}
"""

from __future__ import annotations

import json
import sys
from typing import Any

import helm_python  # type: ignore[import-not-found]  # in `.helm` alone
import kubernetes_validate  # type: ignore[import-not-found]
import yaml


def main(chart: str, versions: list[str]) -> None:
    """Print what Helm says of a chart with the values at the input, and each manifest that a version would refuse."""
    values = json.load(sys.stdin)
    findings = helm_python.lint(chart, values)
    answer: dict[str, Any] = {"lint": findings["messages"], "refused": None, "manifests": [], "misfits": []}
    try:
        with helm_python.Chart.load(chart) as loaded:
            rendered = loaded.render(values, name="team", namespace="piql")
    except helm_python.HelmError as error:
        answer["refused"] = str(error)
        rendered = {}
    for name, text in rendered.items():
        if name.endswith(".yaml"):
            answer["manifests"] += [manifest for manifest in yaml.safe_load_all(text) if manifest]
    for manifest in answer["manifests"]:
        answer["misfits"] += [f"{version}: {reason}" for version in versions for reason in misfits(manifest, version)]
    json.dump(answer, sys.stdout)


def misfits(manifest: dict[str, Any], version: str) -> list[str]:
    """Why a version of Kubernetes would refuse a manifest, also for a name that it does not know."""
    try:
        kubernetes_validate.validate(manifest, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{manifest['kind']}: {error}"]
    return []


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
