"""Reads the tables in schema/ into plain objects."""

import pathlib
from dataclasses import dataclass, field


@dataclass
class Field:
    number: int
    name: str  # the JSON name
    kind: str
    message: "Message | None" = None
    message_name: str = ""
    flags: dict = field(default_factory=dict)

    @property
    def repeated(self):
        return "repeated" in self.flags

    @property
    def map(self):
        return "map" in self.flags

    @property
    def pointer(self):
        return "pointer" in self.flags

    @property
    def inlined(self):
        return "inline" in self.flags


@dataclass
class Message:
    name: str
    package: "Package"
    flags: dict
    fields: list = field(default_factory=list)  # in JSON order

    @property
    def full_name(self):
        return f"{self.package.proto}.{self.name}"

    @property
    def union(self):
        return self.flags.get("union", "")

    @property
    def is_kind(self):
        return "kind" in self.flags

    @property
    def is_object(self):
        """Has metadata of its own: what informers can be made for."""
        return self.is_kind and any(
            f.name == "metadata" and f.message and f.message.name == "ObjectMeta"
            for f in self.fields)


@dataclass
class Package:
    alias: str
    proto: str
    group: str
    version: str
    messages: dict = field(default_factory=dict)


@dataclass
class Subresource:
    name: str
    kind: tuple
    verbs: list


@dataclass
class Resource:
    group: str
    version: str
    name: str
    kind: tuple  # group, version, kind
    namespaced: bool
    singular: str
    verbs: list
    short_names: list
    categories: list
    served: bool = True
    subresources: list = field(default_factory=list)


@dataclass
class GroupVersion:
    group: str
    version: str
    order: int  # of the group in discovery
    rank: int  # of the version in its group; 0 is preferred
    by_default: bool


def _flags(text):
    flags = {}
    for item in filter(None, text.split(",")):
        key, _, value = item.partition("=")
        # listMapKey comes once per key.
        flags[key] = f"{flags[key]},{value}" if key == "listMapKey" and key in flags else value
    return flags


def _items(text):
    return [] if text == "-" else text.split(",")


# Kinds that no server in the import serves but that clients know, where the usual plural is not the
# real one.
_PLURALS = {("metrics.k8s.io", "NodeMetrics"): "nodes", ("metrics.k8s.io", "PodMetrics"): "pods"}

_ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]


def _plural(group, kind):
    lower = kind.lower()
    if (group, kind) in _PLURALS:
        return _PLURALS[group, kind]
    if lower.endswith("s"):
        return lower + "es"
    if lower.endswith("y"):
        return lower[:-1] + "ies"
    return lower + "s"


class Schema:
    """All packages, and what is served."""

    def __init__(self, folder):
        self.packages = {}  # by alias
        self.by_full_name = {}
        self.resources = []
        self.versions = []
        for path in sorted(pathlib.Path(folder).glob("*.tsv")):
            if path.name not in ("resources.tsv", "defaults.tsv", "required.tsv", "values.tsv"):
                self._read_package(path)
        for package in self.packages.values():
            for message in package.messages.values():
                for f in message.fields:
                    if f.message_name:
                        f.message = self.by_full_name[f.message_name]
        self._read_resources(pathlib.Path(folder) / "resources.tsv")
        self._derive_resources()

    def _read_package(self, path):
        package = message = None
        for line in path.read_text().splitlines():
            if line.startswith("#"):
                continue
            part = line.split("\t")
            if part[0] == "package":
                package = Package(path.stem, part[1], part[2], part[3])
                self.packages[path.stem] = package
            elif part[0] == "message":
                message = Message(part[1], package, _flags(part[2] if len(part) > 2 else ""))
                package.messages[message.name] = message
                self.by_full_name[message.full_name] = message
            elif part[0] == "field":
                message.fields.append(
                    Field(int(part[1]), part[2], part[3], None, "" if part[4] == "-" else part[4],
                          _flags(part[5] if len(part) > 5 else "")))
            else:
                raise ValueError(f"{path}: a line starts with {part[0]!r}")

    def _read_resources(self, path):
        for line in path.read_text().splitlines():
            if line.startswith("#"):
                continue
            part = line.split("\t")
            group, version = part[1], part[2]
            if part[0] == "version":
                self.versions.append(
                    GroupVersion(group, version, int(part[3]), int(part[4]), part[5] == "default"))
                continue
            kind_group, kind_version, kind = part[4].split("/")
            gvk = (kind_group, kind_version, kind) if kind_version else (group, version, kind)
            if part[0] == "resource":
                self.resources.append(
                    Resource(group, version, part[3], gvk, part[5] == "Namespaced", part[6],
                             _items(part[7]), _items(part[8]), _items(part[9])))
            else:
                self.resources[-1].subresources.append(
                    Subresource(part[3].split("/")[1], gvk, _items(part[5])))

    def _derive_resources(self):
        known = {r.kind for r in self.resources}
        for package in self.packages.values():
            if package.alias.startswith("metav1"):
                continue
            for m in package.messages.values():
                gvk = (package.group, package.version, m.name)
                if "client" not in m.flags or gvk in known:
                    continue
                self.resources.append(
                    Resource(package.group, package.version, _plural(package.group, m.name), gvk,
                             "nonNamespaced" not in m.flags, m.name.lower(), _ALL_VERBS, [], [],
                             served=False))
