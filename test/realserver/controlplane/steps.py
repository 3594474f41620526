"""STEPS: what is done on both servers, in order.

Each does something through its plane and gives a function that says whether it has come to its end.
"""

import time

HOST = {"apiVersion": "v1", "kind": "Node"}
APP = "/apis/apps/v1/namespaces/plane"


def node(name):
    """One that kwok runs."""
    return {**HOST, "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"},
                                 "labels": {"kubernetes.io/hostname": name}},
            "status": {"allocatable": {"cpu": "32", "memory": "64Gi", "pods": "110"},
                       "capacity": {"cpu": "32", "memory": "64Gi", "pods": "110"}}}


def template(app, image="a:1", **more):
    return {"metadata": {"labels": {"app": app}},
            "spec": {"containers": [{"name": "c", "image": image}],
                     "terminationGracePeriodSeconds": 1, **more}}


def workload(kind, name, version="apps/v1", image="a:1", **spec):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": {"app": name}},
                     "template": template(name, image), **spec}}


def config_map(name, *owners):
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "ownerReferences": [
                {"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"],
                 "uid": owner["metadata"]["uid"], "blockOwnerDeletion": True}
                for owner in owners]}}


def status(plane, kind, name):
    return (plane.get(kind, name) or {}).get("status", {})


def pods(plane, app):
    return [pod for pod in plane.get("pods", "-l", f"app={app}")["items"]
            if "deletionTimestamp" not in pod["metadata"]]


def rolled_out(plane, name, replicas, image="a:1"):
    """All replicas are ready, and none is left of another template."""
    def ended():
        there = plane.get("pods", "-l", f"app={name}")["items"]
        return (status(plane, "deployment", name).get("readyReplicas", 0) == replicas
                and len(there) == replicas
                and all(pod["spec"]["containers"][0]["image"] == image for pod in there))
    return ended


# ---- the steps

def nodes_and_a_namespace(plane):
    plane.apply(*(node(f"node-{index}") for index in range(3)))
    plane.run("create", "namespace", plane.namespace)
    return lambda: plane.get("serviceaccount", "default") and plane.get(
        "configmap", "kube-root-ca.crt")


def deployment_with_a_service(plane):
    plane.apply(workload("Deployment", "web", replicas=3),
                {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
                 "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}},
                {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                 "metadata": {"name": "web"},
                 "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}})

    def ended():
        slices = plane.get("endpointslices", "-l", "kubernetes.io/service-name=web")["items"]
        ready = [endpoint for one in slices for endpoint in one["endpoints"] or []
                 if endpoint["conditions"].get("ready")]
        return (rolled_out(plane, "web", 3)() and len(ready) == 3
                and status(plane, "pdb", "web").get("currentHealthy") == 3)
    return ended


def rollout(plane):
    plane.run("set", "image", "deployment/web", "c=a:2")
    return rolled_out(plane, "web", 3, "a:2")


def undo(plane):
    plane.run("rollout", "undo", "deployment/web")
    return rolled_out(plane, "web", 3)


def scale_up(plane):
    plane.run("scale", "deployment/web", "--replicas=5")
    return rolled_out(plane, "web", 5)


def scale_down(plane):
    plane.run("scale", "deployment/web", "--replicas=2")
    return rolled_out(plane, "web", 2)


def debug(plane):
    name = pods(plane, "web")[0]["metadata"]["name"]
    plane.run("debug", name, "--image=busybox", "-c", "debugger", "--profile=general", "--",
              "true")
    return lambda: True


def stateful_set(plane):
    plane.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db"},
                 "spec": {"selector": {"app": "db"}, "clusterIP": "None",
                          "ports": [{"port": 5432}]}},
                workload("StatefulSet", "db", replicas=3, serviceName="db"))
    return lambda: status(plane, "statefulset", "db").get("readyReplicas") == 3


def stateful_set_update(plane):
    plane.run("set", "image", "statefulset/db", "c=a:2")

    def ended():
        now = status(plane, "statefulset", "db")
        return (now.get("updatedReplicas") == 3 and now.get("readyReplicas") == 3
                and now.get("currentRevision") == now.get("updateRevision"))
    return ended


def stateful_set_smaller(plane):
    plane.run("scale", "statefulset/db", "--replicas=1")
    return lambda: len(plane.get("pods", "-l", "app=db")["items"]) == 1


def daemon_set(plane):
    plane.apply(workload("DaemonSet", "agent"))
    return lambda: status(plane, "daemonset", "agent").get("numberReady") == 3


def daemon_set_update(plane):
    plane.run("set", "image", "daemonset/agent", "c=a:2")

    def ended():
        now = status(plane, "daemonset", "agent")
        return now.get("updatedNumberScheduled") == 3 and now.get("numberReady") == 3
    return ended


def job(plane):
    plane.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sum"},
                 "spec": {"completions": 2, "parallelism": 2,
                          "template": template("sum", restartPolicy="Never")}})
    return lambda: any(condition["type"] == "Complete"
                       for condition in status(plane, "job", "sum").get("conditions", []))


