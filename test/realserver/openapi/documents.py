#!/usr/bin/env python3
"""Compares the OpenAPI documents of custom resources of a real kube-apiserver and the embedded one.

usage: documents.py DEFINITIONS DATA REAL OURS
DATA has the real server's certificates; REAL and OURS are addresses.

Equal but for these, which are to be:
- descriptions that are not the definition's: the embedded server has none;
- OpenAPI 2: the embedded server has the parameters that several paths share at each of them, and
  not under names made of hashes of their descriptions;
- OpenAPI 2: paths of built-in kinds, which the embedded server leaves out.
"""

import json
import ssl
import sys
import time
import urllib.error
import urllib.request

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# Members whose descriptions are the server's, and not the definition's.
OWN = {"apiVersion", "kind", "metadata"}


class Server:
    def __init__(self, address, certificates=None):
        self.address = address
        self.context = None
        if certificates:
            self.context = ssl.create_default_context(cafile=f"{certificates}/ca.crt")
            self.context.load_cert_chain(f"{certificates}/admin.crt", f"{certificates}/admin.key")

    def ask(self, path, body=None):
        request = urllib.request.Request(self.address + path)
        request.add_header("Accept", "application/json")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, context=self.context, timeout=60) as answer:
            return json.load(answer)

    def wait(self, path, holds):
        """A real server publishes a definition some seconds after it was created."""
        end = time.monotonic() + 60
        while True:
            try:
                document = self.ask(path)
                if holds(document):
                    return document
            except urllib.error.HTTPError as error:
                if error.code != 404:
                    raise
            if time.monotonic() > end:
                sys.exit(f"{self.address}{path} has not all resources after a minute")
            time.sleep(0.2)


def resolved(value, parameters):
    """The same with the parameters that it refers to."""
    if isinstance(value, list):
        return [resolved(item, parameters) for item in value]
    if not isinstance(value, dict):
        return value
    prefix = "#/parameters/"
    if value.get("$ref", "").startswith(prefix):
        return parameters[value["$ref"][len(prefix):]]
    return {name: resolved(inner, parameters) for name, inner in value.items()}


def references(value):
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rsplit("/", 1)[1]
        for inner in value.values():
            yield from references(inner)


def part(document, groups):
    """The paths of the groups, and the schemas that they refer to."""
    schemas = document.get("definitions") or document["components"]["schemas"]
    paths = {path: item for path, item in document["paths"].items()
             if path.split("/")[2] in groups}
    paths = resolved(paths, document.get("parameters", {}))
    needed, found = set(), list(references(paths))
    while found:
        name = found.pop()
        if name not in needed:
            needed.add(name)
            found += references(schemas.get(name, {}))
    head = {name: value for name, value in document.items()
            if name not in ("paths", "definitions", "components", "parameters")}
    if "swagger" in document:
        head.pop("info")
    return {"head": head, "paths": paths,
            "schemas": {name: schemas.get(name, "MISSING") for name in needed}}


def may_lack(where):
    """Whether the description there is the server's own."""
    if where[0] != "schemas" or not where[1].startswith("com.") or where[1].endswith("List") \
            or where[1].endswith("Box"):
        return True
    return any(where[i - 1] == "properties" and step in OWN for i, step in enumerate(where) if i)


def differences(real, ours, where=()):
    if isinstance(real, dict) and isinstance(ours, dict):
        for name in sorted(set(real) | set(ours)):
            if name not in ours:
                own = name == "description" and isinstance(real[name], str) and may_lack(where)
                if not own:
                    yield f"{'/'.join(where)}: lacks {name}: {json.dumps(real[name])[:200]}"
            elif name not in real:
                yield f"{'/'.join(where)}: has {name}: {json.dumps(ours[name])[:200]}"
            else:
                yield from differences(real[name], ours[name], where + (name,))
    elif isinstance(real, list) and isinstance(ours, list) and len(real) == len(ours):
        for i, (a, b) in enumerate(zip(real, ours)):
            yield from differences(a, b, where + (str(i),))
    elif real != ours:
        yield f"{'/'.join(where)}: real {json.dumps(real)[:300]} ours {json.dumps(ours)[:300]}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        definitions = json.load(file)
    real, ours = Server(sys.argv[3], sys.argv[2]), Server(sys.argv[4])
    for definition in definitions:
        real.ask(DEFINITIONS, definition)
        ours.ask(DEFINITIONS, definition)
    versions = {}
    for definition in definitions:
        for version in definition["spec"]["versions"]:
            gv = f"apis/{definition['spec']['group']}/{version['name']}"
            versions.setdefault(gv, set()).add(f"/{gv}/{definition['spec']['names']['plural']}")
    groups = {gv.split("/")[1] for gv in versions}
    compared, found = 0, []

    def compare(path, resources):
        nonlocal compared
        def whole(document):
            return all(resource in document["paths"] for resource in resources)
        a = part(real.wait(path, whole), groups)
        b = part(ours.wait(path, whole), groups)
        compared += len(a["paths"]) + len(a["schemas"])
        found.extend(f"{path} {difference}" for difference in differences(a, b))

    for gv, resources in sorted(versions.items()):
        compare(f"/openapi/v3/{gv}", resources)
    compare("/openapi/v2", set().union(*versions.values()))
    print("\n".join(found))
    print(f"{compared} paths and schemas compared, {len(found)} differences")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
