"""Ours: the embedded API server as a child. Book: what is written there, remembered."""

import base64
import collections
import re

from client import path_of
from cluster import ADMIN, Api
from process import Process
from proxy import steady_port
from story import Event


class Ours:
    """What client.Client asks of a cluster, and /debug."""

    def __init__(self, kinformer, folder):
        self.folder = folder
        self.port = steady_port()
        self.api = None
        self._kinformer = kinformer
        self._kubeconfig = folder / "admin.kubeconfig"
        self._process = None

    @property
    def ports(self):
        return [self.port]

    def start(self):
        token = self.folder / "token"
        token.write_text(ADMIN + "\n")
        self._process = Process(
            [self._kinformer, "apiserver", "--listen", f"127.0.0.1:{self.port}", "--tls",
             "--token-file", str(token), "--debug-endpoints", "--kubeconfig-out",
             str(self._kubeconfig)], self.folder / "server.err")
        self._process.wait_for("serving at", 30)
        authority = re.search(r"certificate-authority-data: (\S+)", self._kubeconfig.read_text())
        ca_file = self.folder / "ca.crt"
        ca_file.write_bytes(base64.b64decode(authority[1]))
        self.api = Api(self.port, str(ca_file))

    def stop(self):
        if self._process is not None:
            self._process.stop()

    def kubeconfig(self, user, port):
        """A file by which a client comes in through the port."""
        path = self.folder / f"{user}.kubeconfig"
        path.write_text(re.sub(r"server: .*", f"server: 'https://127.0.0.1:{port}'",
                               self._kubeconfig.read_text()))
        return path

    def misbehave(self, rules, agents):
        """Each rule is there for each client by itself, so that each is hit as often."""
        for agent in agents:
            for rule in rules:
                self.api.create("/debug/faults", {**rule, "userAgent": agent})

    def behave(self):
        self.debug("faults", "DELETE")

    def debug(self, what, method="POST"):
        self.api.ask(method, f"/debug/{what}")


class Book:
    """Writes ConfigMaps, and has the story of each key."""

    def __init__(self, api, namespace):
        self.stories = collections.defaultdict(list)
        self._api = api
        self._namespace = namespace
        self._path = path_of("configmaps", namespace)
        self._updates = 0
        api.create("/api/v1/namespaces", {"metadata": {"name": namespace}})

    def create(self, name):
        self._note("add", self._api.create(self._path, {"metadata": {"name": name},
                                                        "data": {"text": "word " * 20}}))

    def update(self, name):
        self._updates += 1
        self._note("update", self._api.merge(f"{self._path}/{name}", {
            "metadata": {"labels": {"update": str(self._updates)}}}))

    def delete(self, name):
        self._api.delete(f"{self._path}/{name}")
        story = self.stories[f"{self._namespace}/{name}"]
        story.append(Event("delete", story[-1].uid, None))

    def _note(self, what, body):
        metadata = body["metadata"]
        self.stories[f"{self._namespace}/{metadata['name']}"].append(
            Event(what, metadata["uid"], metadata["resourceVersion"]))