def job_deleted_without_a_policy(plane):
    plane.delete("/apis/batch/v1/namespaces/plane/jobs/sum")
    return lambda: plane.get("job", "sum") is None


def cron_job(plane):
    plane.apply({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"},
                 "spec": {"schedule": "* * * * *", "jobTemplate": {
                     "spec": {"template": template("tick", restartPolicy="Never")}}}})
    # One run is enough.
    done = []

    def ended():
        if not done and status(plane, "cronjob", "tick").get("lastSuccessfulTime"):
            plane.run("patch", "cronjob", "tick", "-p", '{"spec":{"suspend":true}}')
            done.append(True)
        return done and not status(plane, "cronjob", "tick").get("active")
    return ended


def replication_controller_orphans(plane):
    plane.apply({"apiVersion": "v1", "kind": "ReplicationController",
                 "metadata": {"name": "old"},
                 "spec": {"replicas": 2, "selector": {"app": "old"},
                          "template": template("old")}})
    gone = []

    def ended():
        if not gone and status(plane, "rc", "old").get("readyReplicas") == 2:
            plane.delete("/api/v1/namespaces/plane/replicationcontrollers/old")
            gone.append(True)
        return gone and plane.get("rc", "old") is None
    return ended


def evictions(plane):
    """The budget lets none go: two are there, and two must stay."""
    path = "/api/v1/namespaces/plane/pods/{}/eviction"
    name = pods(plane, "web")[0]["metadata"]["name"]
    refused = plane.kubectl("create", "--raw", path.format(name), "-f", "-", text=(
        '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"%s"}}' % name))
    if refused.returncode == 0 or "disruption budget" not in refused.stderr:
        raise AssertionError(f"an eviction went through: {refused}")
    return lambda: True


def namespace_token(plane):
    """A token of the namespace's account lets it in, as whom it says."""
    plane.run("create", "serviceaccount", "builder")
    plane.run("create", "clusterrolebinding", "builder", "--clusterrole=cluster-admin",
              f"--serviceaccount={plane.namespace}:builder")
    token = plane.run("create", "token", "builder").strip()
    who = ("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
    said = plane.run("--token", token, *who)
    other = plane.run("--as", "eve", "--as-group", "system:masters", *who)
    # The real server's kubeconfig has a certificate, which kubectl shows beside the token.
    builder = f"system:serviceaccount:{plane.namespace}:builder"
    if other != "eve" or said not in ((builder,) if plane.word == "ours" else (builder, "admin")):
        raise AssertionError(f"whoami says {said} and {other}")
    return lambda: True


def collected_in_the_background(plane):
    plane.delete(APP + "/deployments/web", "Background")
    return lambda: not plane.get("pods", "-l", "app=web")["items"] and not plane.get(
        "rs", "-l", "app=web")["items"]


def collected_in_the_foreground(plane):
    plane.apply(workload("Deployment", "front", replicas=2))
    gone = []

    def ended():
        if not gone and rolled_out(plane, "front", 2)():
            plane.delete(APP + "/deployments/front", "Foreground")
            gone.append(time.monotonic())
        return gone and plane.get("deployment", "front") is None
    return ended


def orphaned(plane):
    plane.apply(workload("Deployment", "left", replicas=2))
    gone = []

    def ended():
        if not gone and rolled_out(plane, "left", 2)():
            plane.delete(APP + "/deployments/left", "Orphan")
            gone.append(True)
        return gone and plane.get("deployment", "left") is None
    return ended


def circle_of_owners(plane):
    made = []
    for name in "abc":
        plane.apply(config_map(name, *made[-1:]))
        made.append(plane.get("configmap", name))
    plane.apply(config_map("a", made[-1]))
    time.sleep(1)  # the collector has seen it
    plane.delete("/api/v1/namespaces/plane/configmaps/a", "Foreground")
    return lambda: all(plane.get("configmap", name) is None for name in "abc")


def namespace_deleted(plane):
    plane.run("delete", "namespace", plane.namespace, "--wait=false")
    return lambda: plane.get("namespace", plane.namespace) is None


STEPS = [nodes_and_a_namespace, deployment_with_a_service, rollout, undo, scale_up, scale_down,
         debug, evictions, namespace_token, stateful_set, stateful_set_update,
         stateful_set_smaller, daemon_set, daemon_set_update, job, job_deleted_without_a_policy,
         cron_job, replication_controller_orphans, collected_in_the_background,
         collected_in_the_foreground, orphaned, circle_of_owners, namespace_deleted]
