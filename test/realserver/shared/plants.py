"""Etcd, Kinformer, Real: programs as children; Connection: requests to a server; Watch: the events
of one, as they come."""

import http.client
import json
import signal
import socket
import ssl
import threading

from process import Process
from proxy import steady_port

MAPS = "/api/v1/namespaces/default/configmaps"
ADMIN = "admin-token"


class Etcd:
    """The etcd in realapi, with its data kept on the disk."""

    def __init__(self, realapi, folder):
        self.port = steady_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._realapi = realapi
        self._folder = folder
        self._process = None

    def start(self):
        self._process = Process([self._realapi, "--etcd-only", "--etcd-port", str(self.port),
                                 "--fsync", "--data-dir", str(self._folder / "etcd"), "--stdin"],
                                self._folder / "etcd.err")
        self._process.wait_for("ready ", 60)

    def kill(self):
        self._process.stop(signal.SIGKILL)

    def stop(self):
        if self._process is not None:
            self._process.stop()


class Kinformer:
    """`kinformer apiserver --etcd-servers`."""

    def __init__(self, kinformer, folder, etcd):
        self.port = steady_port()
        self._kinformer = kinformer
        self._folder = folder
        self._etcd = etcd
        self._process = None

    def start(self):
        self._folder.mkdir(exist_ok=True)
        self._process = Process(
            [self._kinformer, "apiserver", "--listen", f"127.0.0.1:{self.port}",
             "--etcd-servers", self._etcd.url], self._folder / "server.err")
        self._process.wait_for("serving at", 60)

    def alive(self):
        return self._process is not None

    def kill(self):
        process, self._process = self._process, None
        process.stop(signal.SIGKILL)

    def stop(self):
        if self._process is not None:
            self._process.stop()


class Real:
    """The real kube-apiserver."""

    def __init__(self, realapi, folder, etcd):
        self.port = steady_port()
        self._realapi = realapi
        self._folder = folder
        self._etcd = etcd
        self._process = None

    def start(self):
        self._process = Process([self._realapi, "--etcd", self._etcd.url, "--port", str(self.port),
                                 "--data-dir", str(self._folder / "real"), "--stdin"],
                                self._folder / "real.err")
        self._process.wait_for("ready ", 120)

    def connect(self):
        return Connection(self.port, str(self._folder / "real" / "ca.crt"))

    def stop(self):
        if self._process is not None:
            self._process.stop()


class Connection:
    """One connection to a server."""

    def __init__(self, port, ca_file=None):
        self._http = (http.client.HTTPConnection("127.0.0.1", port, timeout=60) if ca_file is None
                      else http.client.HTTPSConnection(
                          "127.0.0.1", port, timeout=60,
                          context=ssl.create_default_context(cafile=ca_file)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._http.close()

    def ask(self, method, path, body=None):
        """The status, and the answer parsed."""
        try:
            self._http.request(method, path, body and json.dumps(body),
                               {"Content-Type": "application/json",
                                "Authorization": f"Bearer {ADMIN}"})
            response = self._http.getresponse()
            return response.status, json.loads(response.read())
        except http.client.HTTPException as broken:
            raise OSError(str(broken)) from broken

    def get(self, path):
        status, answer = self.ask("GET", path)
        if status != 200:
            raise OSError(f"GET {path}: {status} {answer}")
        return answer

    def create(self, path, name, data):
        status, answer = self.ask("POST", path, {"metadata": {"name": name}, "data": data})
        if status != 201:
            raise OSError(f"POST {path} {name}: {status} {answer}")
        return answer


class Watch:
    """The events of all ConfigMaps of the namespace, read on a thread: (version, "TYPE name")."""

    def __init__(self, port, version, name):
        self.name = name
        self.events = []
        self._changed = threading.Condition()
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self._http.request("GET", f"{MAPS}?watch=true&resourceVersion={version}")
        self._socket = self._http.sock
        self._response = self._http.getresponse()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        try:
            for line in self._response:
                event = json.loads(line)
                metadata = event["object"]["metadata"]
                with self._changed:
                    self.events.append((int(metadata.get("resourceVersion", 0)),
                                        f"{event['type']} {metadata.get('name')}"))
                    self._changed.notify_all()
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            pass  # the server was killed, or the watch is no longer wanted

    def wait_for(self, version, seconds):
        """Whether that version comes."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self.events and self.events[-1][0] >= int(version), seconds)

    def end(self):
        """The events until now."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended
        self._thread.join(10)
        with self._changed:
            return list(self.events)
