"""normalise: a state as lines that are the same for the same state on any server."""

import json
import re

DROPPED = ("resourceVersion", "managedFields", "selfLink")
# Addresses that are given out in the order of requests, and what the scheduler draws.
DRAWN = {"clusterIP": "ADDRESS", "clusterIPs": "ADDRESS", "podIP": "ADDRESS",
         "podIPs": "ADDRESS", "hostIP": "ADDRESS", "hostIPs": "ADDRESS", "addresses": "ADDRESS",
         "ip": "ADDRESS", "nodeName": "NODE", "hostname": "NODE", "nodePort": "PORT"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
RANDOM = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}$")
MINUTES = re.compile(r"-\d{8}$")  # of a CronJob's Jobs


def name_of(item):
    """The name, without what was drawn for it."""
    metadata = item["metadata"]
    name = metadata["name"]
    if metadata.get("generateName"):
        name = RANDOM.sub("-RANDOM", name)
    owners = metadata.get("ownerReferences", [])
    if item["kind"] == "Job" and any(owner["kind"] == "CronJob" for owner in owners):
        name = MINUTES.sub("-MINUTES", name)
    return name


def normalise(items):
    names = {}
    for item in items:
        given, plain = item["metadata"]["name"], name_of(item)
        names[item["metadata"]["uid"]] = f"{item['kind']}/{plain}"
        if given != plain:
            names[given] = plain
    # Longest first: names of pods begin with names of ReplicaSets.
    known = sorted(names, key=len, reverse=True)

    def text(value):
        for name in known:
            value = value.replace(name, names[name])
        value = TIME.sub("TIME", value)
        return UID.sub("UID", value)

    def plain(value, key=""):
        if key in DRAWN:
            return [DRAWN[key]] * len(value) if isinstance(value, list) else DRAWN[key]
        if isinstance(value, dict):
            return {text(name): plain(member, name) for name, member in value.items()
                    if name not in DROPPED}
        if isinstance(value, list):
            out = [plain(member) for member in value]
            # Conditions, endpoints and owners stand in the order in which they came.
            return sorted(out, key=lambda one: json.dumps(one, sort_keys=True)) \
                if out and isinstance(out[0], dict) else out
        return text(value) if isinstance(value, str) else value

    def whole(item):
        item = plain(item)
        level(item)
        return item

    shown = sorted((whole(item) for item in items),
                   key=lambda item: (item["kind"], item["metadata"].get("namespace", ""),
                                     json.dumps(item, sort_keys=True)))
    lines = []
    for item in shown:
        lines.append(f"{item['kind']} {item['metadata']['name']}")
        leaves(item, "  ", lines)
    return lines


def level(item):
    """Takes out what depends on who came first: how often a spec was written, though not that it
    was seen; and what is the server's own."""
    metadata, status = item["metadata"], item.get("status", {})
    generation = metadata.pop("generation", None)
    if "observedGeneration" in status:
        status["observedGeneration"] = "SEEN" if status["observedGeneration"] == generation \
            else "NOT SEEN"
    for condition in status.get("conditions", []):
        condition.pop("observedGeneration", None)
    # Whether a controller could tell when something changed depends on how much came together.
    metadata.get("annotations", {}).pop("endpoints.kubernetes.io/last-change-trigger-time", None)
    if metadata.get("annotations") == {}:
        del metadata["annotations"]
    if "ca.crt" in item.get("data", {}):
        item["data"]["ca.crt"] = "AUTHORITY" if item["data"]["ca.crt"] else ""


def leaves(value, path, lines):
    if isinstance(value, dict) and value:
        for name in sorted(value):
            leaves(value[name], f"{path}.{name}", lines)
    elif isinstance(value, list) and value:
        for index, member in enumerate(value):
            leaves(member, f"{path}[{index}]", lines)
    else:
        lines.append(f"{path} = {json.dumps(value)}")
