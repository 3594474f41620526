"""The embedded server on a real etcd: certificates, users, a full database, a restart of etcd.

usage: troubles.py DIR KINFORMER
DIR has ca.crt, and the certificates and keys of `server`, `client`, which has no common name, and
`named`."""

import atexit
import base64
import http.client
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import time

MAPS = "/api/v1/namespaces/default/configmaps"
PASSWORD = "secret word"
QUOTA = 16 << 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what, condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"in vain: {what}")
        time.sleep(0.05)


def expect(what, is_so):
    print(("ok    " if is_so else "WRONG ") + what, flush=True)
    if not is_so:
        sys.exit(1)


def child(command, **options):
    """A process that does not outlive this one."""
    process = subprocess.Popen(command, **options)
    atexit.register(process.kill)
    return process


class Etcd:
    """A member with TLS that asks for client certificates."""

    def __init__(self, folder):
        self._folder = folder
        self._port, self._peers = free_port(), free_port()
        self.url = f"https://127.0.0.1:{self._port}"
        self._token = ""
        self._process = None

    def start(self):
        f = self._folder
        self._process = child(
            ["etcd", "--data-dir", f / "etcd", "--listen-client-urls", self.url,
             "--advertise-client-urls", self.url,
             "--listen-peer-urls", f"http://127.0.0.1:{self._peers}",
             "--initial-advertise-peer-urls", f"http://127.0.0.1:{self._peers}",
             "--initial-cluster", f"default=http://127.0.0.1:{self._peers}",
             "--cert-file", f / "server.crt", "--key-file", f / "server.key",
             "--trusted-ca-file", f / "ca.crt", "--client-cert-auth",
             "--quota-backend-bytes", str(QUOTA), "--auto-compaction-retention", "0"],
            stdout=subprocess.DEVNULL, stderr=open(f / "etcd.log", "ab"))
        until("etcd answers", self._lives)

    def _lives(self):
        try:
            return self.call("/v3/maintenance/status", {}) is not None
        except OSError:
            return False

    def stop(self):
        self._process.terminate()
        self._process.wait()

    def call(self, path, body):
        """The answer; None if it is an error."""
        context = ssl.create_default_context(cafile=str(self._folder / "ca.crt"))
        context.load_cert_chain(self._folder / "client.crt", self._folder / "client.key")
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=context,
                                                 timeout=20)
        headers = {"Authorization": self._token} if self._token else {}
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return json.loads(text) if answer.status == 200 else None

    def enable_users(self):
        text = lambda value: base64.b64encode(value).decode()
        for path, body in [
                ("user/add", {"name": "root", "password": "r"}),
                ("role/add", {"name": "root"}),
                ("user/grant", {"user": "root", "role": "root"}),
                ("role/add", {"name": "all"}),
                ("role/grant", {"name": "all", "perm": {
                    "permType": "READWRITE", "key": text(b"\0"), "range_end": text(b"\0")}}),
                ("user/add", {"name": "server", "password": PASSWORD}),
                ("user/grant", {"user": "server", "role": "all"}),
                ("auth/enable", {})]:
            path = "/v3/auth/" + path.replace("auth/", "")
            if self.call(path, body) is None:
                sys.exit(f"etcd refuses {path}")
        self.log_in()

    def log_in(self):
        self._token = ""
        self._token = self.call("/v3/auth/authenticate", {"name": "root", "password": "r"})["token"]


