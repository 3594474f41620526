"""Sends the same requests of kubelets to two servers, and compares the answers.

usage: requests.py DIR REAL_URL OUR_URL
DIR has the certificates of the kubelets (n1, n2), and of the administrator (real/admin)."""

import http.client
import json
import ssl
import sys
import time
import urllib.parse

DEFAULT = "/api/v1/namespaces/default/"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


def pod(name, node, **spec):
    return {"metadata": {"name": name},
            "spec": {"nodeName": node, "containers": [{"name": "a", "image": "i"}], **spec}}


# User, method, path, body. "wait": again and again until it is answered with 2xx, since a real
# server learns of pods a moment later.
REQUESTS = [
    ("admin", "POST", DEFAULT + "serviceaccounts", {"metadata": {"name": "sa"}}),
    ("admin", "POST", DEFAULT + "secrets", {"metadata": {"name": "used"}}),
    ("admin", "POST", DEFAULT + "secrets", {"metadata": {"name": "other"}}),
    ("admin", "POST", DEFAULT + "configmaps", {"metadata": {"name": "used"}}),
    ("n1", "GET", DEFAULT + "secrets/used", None),
    ("n1", "POST", "/api/v1/nodes", {"metadata": {"name": "n2"}}),
    ("n1", "POST", "/api/v1/nodes", {"metadata": {"name": "n1"}}),
    ("n2", "POST", "/api/v1/nodes",
     {"metadata": {"name": "n2", "labels": {"node-restriction.kubernetes.io/a": "b"}}}),
    ("n2", "POST", "/api/v1/nodes", {"metadata": {"name": "n2"}}),
    ("n1", "GET", "/api/v1/nodes/n1", None),
    ("n1", "GET", "/api/v1/nodes/n2", None),
    ("n1", "GET", "/api/v1/nodes", None),
    ("n1", "POST", LEASES, {"metadata": {"name": "n1"}, "spec": {"holderIdentity": "n1"}}),
    ("n1", "POST", LEASES, {"metadata": {"name": "n2"}}),
    ("n2", "GET", LEASES + "/n1", None),
    ("admin", "POST", DEFAULT + "pods",
     pod("p", "n1", serviceAccountName="sa", imagePullSecrets=[{"name": "used"}],
         volumes=[{"name": "m", "configMap": {"name": "used"}},
                  {"name": "t", "projected": {"sources": [{"serviceAccountToken": {
                      "path": "t", "audience": "vault"}}]}}])),
    ("n1", "wait", DEFAULT + "secrets/used", None),
    ("n1", "GET", DEFAULT + "secrets/used", None),
    ("n1", "GET", DEFAULT + "secrets/other", None),
    ("n1", "GET", DEFAULT + "secrets", None),
    ("n1", "GET", DEFAULT + "configmaps/used", None),
    ("n2", "GET", DEFAULT + "secrets/used", None),
    ("n1", "GET", DEFAULT + "pods/p", None),
    ("n2", "GET", DEFAULT + "pods/p", None),
    ("n1", "GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1", None),
    ("n1", "GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn2", None),
    ("n1", "PATCH", DEFAULT + "pods/p/status", {"status": {"phase": "Running"}}),
    ("n2", "PATCH", DEFAULT + "pods/p/status", {"status": {"phase": "Failed"}}),
    ("n2", "POST", DEFAULT + "pods/p/eviction", {"metadata": {"name": "p"}}),
    ("n1", "POST", DEFAULT + "pods", pod("q", "n1")),
    ("n1", "POST", DEFAULT + "serviceaccounts/sa/token", {"spec": {"audiences": ["vault"]}}),
    ("n1", "POST", DEFAULT + "serviceaccounts/sa/token",
     {"spec": {"audiences": ["vault"], "boundObjectRef": {
         "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "$p"}}}),
    ("n1", "POST", DEFAULT + "serviceaccounts/sa/token",
     {"spec": {"audiences": ["other"], "boundObjectRef": {
         "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "$p"}}}),
    ("n1", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
     {"spec": {"resourceAttributes": {"verb": "get", "resource": "secrets", "name": "other",
                                      "namespace": "default"}}}),
    ("n1", "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}),
    ("n2", "DELETE", DEFAULT + "pods/p", None),
    ("n1", "DELETE", DEFAULT + "pods/p?gracePeriodSeconds=0", None),
    ("n1", "DELETE", "/api/v1/nodes/n1", None),
]


class Server:
    """One of the two, as one of its users at a time."""

    def __init__(self, folder, url):
        self._folder = folder
        self._address = urllib.parse.urlparse(url)
        self._pod = ""

    def ask(self, user, method, path, body):
        context = ssl._create_unverified_context()
        name = "real/admin" if user == "admin" else user
        context.load_cert_chain(f"{self._folder}/{name}.crt", f"{self._folder}/{name}.key")
        connection = http.client.HTTPSConnection(self._address.hostname, self._address.port,
                                                 context=context, timeout=30)
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        text = None if body is None else json.dumps(body).replace("$p", self._pod)
        connection.request(method, path, text, {"Content-Type": kind})
        answer = connection.getresponse()
        read = json.loads(answer.read())
        connection.close()
        if method == "POST" and path.endswith("/pods") and answer.status == 201:
            self._pod = read["metadata"]["uid"]
        return answer.status, self._seen(read)

    def _seen(self, answer):
        """What has to be equal: the words of an error, the result of a review."""
        if answer.get("kind") == "Status":
            text = answer.get("message", "")
            return text.replace(self._pod, "UID") if self._pod else text
        if answer.get("kind") == "SelfSubjectAccessReview":
            return answer["status"]
        if answer.get("kind") == "SelfSubjectReview":
            user = answer["status"]["userInfo"]
            return user["username"], sorted(user["groups"])
        return answer.get("kind")

    def wait(self, user, path):
        deadline = time.monotonic() + 30
        while self.ask(user, "GET", path, None)[0] >= 300:
            if time.monotonic() > deadline:
                sys.exit(f"{user} may not GET {path} at {self._address.netloc}")
            time.sleep(0.05)


def main():
    folder, real_url, our_url = sys.argv[1:]
    real, ours = Server(folder, real_url), Server(folder, our_url)
    differences = 0
    for user, method, path, body in REQUESTS:
        if method == "wait":
            real.wait(user, path)
            ours.wait(user, path)
            continue
        answers = [server.ask(user, method, path, body) for server in (real, ours)]
        if answers[0] == answers[1]:
            continue
        differences += 1
        print(f"{user}: {method} {path}\n  real: {answers[0]}\n  ours: {answers[1]}")
    print(f"{len(REQUESTS)} requests, {differences} differences")
    return 1 if differences else 0


sys.exit(main())
