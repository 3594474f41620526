"""Plane: a server with kube-controller-manager, kube-scheduler and kwok on it."""

import json
import os
import pathlib
import signal
import subprocess
import time

from normal import normalise

BINARIES = ("realapi", "kube-controller-manager", "kube-scheduler", "kwok", "kubectl",
            "kwok-stages.yaml")
# What a step's state is made of.
RESOURCES = ("pods", "replicasets.apps", "deployments.apps", "statefulsets.apps",
             "daemonsets.apps", "controllerrevisions.apps", "jobs.batch", "cronjobs.batch",
             "replicationcontrollers", "services", "endpoints",
             "endpointslices.discovery.k8s.io", "serviceaccounts", "configmaps",
             "poddisruptionbudgets.policy", "persistentvolumeclaims", "resourcequotas")
SETTLED = 1.5  # a state that has not changed for so long stays


class Stuck(Exception):
    """A step that does not come to its end."""


class Plane:
    """`kinformer`: the command; None: the real server."""

    def __init__(self, word, binaries, kinformer, folder):
        self.word = word
        self.folder = folder
        self.namespace = "plane"
        self._bin = binaries.resolve()
        self._kinformer = kinformer and kinformer.resolve()
        self._children = []
        self._kubeconfig = None
        self._authority = []  # what says who has signed the server's certificate
        self._pace = []  # further options of controller-manager and scheduler

    # ---- life

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._kinformer:
            self._start_ours()
        else:
            self._start_real()
        config = ["--kubeconfig", str(self._kubeconfig)]
        self._spawn("kube-controller-manager", *config, "--secure-port", "0",
                    "--use-service-account-credentials", *self._authority,
                    "--service-account-private-key-file", str(self._key()), *self._pace)
        self._spawn("kube-scheduler", *config, "--secure-port", "0", *self._pace)
        self._spawn("kwok", *config, "--manage-all-nodes=true",
                    "--node-lease-duration-seconds=40", "-c", str(self._bin / "kwok-stages.yaml"))

    def stop(self):
        for child in reversed(self._children):
            child.send_signal(signal.SIGTERM)
        for child in reversed(self._children):
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _start_ours(self):
        token = self.folder / "token"
        token.write_text("plane-token\n")
        self._kubeconfig = self.folder / "kubeconfig"
        self._spawn(self._kinformer, "apiserver", "--listen", "127.0.0.1:0", "--tls",
                    "--token-file", str(token), "--pod-grace", "--no-garbage-collection",
                    "--no-namespace-finalization", "--kubeconfig-out", str(self._kubeconfig))
        self._until("the server is there", lambda: self._kubeconfig.exists() and
                    self.kubectl("get", "--raw", "/readyz").returncode == 0, 30)

    def _start_real(self):
        data = self.folder / "data"
        self._kubeconfig = data / "admin.kubeconfig"
        self._authority = ["--root-ca-file", str(data / "ca.crt")]
        self._spawn("realapi", "--data-dir", str(data))
        self._until("the server is there", lambda: self._kubeconfig.exists() and
                    self.kubectl("get", "--raw", "/readyz").returncode == 0, 120)

    def _key(self):
        """A key for tokens in Secrets, which the controller-manager wants to have."""
        path = self.folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", str(path), "2048"], check=True,
                       capture_output=True)
        return path

    def _spawn(self, program, *arguments):
        path = program if isinstance(program, pathlib.Path) else self._bin / program
        with open(self.folder / f"{path.name}.log", "ab") as log:
            self._children.append(subprocess.Popen(
                [str(path), *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "HOME": str(self.folder)}))

    # ---- requests

    def kubectl(self, *arguments, text=None):
        return subprocess.run(
            [str(self._bin / "kubectl"), "--kubeconfig", str(self._kubeconfig), "-n",
             self.namespace, *arguments], input=text, text=True, capture_output=True,
            check=False, env={**os.environ, "HOME": str(self.folder)})

    def run(self, *arguments, text=None):
        """kubectl, whose output it gives."""
        done = self.kubectl(*arguments, text=text)
        if done.returncode != 0:
            raise Stuck(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def apply(self, *objects):
        self.run("apply", "-f", "-",
                 text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def get(self, *arguments):
        """The object or list; None where it is not there."""
        done = self.kubectl("get", *arguments, "-o", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def delete(self, path, policy=None):
        """As a client without an opinion, which kubectl is not; `policy`: with one."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if policy:
            body["propagationPolicy"] = policy
        self.run("delete", "--raw", path, "-f", "-", text=json.dumps(body))

    # ---- steps

    def do(self, step, patience):
        """Does it, waits for its end and for peace, and gives the state then, in lines."""
        ended = step(self)
        self._until(step.__name__, ended, patience)
        deadline = time.monotonic() + patience
        before, since = None, time.monotonic()
        while True:
            state = self.state()
            if state != before:
                before, since = state, time.monotonic()
            elif time.monotonic() - since > SETTLED:
                return state
            if time.monotonic() > deadline:
                raise Stuck(f"{step.__name__}: the state does not settle")
            time.sleep(0.3)

    def state(self):
        items = (self.get(",".join(RESOURCES)) or {"items": []})["items"]
        space = self.get("namespace", self.namespace)
        return normalise(items + ([space] if space else []))

    def _until(self, what, holds, patience):
        deadline = time.monotonic() + patience
        while not holds():
            if any(child.poll() is not None for child in self._children):
                raise Stuck(f"{what}: a program has ended, see {self.folder}")
            if time.monotonic() > deadline:
                raise Stuck(f"{what}: not within {patience:.0f} s")
            time.sleep(0.2)
