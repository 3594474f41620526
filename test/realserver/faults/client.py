"""Client: a program with informers behind a proxy of its own; Writer: what changes on the server.

The program prints `ready` and answers, line by line and up to `end`:
  state   INFORMER KEY UID RESOURCEVERSION, of every object in every informer's cache
  stats   INFORMER and figures, NAME=VALUE
  objects INFORMER JSON, of every object
"""

import json
import time

from process import Ended, Process
from proxy import Proxy

# By the name of an informer's resource: where its objects are.
PATHS = {"configmaps": "/api/v1{}/configmaps", "secrets": "/api/v1{}/secrets",
         "pods": "/api/v1{}/pods", "replicasets": "/apis/apps/v1{}/replicasets",
         "serviceaccounts": "/api/v1{}/serviceaccounts",
         "priorityclasses": "/apis/scheduling.k8s.io/v1{}/priorityclasses"}


def path_of(resource, namespace=""):
    path = PATHS[resource.removesuffix("+json")]
    return path.format(f"/namespaces/{namespace}" if namespace else "")


class Client:
    """`informers`: RESOURCE, or RESOURCE/NAMESPACE. With kinformer RESOURCE+json is the same
    without a type. `name`: kinformer or client-go. `token_file`: it has its token from there."""

    def __init__(self, name, command, cluster, environment=None, user=None, token_file=None):
        self.name = name
        self.user = user or name
        self.token_file = token_file
        self.proxy = Proxy()
        self._command = command
        self._environment = environment
        self._cluster = cluster
        self._process = None

    def start(self, informers, lists):
        self.proxy.upstreams = self._cluster.ports
        token = {"token_file": self.token_file} if self.token_file else {}
        kubeconfig = self._cluster.kubeconfig(self.user, self.proxy.port, **token)
        environment = dict(self._environment or {})
        environment["KUBE_FEATURE_WatchListClient"] = "false" if lists else "true"
        self.log = self._cluster.folder / f"{self.user}.err"
        self._process = Process(
            [*self._command, "--kubeconfig", str(kubeconfig),
             *(["--list"] if lists and self.name == "kinformer" else []), *informers],
            self.log, environment)
        self._process.wait_for("ready", 30)

    def stop(self):
        if self._process is not None:
            self._process.stop()
            self._process = None
        self.proxy.flow()
        self.proxy.refuse()
        self.proxy.admit()

    def state(self):
        """By informer, by key: (uid, resourceVersion)."""
        held = {}
        for line in self._process.ask("state"):
            informer, key, uid, version = line.split(" ")
            held.setdefault(informer, {})[key] = (uid, version)
        return held

    def objects(self):
        """By informer: the objects, parsed."""
        held = {}
        for line in self._process.ask("objects", 120):
            informer, _, text = line.partition(" ")
            held.setdefault(informer, []).append(json.loads(text))
        return held

    def stats(self):
        try:
            return self._process.ask("stats")
        except Ended as error:
            return [str(error)]


def truth_of(api, informers):
    """What the caches should hold."""
    truth = {}
    for resource in {informer.partition("/")[0] for informer in informers}:
        truth[resource] = api.list(path_of(resource))[0]
    for informer in informers:
        resource, _, namespace = informer.partition("/")
        if namespace:
            truth[informer] = {key: value for key, value in truth[resource].items()
                               if key.startswith(namespace + "/")}
    return {informer: truth[informer] for informer in informers}


def wrong_keys(truth, held):
    """Keys that are missing, that should not be there, or that are another object or version."""
    wrong = []
    for informer, want in truth.items():
        have = held.get(informer, {})
        wrong += [f"{informer} {key}" for key in want.keys() | have.keys()
                  if want.get(key) != have.get(key)]
    return sorted(wrong)


def converge(api, clients, informers, patience, truth_of=truth_of):
    """Polls until all caches equal the server. By user: (seconds or None, wrong keys)."""
    begin = time.monotonic()
    outcome = {}
    while True:
        truth = truth_of(api, informers)
        late = time.monotonic() - begin > patience
        for client in clients:
            if outcome.get(client.user, (None,))[0] is not None:
                continue
            try:
                wrong = wrong_keys(truth, client.state())
            except Ended as error:
                wrong = [str(error)]
            passed = time.monotonic() - begin
            outcome[client.user] = (None if wrong else passed, wrong)
        if late or all(passed is not None for passed, _ in outcome.values()):
            return outcome
        time.sleep(0.1)


class Writer:
    """Creates, updates and deletes in a fixed order, the same for every namespace that it is told
    of. Names repeat after a restore: other objects under the names of lost ones."""

    SIZE = 2000

    def __init__(self, cluster, scopes):
        self._cluster = cluster
        self._scopes = scopes  # (resource, namespace)
        self._live = {scope: [] for scope in scopes}
        self._next = dict.fromkeys(scopes, 0)
        self._steps = self._updates = 0

    def remember(self):
        """What there is at a backup; for go_back."""
        return json.dumps([[list(scope), self._live[scope], self._next[scope]]
                           for scope in self._scopes])

    def go_back(self, remembered):
        for scope, live, number in json.loads(remembered):
            self._live[tuple(scope)], self._next[tuple(scope)] = live, number

    def write(self, steps):
        """Each step writes one object in every scope: 2 of 5 create, 2 update, 1 deletes."""
        for _ in range(steps):
            for scope in self._scopes:
                self._step(scope, self._steps % 5)
            self._steps += 1

    def write_for(self, seconds, pause=0.25):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.write(1)
            time.sleep(pause)

    def newest(self):
        """The newest object of every scope."""
        return {scope: self._live[scope][-1] for scope in self._scopes}

    def touch(self, names):
        """Updates one object of every scope."""
        for scope, name in names.items():
            self._update(scope, name)

    def create(self, count):
        for scope in self._scopes:
            for _ in range(count):
                self._create(scope)

    def _step(self, scope, kind):
        live = self._live[scope]
        if kind in (0, 2) or len(live) < 2:
            self._create(scope)
        elif kind == 4:
            self._cluster.api.delete(f"{path_of(*scope)}/{live.pop(0)}")
        else:
            self._update(scope, live[-1])

    def _update(self, scope, name):
        self._updates += 1
        self._cluster.api.merge(f"{path_of(*scope)}/{name}",
                                {"metadata": {"labels": {"update": str(self._updates)}}})

    def _create(self, scope):
        name = f"{scope[1] or 'all'}-{self._next[scope]:04d}"
        self._next[scope] += 1
        body = {"metadata": {"name": name}}
        if scope[0] == "configmaps":
            body["data"] = {"text": f"{self._steps} " * (self.SIZE // 5)}
        if scope[0] == "priorityclasses":
            body["value"] = 1000
        self._cluster.api.create(path_of(*scope), body)
        self._live[scope].append(name)
