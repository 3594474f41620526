"""RollingPlane: controller-manager, scheduler and kwok behind a balancer, which roll a Deployment
again and again."""

import json
import time

from plane import Plane
from proxy import Proxy
from steps import node, workload

PODS_OF_A_NODE = 80
PATIENCE = 300  # seconds for a rollout


class RollingPlane(Plane):
    def __init__(self, binaries, servers, folder, pods):
        super().__init__("real", binaries, None, folder)
        self._servers = servers
        self._pods = pods
        self._balancer = Proxy()
        self._pace = ["--kube-api-qps=300", "--kube-api-burst=500", "--leader-elect=false"]

    def _start_real(self):
        self._balancer.upstreams = self._servers.ports
        self._authority = ["--root-ca-file", str(self._servers.ca_file)]
        self._kubeconfig = self._servers.kubeconfig("admin", self._balancer.port)
        self.apply(*(node(f"node-{index}") for index in range(self._pods // PODS_OF_A_NODE + 2)))
        self.run("create", "namespace", self.namespace)

    def stop(self):
        super().stop()
        self._balancer.close()

    def deploy(self):
        self.apply(workload("Deployment", "web", replicas=self._pods))

    def roll(self):
        """Replaces all pods. Its own request may have to be sent again: servers come and go."""
        self._until("rollout restart", lambda: self.kubectl(
            "rollout", "restart", "deployment/web").returncode == 0, PATIENCE)

    def wait_until_rolled(self):
        self._until("rollout", self._has_rolled, PATIENCE)

    def _has_rolled(self):
        time.sleep(1)  # a question costs more than the answer is worth
        done = self.kubectl("get", "deployment", "web", "-o", "json")
        if done.returncode != 0:
            return False
        web = json.loads(done.stdout)
        now = web["status"]
        return (now.get("observedGeneration") == web["metadata"]["generation"]
                and now.get("updatedReplicas") == now.get("readyReplicas")
                == now.get("replicas") == self._pods)
