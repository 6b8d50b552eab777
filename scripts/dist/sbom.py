#!/usr/bin/env python3
"""Prints the parts of the programs as a CycloneDX 1.5 document: every crate that is linked into them on the target that
is given, with its version, license and checksum."""

import json
import os
import subprocess
import sys
import tomllib
from datetime import datetime, timezone

PROGRAMS = ["bd-cli", "gt-cli", "gtd", "gt-keeper"]


def read_metadata():
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--locked", "--format-version", "1"]
    command += ["--filter-platform", sys.argv[1]]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def find_linked(metadata):
    """The ids of all packages that the programs need at run time, and their edges."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    todo = [id for id, package in packages.items() if package["name"] in PROGRAMS]
    edges = {}
    while todo:
        id = todo.pop()
        if id in edges:
            continue
        linked = [
            dep["pkg"]
            for dep in nodes[id]["deps"]
            if any(kind["kind"] is None for kind in dep["dep_kinds"])
        ]
        edges[id] = sorted(linked)
        todo.extend(linked)
    return packages, edges


def describe(package, checksums):
    name, version = package["name"], package["version"]
    component = {
        "type": "library",
        "bom-ref": f"pkg:cargo/{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:cargo/{name}@{version}",
    }
    if package.get("license"):
        component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    checksum = checksums.get((name, version))
    if checksum:
        component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return component


def main():
    metadata = read_metadata()
    packages, edges = find_linked(metadata)
    with open("Cargo.lock", "rb") as file:
        lock = tomllib.load(file)["package"]
    checksums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in lock}
    ref = lambda id: f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}"
    version = next(package["version"] for package in packages.values() if package["name"] == "gt-cli")
    time = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), timezone.utc)
    order = sorted(edges, key=ref)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": "gastown", "name": "gastown", "version": version},
        },
        "components": [describe(packages[id], checksums) for id in order],
        "dependencies": [{"ref": ref(id), "dependsOn": sorted(map(ref, edges[id]))} for id in order],
    }
    json.dump(document, sys.stdout, indent=1)
    print()


main()
