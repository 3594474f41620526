"""Starts kube-apiserver and etcd from a folder, as envtest does, and tells what they cost."""

import os
import pathlib
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

TICKS = os.sysconf("SC_CLK_TCK")
TOKEN = "envtest-beside"
NAMES = {"kube-apiserver", "etcd"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def cost_of(pid):
    """(seconds of CPU, bytes of memory) of a process; zeros once it is gone.

    The memory is the PSS: a page that both servers have counts once.
    """
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        memory = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0, 0
    fields = stat.rpartition(")")[2].split()
    pss = next((int(line.split()[1]) * 1024 for line in memory.splitlines()
                if line.startswith("Pss:")), 0)
    return (int(fields[11]) + int(fields[12])) / TICKS, pss


def descendants(root):
    """The ids of the servers among the descendants of a process."""
    parents, names = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            head, _, tail = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")
        except OSError:
            continue
        parents[int(entry)] = int(tail.split()[1])
        names[int(entry)] = head.partition("(")[2]
    for pid, name in names.items():
        ancestor = pid
        while ancestor in parents and ancestor != root:
            ancestor = parents[ancestor]
        if ancestor == root and name in NAMES:
            yield pid


def watch(command, folder, environment, log, pids=()):
    """Runs a suite; returns the servers' largest memory together, their CPU, and its wall time.

    The servers are `pids`, or those that the suite itself starts.
    """
    begun = time.monotonic()
    largest, used = 0, {}
    with open(log, "wb") as out, subprocess.Popen(
            [str(part) for part in command], cwd=folder, env=environment, stdout=out,
            stderr=subprocess.STDOUT) as suite:
        while suite.poll() is None:
            costs = {pid: cost_of(pid) for pid in (pids or descendants(suite.pid))}
            largest = max(largest, sum(memory for _, memory in costs.values()))
            used.update({pid: cpu for pid, (cpu, _) in costs.items() if cpu})
            time.sleep(0.05)
    return largest, sum(used.values()), time.monotonic() - begun


class ControlPlane:
    """etcd and kube-apiserver of a folder, with envtest's flags, ready once it has been entered."""

    def __init__(self, assets, folder):
        self._folder = folder
        self._port = free_port()
        self._processes = []
        etcd = f"http://127.0.0.1:{free_port()}"
        (folder / "tokens.csv").write_text(f'{TOKEN},admin,admin,"system:masters"\n')
        key = folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        self._commands = [
            [assets / "etcd", f"--data-dir={folder / 'etcd'}", f"--listen-client-urls={etcd}",
             f"--advertise-client-urls={etcd}", "--listen-peer-urls=http://127.0.0.1:0",
             "--unsafe-no-fsync"],
            [assets / "kube-apiserver", f"--secure-port={self._port}", f"--etcd-servers={etcd}",
             "--bind-address=127.0.0.1", f"--cert-dir={folder / 'certs'}", "--allow-privileged",
             f"--token-auth-file={folder / 'tokens.csv'}", "--authorization-mode=RBAC",
             f"--service-account-signing-key-file={key}", f"--service-account-key-file={key}",
             "--service-account-issuer=https://127.0.0.1/",
             "--service-cluster-ip-range=10.0.0.0/24",
             "--disable-admission-plugins=ServiceAccount", "--advertise-address=192.0.2.1",
             "--endpoint-reconciler-type=none"]]

    def __enter__(self):
        for command in self._commands:
            name = pathlib.Path(command[0]).name
            with open(self._folder / f"{name}.log", "wb") as log:
                self._processes.append(subprocess.Popen(
                    [str(part) for part in command], cwd=self._folder, stdout=log, stderr=log))
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # A real one would take ten seconds to leave, and leaves nothing that anybody needs.
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def pids(self):
        return [process.pid for process in self._processes]

    def cost(self):
        """(seconds of CPU, bytes of memory) of both."""
        costs = [cost_of(pid) for pid in self.pids()]
        return sum(cpu for cpu, _ in costs), sum(memory for _, memory in costs)

    def write_kubeconfig(self, path):
        path.write_text(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
            "clusters:\n- name: c\n  cluster:\n    insecure-skip-tls-verify: true\n"
            f"    server: https://127.0.0.1:{self._port}\n"
            f"users:\n- name: u\n  user: {{token: {TOKEN}}}\n"
            "contexts:\n- name: c\n  context: {cluster: c, user: u}\n")
        return path

    def _wait(self):
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        request = urllib.request.Request(f"https://127.0.0.1:{self._port}/readyz",
                                         headers={"Authorization": f"Bearer {TOKEN}"})
        end = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(request, context=trusting, timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                ended = [p.args[0] for p in self._processes if p.poll() is not None]
                if ended or time.monotonic() > end:
                    raise RuntimeError(self._logs()) from None
                time.sleep(0.005)

    def _logs(self):
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-2000:]}"
                         for log in self._folder.glob("*.log"))
