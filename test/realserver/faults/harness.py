"""Run: faults on one server, with the clients beside each other, and what came of each."""

import dataclasses
import sys
import time

from client import Writer, converge
from faults import FAULTS

SCOPES = (("configmaps", "alpha"), ("configmaps", "beta"), ("secrets", "beta"),
          ("serviceaccounts", "alpha"), ("priorityclasses", ""))
INFORMERS = ("configmaps", "configmaps/alpha", "secrets/beta", "serviceaccounts",
             "priorityclasses")
AFTERWARDS = 15  # seconds in which the writes that follow shall arrive


@dataclasses.dataclass
class Outcome:
    """Of one client."""

    fault: str
    user: str
    patience: float
    seconds: float | None  # until its caches equalled the server; None: not within patience
    wrong: int  # keys, then
    later: int  # keys, after further writes and AFTERWARDS seconds
    requests: int
    busy: int  # of the requests: answered with 429
    connections: int

    @property
    def ok(self):
        return self.seconds is not None and self.later == 0


def say(text):
    print(text, file=sys.stderr, flush=True)


class Run:
    def __init__(self, cluster, clients, patience, shares):
        self.cluster = cluster
        self.clients = clients
        self.patience = patience
        self.shares = shares
        self._namespaces = {"default"}
        self._standard = self._scoped(SCOPES)
        self._standard.create(40)
        self._informers = INFORMERS
        self.writer = self._standard
        self._marked = None
        self._undo = []

    def _scoped(self, scopes):
        for name in sorted({namespace for _, namespace in scopes if namespace} - self._namespaces):
            self.cluster.api.create("/api/v1/namespaces", {"metadata": {"name": name}})
            self._namespaces.add(name)
        return Writer(self.cluster, scopes)

    def _converge(self, patience):
        return converge(self.cluster.api, self.clients, self._informers, patience)

    # ---- What faults are made of.

    def each(self, act):
        for client in self.clients:
            act(client.proxy)

    def version(self):
        return self.cluster.api.list("/api/v1/configmaps")[1]

    def mark(self):
        """Requests and connections count from here."""
        self._marked = (self.cluster.audit_size(),
                        {client.user: client.proxy.connections for client in self.clients})

    def start_clients(self, lists=False):
        self.mark()
        for client in self.clients:
            client.start(self._informers, lists)

    def use_many_scopes(self, count):
        """Until the fault is over: one informer for each of so many namespaces."""
        scopes = [("configmaps", f"many-{i:02d}") for i in range(count)]
        self.writer = self._scoped(scopes)
        self.writer.create(40)
        self._informers = [f"{resource}/{namespace}" for resource, namespace in scopes]

    def afterwards(self, act):
        self._undo.append(act)

    def lose_history(self, steps):
        """The clients see a history that the server then forgets: it is down, and has its backup.
        The version before."""
        remembered = self.writer.remember()
        self.cluster.backup()
        self._settle("after the backup")
        self.writer.write(steps)
        time.sleep(2)
        self._settle("after writes to be lost")
        version = self.version()
        self.mark()
        self.cluster.kill()
        self.cluster.restore()
        self.writer.go_back(remembered)
        return version

    def _settle(self, when):
        for user, (seconds, wrong) in self._converge(60).items():
            if seconds is None:
                raise RuntimeError(f"{user} has not synced {when}: {wrong[:3]}")

    def _watch_for_a_while(self):
        """A watch that breaks within a second and without events is not resumed."""
        self._settle("before the fault")
        self.writer.write(5)
        time.sleep(2)
        self._settle("before the fault, after a few writes")

    # ---- One fault.

    def let_happen(self, name):
        """An Outcome for each client."""
        fault = FAULTS[name]
        patience = max(self.patience, fault.patience or 0)
        say(f"--- {name}")
        try:
            if not fault.starts:
                self.start_clients()
                self._watch_for_a_while()
            self.mark()
            fault.happen(self)
            first = self._converge(patience)
            counts = {client.user: self._counts(client) for client in self.clients}
            self.writer.write(5)
            then = self._converge(AFTERWARDS)
            return [self._outcome(name, client.user, patience, first, then, counts)
                    for client in self.clients]
        finally:
            for client in self.clients:
                client.stop()
            while self._undo:
                self._undo.pop()()
            self.writer, self._informers = self._standard, INFORMERS

    def _counts(self, client):
        offset, connections = self._marked
        return (*self.cluster.requests(client.user, offset),
                client.proxy.connections - connections[client.user])

    def _outcome(self, name, user, patience, first, then, counts):
        seconds, wrong = first[user]
        later_seconds, later_wrong = then[user]
        took = f"{seconds:.1f} s" if seconds is not None else f"not within {patience} s"
        say(f"{user}: {took}, {len(wrong)} keys wrong; then {len(later_wrong)}; "
            f"requests, 429s, connections: {counts[user]}")
        client = next(one for one in self.clients if one.user == user)
        if seconds is None or later_seconds is None:
            for line in [*wrong[:5], *later_wrong[:5], *client.stats()]:
                say(f"  | {line}")
        return Outcome(name, user, patience, seconds, len(wrong), len(later_wrong), *counts[user])
