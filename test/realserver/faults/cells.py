"""Cell: one trouble, drawn from one seed, that clients of one mode meet beside each other, each
behind a proxy of its own, in a namespace of the cell's own. Many run at once on one server."""

import base64
import contextlib
import dataclasses
import random
import sys
import threading
import time

from client import Client, Writer, converge, path_of
from cluster import Refused
from troubles import TROUBLES

RESOURCES = ("configmaps", "secrets", "serviceaccounts")
MODES = ("WatchList, protobuf", "WatchList, JSON", "LIST, protobuf", "LIST, JSON")
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PATIENCE = 90  # seconds; what is wrong after so long is called wrong for good
AFTERWARDS = 15  # seconds in which the writes that follow shall arrive


@dataclasses.dataclass
class Outcome:
    """Of one client."""

    trouble: str
    mode: str
    seed: int
    name: str  # the client's
    bound: float
    seconds: float | None  # until its caches equalled the server; None: not within PATIENCE
    later: int  # keys that are wrong after further writes and AFTERWARDS seconds
    requests: int
    connections: int

    @property
    def ok(self):
        return self.seconds is not None and self.seconds <= self.bound and self.later == 0


def say(text):
    print(text, file=sys.stderr, flush=True)


def command_of(name, program, mode):
    if name == "kinformer":
        return [program, *(["--json"] if "JSON" in mode else [])]
    return [program, "follow", *(["--protobuf"] if "protobuf" in mode else [])]