class Server:
    """`kinformer apiserver` on that etcd."""

    def __init__(self, folder, kinformer, etcd, *options):
        self._log = open(folder / "server.log", "wb")
        self._process = child(
            [kinformer, "apiserver", "--listen", "127.0.0.1:0", "--etcd-servers", etcd.url,
             *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._port = 0

    def start(self):
        for line in self._process.stdout:
            if line.startswith("serving at "):
                self._port = int(line.strip().rsplit(":", 1)[1].strip("/"))
                return self
        sys.exit("the server did not start: " + self._process.stderr.read())

    def refusal(self):
        """What it says on standard error before it ends."""
        return self._process.communicate(timeout=30)[1]

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def make(self, name, size=0):
        return self.ask("POST", MAPS, {"metadata": {"name": name}, "data": {"x": "x" * size}})

    def stop(self):
        self._process.terminate()
        self._process.wait()


def main():
    folder, kinformer = pathlib.Path(sys.argv[1]), sys.argv[2]
    etcd = Etcd(folder)
    etcd.start()
    ca = ["--etcd-cafile", str(folder / "ca.crt")]
    tls = [*ca, "--etcd-certfile", str(folder / "client.crt"),
           "--etcd-keyfile", str(folder / "client.key")]
    refused = Server(folder, kinformer, etcd, *ca).refusal()
    expect("without a client certificate the server says so and ends", "--etcd-servers" in refused)
    refused = Server(folder, kinformer, etcd).refusal()
    expect("an etcd of an unknown authority is refused", "certificate" in refused)
    server = Server(folder, kinformer, etcd, *tls).start()
    expect("a server with a client certificate writes", server.make("tls")[0] == 201)
    server.stop()

    etcd.enable_users()
    refused = Server(folder, kinformer, etcd, *tls).refusal()
    expect("etcd's users are missed: " + refused.strip()[-100:], "--etcd-user" in refused)
    named = [option.replace("client.", "named.") for option in tls]
    refused = Server(folder, kinformer, etcd, *named).refusal()
    expect("a certificate with a name is no user: " + refused.strip()[-100:],
           "without a common name" in refused)
    password = folder / "password"
    password.write_text("wrong\n")
    user = [*tls, "--etcd-user", "server", "--etcd-password-file", str(password)]
    refused = Server(folder, kinformer, etcd, *user).refusal()
    expect("a wrong password is refused, and not shown",
           "authentication failed" in refused and "wrong" not in refused)
    password.write_text(PASSWORD + "\n")
    server = Server(folder, kinformer, etcd, *user).start()
    expect("a user reads what is there", server.ask("GET", MAPS + "/tls")[0] == 200)
    expect("and writes", server.make("user")[0] == 201)

    etcd.stop()
    etcd.start()
    etcd.log_in()
    until("a write after etcd's restart", lambda: server.make("restart")[0] in (201, 409))
    expect("after a restart of etcd, which has forgotten all tokens, writes go on", True)
    until("the watch goes on", lambda: server.ask(
        "GET", MAPS + "/restart?resourceVersion=0")[0] == 200)
    expect("and so does the watch of etcd", True)

    count = 0
    status, answer = 201, {}
    while status == 201 and count < 100:
        count += 1
        status, answer = server.make(f"big-{count}", 900_000)
    expect(f"object {count} does not fit: {status} {answer.get('message', '')[:90]}",
           status == 500 and "database space exceeded" in answer["message"]
           and "disarm" in answer["message"])
    expect("reads go on", server.ask("GET", MAPS + "/user")[0] == 200)
    expect("lists, too", len(server.ask("GET", MAPS)[1]["items"]) >= count)
    expect("small writes are refused in the same words",
           "database space exceeded" in server.make("small")[1]["message"])
    for number in range(1, count):
        deleted = server.ask("DELETE", f"{MAPS}/big-{number}")[0]
        expect("a delete makes room", deleted == 200) if number == 1 else None
    revision = etcd.call("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
    etcd.call("/v3/kv/compaction", {"revision": revision, "physical": True})
    etcd.call("/v3/maintenance/defragment", {})
    for alarm in etcd.call("/v3/maintenance/alarm", {"action": "GET"})["alarms"]:
        etcd.call("/v3/maintenance/alarm", {"action": "DEACTIVATE", **alarm})
    until("a write after the alarm", lambda: server.make("after")[0] in (201, 409))
    expect("after the alarm is disarmed writes go on, without a restart",
           server.ask("GET", MAPS + "/after")[0] == 200)
    server.stop()
    etcd.stop()
    return 0


sys.exit(main())
