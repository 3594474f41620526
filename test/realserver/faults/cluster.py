"""Cluster: the real kube-apiserver with its etcd, as a child; Api: requests to it as admin."""

import base64
import http.client
import json
import pathlib
import shutil
import signal
import ssl
import time
import urllib.request

from process import Process
from proxy import steady_port

USERS = ("kinformer", "client-go")
ADMIN = "admin-token"
METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def audit_of(users):
    """Every request of theirs is written down as it comes in and as it is answered."""
    return {"apiVersion": "audit.k8s.io/v1", "kind": "Policy",
            "rules": [{"level": "Metadata", "users": list(users),
                       "omitStages": ["ResponseStarted"]}, {"level": "None"}]}


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, text, status=0, head=None):
        super().__init__(text)
        self.status = status
        self.head = head or {}


class Api:
    """Over one connection, straight to the server."""

    def __init__(self, port, ca_file):
        self._connection = http.client.HTTPSConnection(
            "127.0.0.1", port, context=ssl.create_default_context(cafile=ca_file), timeout=60)

    def ask(self, method, path, body=None, content_type="application/json", accept=None,
            token=ADMIN):
        """The answer's head and its body, parsed."""
        head = {"Authorization": f"Bearer {token}", "Accept": accept or "application/json"}
        if body is not None:
            head["Content-Type"] = content_type
        response = self._exchange(method, path, body and json.dumps(body), head)
        text = response.read()
        if response.status >= 300:
            raise Refused(f"{method} {path}: {response.status} {text[:300]!r}", response.status,
                          response.headers)
        return response.headers, json.loads(text)

    def _exchange(self, *request):
        try:
            self._connection.request(*request)
            return self._connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLEOFError):
            self._connection.close()  # idle for long: the server has closed it
        self._connection.request(*request)
        return self._connection.getresponse()

    def create(self, path, body):
        return self.ask("POST", path, body)[1]

    def merge(self, path, body):
        return self.ask("PATCH", path, body, "application/merge-patch+json")[1]

    def delete(self, path):
        return self.ask("DELETE", path)[1]

    def list(self, path):
        """What is there at a version that etcd's majority has, by key: (uid, resourceVersion)."""
        _, body = self.ask("GET", path, accept=METADATA)
        return {key_of(item["metadata"]): (item["metadata"]["uid"],
                                           item["metadata"]["resourceVersion"])
                for item in body["items"]}, int(body["metadata"]["resourceVersion"])


def key_of(metadata):
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else metadata["name"]


class Cluster:
    """One server in a folder; it keeps its ports. `etcd`: the address of one that runs already,
    with its folder `data`. `options`: more of kube-apiserver's. `users`: who has a token, and is
    written about."""

    def __init__(self, realapi, folder, etcd=None, data=None, options=(), users=USERS,
                 authorization="AlwaysAllow"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.data = data or self.folder / "data"
        self.audit_log = self.folder / "audit.log"
        self.port = steady_port()
        self.api = None
        self._etcd_port = steady_port()
        self._etcd = ["--etcd", etcd] if etcd else ["--etcd-port", str(self._etcd_port)]
        self._options = options
        self._realapi = realapi
        self._process = None
        self._authorization = authorization
        tokens = "".join(f"{user}-token,{user},{user}-uid,faults\n" for user in users)
        (self.folder / "users.csv").write_text(f"{ADMIN},admin,admin-uid,system:masters\n{tokens}")
        (self.folder / "audit.yaml").write_text(json.dumps(audit_of(users)))

    def start(self):
        self._process = Process(
            [self._realapi, "--data-dir", str(self.data), "--stdin", "--port", str(self.port),
             *self._etcd, "--authorization-mode", self._authorization, "--",
             f"--token-auth-file={self.folder}/users.csv",
             f"--audit-policy-file={self.folder}/audit.yaml",
             f"--audit-log-path={self.audit_log}", "--audit-log-maxsize=1000",
             *self._options],
            self.folder / "server.err")
        self._process.wait_for("ready ", 120)
        self.api = self.new_api()

    def new_api(self):
        """For a thread of its own."""
        return Api(self.port, str(self.data / "ca.crt"))

    @property
    def ports(self):
        return [self.port]

    def stop(self):
        if self._process is not None:
            self._process.stop()

    def kill(self):
        self._process.stop(signal.SIGKILL)

    def backup(self):
        """Stops the server, copies its etcd, and starts it again."""
        self.stop()
        shutil.rmtree(self.folder / "backup", ignore_errors=True)
        shutil.copytree(self.data / "etcd", self.folder / "backup")
        self.start()

    def restore(self):
        """Puts the copy back, while the server is down."""
        shutil.rmtree(self.data / "etcd")
        shutil.copytree(self.folder / "backup", self.data / "etcd")

    def compact(self):
        """Etcd forgets whatever is older than now. The server's own memory of it goes with the
        next start."""
        _, version = self.api.list("/api/v1/configmaps")
        body = json.dumps({"physical": True, "revision": str(version)}).encode()
        url = f"http://127.0.0.1:{self._etcd_port}/v3/kv/compaction"
        with urllib.request.urlopen(url, body) as answer:
            answer.read()

    def kubeconfig(self, user, port, token_file=None):
        """A file by which the user comes in through the port."""
        token = {"tokenFile": str(token_file)} if token_file else {"token": f"{user}-token"}
        ca = base64.b64encode((self.data / "ca.crt").read_bytes()).decode()
        path = self.folder / f"{user}.kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "faults",
            "clusters": [{"name": "faults", "cluster": {
                "server": f"https://127.0.0.1:{port}", "certificate-authority-data": ca}}],
            "users": [{"name": user, "user": token}],
            "contexts": [{"name": "faults",
                          "context": {"cluster": "faults", "user": user}}]}))
        return path

    def requests(self, user, offset):
        """How many came in by that user since the audit log had that size, and how many of them
        were answered with 429."""
        came = busy = 0
        with self.audit_log.open("rb") as log:
            log.seek(offset)
            for line in log:
                event = json.loads(line)
                if event["user"]["username"] != user:
                    continue
                came += event["stage"] == "RequestReceived"
                busy += event.get("responseStatus", {}).get("code") == 429
        return came, busy

    def audit_size(self):
        return self.audit_log.stat().st_size if self.audit_log.exists() else 0
