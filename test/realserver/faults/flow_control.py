"""Users whom the real server admits with few requests at a time, and answers with 429 else."""

import time

from cluster import Refused

BASE = "/apis/flowcontrol.apiserver.k8s.io/v1"


def jail(api, users, path, shares=0):
    """Returns once it is in effect, which requests of theirs to `path` show."""
    for user in users:
        api.create(f"{BASE}/prioritylevelconfigurations", {
            "metadata": {"name": user}, "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": shares, "borrowingLimitPercent": 0,
                "lendablePercent": 0, "limitResponse": {"type": "Reject"}}}})
        schema = api.create(f"{BASE}/flowschemas", {
            "metadata": {"name": user}, "spec": {
                "priorityLevelConfiguration": {"name": user}, "matchingPrecedence": 500,
                "rules": [{"subjects": [{"kind": "User", "user": {"name": user}}],
                           "resourceRules": [{
                               "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                               "namespaces": ["*"], "clusterScope": True}]}]}})
        deadline = time.monotonic() + 30
        while True:
            try:
                head, _ = api.ask("GET", path, token=f"{user}-token")
            except Refused as refusal:
                head = refusal.head
            if head["X-Kubernetes-Pf-Flowschema-Uid"] == schema["metadata"]["uid"]:
                break
            if time.monotonic() > deadline:
                raise Refused("the flow schema does not come into effect")
            time.sleep(0.1)


def unjail(api, users):
    for user in users:
        api.delete(f"{BASE}/flowschemas/{user}")
        api.delete(f"{BASE}/prioritylevelconfigurations/{user}")
