"""Doorkeeper: webhooks of the real server that decide whose token counts, and that keep a request
waiting as long as we like."""

import http.server
import json
import ssl
import threading

from proxy import steady_port

LONGEST = 30  # seconds that kube-apiserver waits for an admission webhook


class Wait:
    """Of the writes in a namespace."""

    def __init__(self):
        self.begun = set()  # the users whose writes have come
        self.over = threading.Event()


class Doorkeeper:
    """Serves on a port of its own from `open` on. Thread-safe."""

    def __init__(self):
        self.port = steady_port()
        self._known = {}  # token: user
        self._held = {}  # namespace: a Wait
        self._server = None

    def open(self, certificate, key):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self._handler())
        self._server.daemon_threads = True
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        for wait in self._held.values():
            wait.over.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    # ---- Tokens: the server remembers for ten seconds that one was good.

    def know(self, token, user):
        self._known[token] = user

    def forget(self, token):
        self._known.pop(token, None)

    def _review(self, review):
        user = self._known.get(review["spec"]["token"])
        review["status"] = {"authenticated": user is not None}
        if user is not None:
            review["status"]["user"] = {"username": user, "uid": user, "groups": ["faults"]}
        return review

    # ---- Writes that wait, and are refused then.

    def hold(self, namespace):
        """The Wait of its writes, up to its end."""
        self._held[namespace] = Wait()
        return self._held[namespace]

    def _admit(self, review):
        request = review["request"]
        if (wait := self._held.get(request["namespace"])) is not None:
            wait.begun.add(request["userInfo"]["username"])
            wait.over.wait(LONGEST)
        review["response"] = {"uid": request["uid"], "allowed": False}
        return review

    def _handler(self):
        ways = {"/tokens": self._review, "/writes": self._admit}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = json.dumps(ways[self.path.partition("?")[0]](json.loads(body))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        return Handler

    # ---- What the server has to be told.

    def token_kubeconfig(self, path, ca_file):
        """For --authentication-token-webhook-config-file."""
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "doorkeeper",
            "clusters": [{"name": "doorkeeper", "cluster": {
                "server": f"https://127.0.0.1:{self.port}/tokens",
                "certificate-authority": str(ca_file)}}],
            "users": [{"name": "server", "user": {}}],
            "contexts": [{"name": "doorkeeper",
                          "context": {"cluster": "doorkeeper", "user": "server"}}]}))
        return path

    def admission(self, ca):
        """A configuration by which writes of config maps in namespaces with the label `held` come
        to us. `ca`: in base64."""
        return {"metadata": {"name": "doorkeeper"}, "webhooks": [{
            "name": "writes.faults.example.com", "admissionReviewVersions": ["v1"],
            "sideEffects": "None", "timeoutSeconds": LONGEST, "failurePolicy": "Fail",
            "clientConfig": {"url": f"https://127.0.0.1:{self.port}/writes", "caBundle": ca},
            "namespaceSelector": {"matchLabels": {"held": "true"}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                       "resources": ["configmaps"]}]}]}
