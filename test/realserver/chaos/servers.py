"""Servers: two kube-apiservers on one etcd. One is down at a time; clients come in through Proxies,
which are balancers and know who is up."""

from cluster import ADMIN, Api, Cluster
from process import Process

# GOAWAY to one request in 50; etcd forgets what is more than a few seconds old.
OPTIONS = ("--goaway-chance=0.02", "--etcd-compaction-interval=2s")


class Servers:
    """`ports` are those of the servers that are up, and changes as they come and go."""

    def __init__(self, realapi, folder):
        self.folder = folder
        self.ports = []
        self.kills = 0
        self.balancers = []
        self.cut = 0  # connections that ended because their server was killed
        self._realapi = realapi
        self._etcd = None
        self._clusters = []

    def start(self):
        data = self.folder / "data"
        self._etcd = Process([self._realapi, "--etcd-only", "--data-dir", str(data), "--stdin"],
                             self.folder / "etcd.err")
        etcd = self._etcd.wait_for("ready ", 60).partition("etcd=")[2]
        for name in ("one", "two"):
            cluster = Cluster(self._realapi, self.folder / name, etcd, data, OPTIONS)
            self._clusters.append(cluster)
            cluster.start()
            self.ports.append(cluster.port)

    def stop(self):
        for cluster in self._clusters:
            cluster.stop()
        if self._etcd is not None:
            self._etcd.stop()

    @property
    def ca_file(self):
        return self.folder / "data" / "ca.crt"

    def kubeconfig(self, user, port):
        return self._clusters[0].kubeconfig(user, port)

    def kill_and_restart(self):
        """The one whose turn it is. Returns when it is back; until then nobody is sent to it."""
        cluster = self._clusters[self.kills % 2]
        self.ports.remove(cluster.port)
        self.cut += sum(one.open_connections(cluster.port) for one in self.balancers)
        self.kills += 1
        cluster.kill()
        cluster.start()
        self.ports.append(cluster.port)

    def list(self, path):
        """What a quorum has, from a server that is up: the objects."""
        api = Api(self.ports[0], str(self.ca_file))
        return api.ask("GET", path, token=ADMIN)[1]["items"]

    def requests(self, user):
        """How many came in."""
        return sum(cluster.requests(user, 0)[0] for cluster in self._clusters)
