"""Does with the official Python client what programs do with an API server; see ../README.md."""

import os
import queue
import sys
import threading
import time

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.informer import SharedInformer
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

PATIENCE = 30
NAMESPACE = f"python-{time.time_ns()}"


def check(ok, what):
    if not ok:
        raise AssertionError(what)


def refused(status, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except ApiException as error:
        check(error.status == status, f"{error.status}, not {status}: {error.body}")
        return
    raise AssertionError(f"not refused with {status}")


def config_map(name, value, version=None):
    meta = client.V1ObjectMeta(name=name, labels={"app": name}, resource_version=version)
    return client.V1ConfigMap(metadata=meta, data={"key": value})


def crud(core):
    created = core.create_namespaced_config_map(NAMESPACE, config_map("crud", "1"))
    refused(409, core.create_namespaced_config_map, NAMESPACE, config_map("crud", "1"))
    old = config_map("crud", "2", created.metadata.resource_version)
    check(core.replace_namespaced_config_map("crud", NAMESPACE, old).data["key"] == "2", "replace")
    refused(409, core.replace_namespaced_config_map, "crud", NAMESPACE, old)
    patched = core.patch_namespaced_config_map("crud", NAMESPACE, {"data": {"more": "3"}})
    check(len(patched.data) == 2, f"patch: {patched.data}")
    listed = core.list_namespaced_config_map(NAMESPACE, label_selector="app=crud")
    check(len(listed.items) == 1, "list by label")
    core.delete_namespaced_config_map("crud", NAMESPACE)
    refused(404, core.read_namespaced_config_map, "crud", NAMESPACE)


def watching(core):
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version

    def change():
        core.create_namespaced_config_map(NAMESPACE, config_map("watched", "1"))
        core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"key": "2"}})
        core.delete_namespaced_config_map("watched", NAMESPACE)

    changer = threading.Thread(target=change)
    changer.start()
    events = []
    watcher = watch.Watch()
    for event in watcher.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=start,
                                label_selector="app=watched", timeout_seconds=PATIENCE):
        events.append(event["type"])
        if len(events) == 3:
            watcher.stop()
    changer.join()
    check(events == ["ADDED", "MODIFIED", "DELETED"], f"events {events}")


def informer(core):
    core.create_namespaced_config_map(NAMESPACE, config_map("before", "1"))
    seen = queue.Queue()
    maps = SharedInformer(core.list_namespaced_config_map, namespace=NAMESPACE,
                          label_selector="app in (before,after)")
    for kind in "ADDED", "MODIFIED", "DELETED":
        maps.add_event_handler(kind, lambda o, kind=kind: seen.put(f"{kind} {o.metadata.name}"))

    def expect(want):
        have = seen.get(timeout=PATIENCE)
        check(have == want, f"{have}, not {want}")

    maps.start()
    expect("ADDED before")
    core.create_namespaced_config_map(NAMESPACE, config_map("after", "1"))
    expect("ADDED after")
    core.patch_namespaced_config_map("after", NAMESPACE, {"data": {"key": "2"}})
    expect("MODIFIED after")
    core.delete_namespaced_config_map("before", NAMESPACE)
    expect("DELETED before")
    check([o.data["key"] for o in maps.cache.list()] == ["2"], "the cache")


def apply(core):
    for value in "1", "2":
        wanted = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"},
                  "data": {"key": value}}
        applied = core.patch_namespaced_config_map(
            "applied", NAMESPACE, wanted, field_manager="client", force=True,
            _content_type="application/apply-patch+yaml")
        check(applied.data["key"] == value, f"applied {value}")


def new_pod(core, name):
    """Creates a pod, and does what a scheduler and a kubelet do, since there is neither."""
    container = client.V1Container(name="main", image="example.com/main:1")
    core.create_namespaced_pod(NAMESPACE, client.V1Pod(
        metadata=client.V1ObjectMeta(name=name, labels={"app": name}),
        spec=client.V1PodSpec(containers=[container])))
    node = client.V1ObjectReference(kind="Node", name="node-1")
    # The answer is a Status, which the client takes for a Binding unless told not to.
    core.create_namespaced_pod_binding(
        name, NAMESPACE, client.V1Binding(metadata=client.V1ObjectMeta(name=name), target=node),
        _preload_content=False)
    ready = {"type": "Ready", "status": "True"}
    return core.patch_namespaced_pod_status(
        name, NAMESPACE, {"status": {"phase": "Running", "conditions": [ready]}})


def pods(core):
    pod = new_pod(core, "web")
    check(pod.spec.node_name == "node-1", "not bound")
    check(pod.status.phase == "Running", f"phase {pod.status.phase}")
    running = core.list_namespaced_pod(NAMESPACE, field_selector="status.phase=Running")
    check(len(running.items) == 1, f"{len(running.items)} are running")
    core.delete_namespaced_pod("web", NAMESPACE, grace_period_seconds=0)
    refused(404, core.read_namespaced_pod, "web", NAMESPACE)


def eviction(core):
    def evict(name):
        core.create_namespaced_pod_eviction(
            name, NAMESPACE, client.V1Eviction(metadata=client.V1ObjectMeta(name=name)),
            _preload_content=False)

    new_pod(core, "free")
    evict("free")
    new_pod(core, "kept")
    policy = client.PolicyV1Api()
    selector = client.V1LabelSelector(match_labels={"app": "kept"})
    policy.create_namespaced_pod_disruption_budget(NAMESPACE, client.V1PodDisruptionBudget(
        metadata=client.V1ObjectMeta(name="budget"),
        spec=client.V1PodDisruptionBudgetSpec(min_available=1, selector=selector)))
    # The disruption controller's part.
    policy.patch_namespaced_pod_disruption_budget_status("budget", NAMESPACE, {"status": {
        "observedGeneration": 1, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1,
        "disruptionsAllowed": 0}})
    refused(429, evict, "kept")


class Stopped(Exception):
    """Ends a candidate, which otherwise renews for ever."""


class StoppableLock(LeaseLock):
    stopped = False

    def update(self, *arguments):
        if self.stopped:
            raise Stopped
        return super().update(*arguments)


def leader(_core):
    leads = queue.Queue()

    def run(identity):
        lock = StoppableLock("leader", NAMESPACE, identity)
        election = leaderelection.LeaderElection(electionconfig.Config(
            lock, lease_duration=3, renew_deadline=2, retry_period=1,
            onstarted_leading=lambda: leads.put(identity), onstopped_leading=None))

        def until_stopped():
            try:
                election.run()
            except Stopped:
                pass

        threading.Thread(target=until_stopped, daemon=True).start()
        return lock

    def expect(want):
        have = leads.get(timeout=PATIENCE)
        check(have == want, f"{have} leads, not {want}")

    first = run("first")
    expect("first")
    second = run("second")
    first.stopped = True
    expect("second")
    second.stopped = True


def main():
    config.load_kube_config(os.environ["KUBECONFIG"])
    core = client.CoreV1Api()
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    failed = False
    for name, scenario in (("crud", crud), ("watch", watching), ("informer", informer),
                           ("apply", apply), ("pods", pods), ("eviction", eviction),
                           ("leader", leader)):
        try:
            scenario(core)
            print(f"ok   {name}", flush=True)
        except Exception as error:  # whatever the client throws
            failed = True
            print(f"FAIL {name}: {type(error).__name__} {error}", flush=True)
    core.delete_namespace(NAMESPACE)
    sys.stdout.flush()
    os._exit(1 if failed else 0)  # threads of the client may be waiting


if __name__ == "__main__":
    main()