class Cell:
    """`programs`: by the name of a client."""

    def __init__(self, number, trouble, mode, seed, programs):
        self.trouble = trouble
        self.mode = mode
        self.seed = seed
        self.namespace = f"cell-{number:03d}"
        self.path = path_of("configmaps", self.namespace)
        self.dice = random.Random(f"{trouble} {seed}")
        self.tokens = {}
        self.users = [f"{name}-{number:03d}" for name in programs]
        self._names = dict(zip(self.users, programs))
        self._programs = programs
        self._given = 0
        self.api = self.doorkeeper = self._cluster = self._clients = self._dice = None

    def __str__(self):
        return f"{self.trouble}; {self.mode}; seed {self.seed}"

    # ---- What troubles are made of.

    def proxies(self):
        """Each with dice of its own, which fall alike."""
        return [(client.proxy, self._dice[client.user]) for client in self._clients]

    def pass_time(self, seconds):
        """While objects are written."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._writer.write(1)
            time.sleep(min(left, 0.7))

    def wait_until(self, condition, what):
        end = time.monotonic() + 30
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"{self}: waited for {what} in vain")
            time.sleep(0.2)

    def give_token(self, user):
        """Another than before."""
        self._given += 1
        self.tokens[user] = f"{user}-given-{self._given}"
        self.doorkeeper.know(self.tokens[user], user)
        new = self._token_file(user).with_suffix(".new")
        new.write_text(self.tokens[user])
        new.rename(self._token_file(user))

    def give_rights(self):
        self._grant(self.namespace)

    def _grant(self, namespace):
        self.api.create(f"{RBAC}/namespaces/{namespace}/rolebindings", {
            "metadata": {"name": "followers"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "followers"},
            "subjects": [{"kind": "User", "name": user} for user in self.users]})

    def take_rights(self):
        self.api.delete(f"{RBAC}/namespaces/{self.namespace}/rolebindings/followers")

    @contextlib.contextmanager
    def waiting_writes(self):
        """Each user has a write under way that the server neither makes nor refuses."""
        namespace = f"{self.namespace}-held"
        self.api.create("/api/v1/namespaces",
                        {"metadata": {"name": namespace, "labels": {"held": "true"}}})
        self._grant(namespace)
        wait = self.doorkeeper.hold(namespace)
        threads = [threading.Thread(target=self._write_in_vain, args=(user, namespace, wait))
                   for user in self.users]
        for thread in threads:
            thread.start()
        try:
            yield wait
        finally:
            wait.over.set()
            for thread in threads:
                thread.join()

    def _write_in_vain(self, user, namespace, wait):
        api = self._cluster.new_api()
        while not wait.over.is_set():
            # Before the server knows of the namespace's label, it lets it through.
            with contextlib.suppress(Refused):
                api.ask("POST", f"{path_of('configmaps', namespace)}?dryRun=All",
                        {"metadata": {"name": "waits"}}, token=self.tokens[user])

    def retry_after(self, user):
        """The seconds that the server asks him for, if it does now."""
        try:
            self.api.ask("GET", self.path, token=self.tokens[user])
        except Refused as refusal:
            return int(refusal.head.get("Retry-After", 0))
        return 0

    # ---- From begin to end.

    def run(self, cluster, doorkeeper):
        """An Outcome for each client."""
        self._cluster, self.doorkeeper = cluster, doorkeeper
        self.api = cluster.new_api()
        self.api.create("/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        self.give_rights()
        for user in self.users:
            self.tokens[user] = f"{user}-token"
            if self._has_file:
                self.give_token(user)
        self._clients = [self._client(user) for user in self.users]
        self._dice = {user: random.Random(f"{self.trouble} {self.seed} connections")
                      for user in self.users}
        self._writer = Writer(self, [(resource, self.namespace) for resource in RESOURCES])
        self._informers = [f"{resource}/{self.namespace}" for resource in RESOURCES]
        try:
            return self._let_happen()
        finally:
            for client in self._clients:
                client.stop()
                client.proxy.close()

    @property
    def _has_file(self):
        return self.trouble.startswith("401")

    def _token_file(self, user):
        return self._cluster.folder / f"{user}.token"

    def _client(self, user):
        name = self._names[user]
        return Client(name, command_of(name, self._programs[name], self.mode), self._cluster,
                      user=user, token_file=self._token_file(user) if self._has_file else None)

    def _let_happen(self):
        self._writer.create(15)
        for client in self._clients:
            client.start(self._informers, lists="LIST," in self.mode)
        self._settle()
        self._writer.write(3)
        time.sleep(2)
        self._settle()
        marked = self._cluster.audit_size()
        connections = {client.user: client.proxy.connections for client in self._clients}
        trouble = TROUBLES[self.trouble]
        bound = trouble.bound + (trouble.happen(self) or 0)
        for client in self._clients:
            client.proxy.heal()
        self._writer.write(1)
        over = time.time()
        first = self._converge(PATIENCE)
        requests = {client.user: self._cluster.requests(client.user, marked)[0]
                    for client in self._clients}
        self._writer.write(3)
        then = self._converge(AFTERWARDS)
        outcomes = [self._outcome(client, bound, first, then, requests[client.user],
                                  client.proxy.connections - connections[client.user])
                    for client in self._clients]
        for client, outcome in zip(self._clients, outcomes):
            if client.name == "kinformer" and not outcome.ok:
                tell_errors(client, over)
        return outcomes

    def _settle(self):
        for user, (seconds, wrong) in self._converge(60).items():
            if seconds is None:
                raise RuntimeError(f"{self}: {user} has not synced before: {wrong[:3]}")

    def _converge(self, patience):
        """Nobody else writes to the namespace: what is there first is there to the end."""
        truth = {}

        def truth_of(*_):
            if not truth:  # the clock runs already
                truth.update({informer: self.api.list(path_of(*informer.split("/")))[0]
                              for informer in self._informers})
            return truth
        return converge(self.api, self._clients, self._informers, patience, truth_of)

    def _outcome(self, client, bound, first, then, requests, connections):
        seconds, wrong = first[client.user]
        later = [] if then[client.user][0] is not None else then[client.user][1]
        outcome = Outcome(self.trouble, self.mode, self.seed, client.name, bound, seconds,
                          len(later), requests, connections)
        took = f"{seconds:.1f} s" if seconds is not None else f"not within {PATIENCE} s"
        say(f"{self}; {client.name}: {took} (bound {bound} s), {requests} requests, "
            f"{connections} connections")
        if seconds is None or later:
            for line in [*wrong[:5], *later[:5], *client.stats()]:
                say(f"  | {line}")
        return outcome


def tell_errors(client, over):
    """The last of what it complained of, with seconds since the trouble was over."""
    for line in client.log.read_text().splitlines()[-20:]:
        moment, _, text = line.partition(" ")
        with contextlib.suppress(ValueError):
            say(f"  | {float(moment) - over:+.1f} s {text[:200]}")


def prepare(cluster, doorkeeper):
    """What all cells of a server share."""
    doorkeeper.open(cluster.data / "server.crt", cluster.data / "server.key")
    cluster.api.create(f"{RBAC}/clusterroles", {
        "metadata": {"name": "followers"},
        "rules": [{"apiGroups": [""], "resources": list(RESOURCES),
                   "verbs": ["get", "list", "watch", "create"]}]})
    ca = base64.b64encode((cluster.data / "ca.crt").read_bytes()).decode()
    cluster.api.create("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
                       doorkeeper.admission(ca))
