# Part of run_all, whose functions it uses: larger programs, each with objects and changes of its
# own.

agents() {
  begin node_agent
  becomes 'a container has its pod' grep -qx 'container 4a1f: Pod default/cart-0' "$t/out"
  becomes 'an IP has its pod' grep -qx 'ip fd00::20: Pod default/cart-0' "$t/out"
  becomes 'the IP of the node is that of no pod' grep -qx 'ip 192.168.0.7:' "$t/out"
  request PATCH $core/pods/cart-0/status merge-patch+json '{"status":{"containerStatuses":[
    {"name":"cart","image":"example.com/cart:1","imageID":"","ready":true,"restartCount":1,
     "containerID":"containerd://77b2"}]}}' >/dev/null
  becomes 'the next container has the pod' grep -qx 'container 77b2: Pod default/cart-0' "$t/out"
  end
  becomes 'pods of other nodes are not there' not grep -q 'cart-1' "$t/out"
}
not() { ! "$@"; }

# backend NAME: a server that answers with its name; its port is in $t/backend-NAME.
backend() {
  python3 -c '
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(sys.argv[1].encode())
    def log_message(self, *arguments):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()' "$1" >"$t/backend-$1" &
  backends+=($!)
  for _ in $(seq 200); do
    [ -s "$t/backend-$1" ] && return
    sleep 0.05
  done
}
# slice NAME PORT READY
slice() {
  request POST /apis/discovery.k8s.io/v1/namespaces/default/endpointslices json \
    '{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","addressType":"IPv4",
      "metadata":{"name":"'"$1"'","labels":{"kubernetes.io/service-name":"web"}},
      "endpoints":[{"addresses":["127.0.0.1"],"conditions":{"ready":'"$3"'}}],
      "ports":[{"port":'"$2"'}]}' >"$t/made"
}
# answers PORT NAMES: who answers four requests, each name once.
answers() {
  [ "$(for _ in 1 2 3 4; do curl "http://127.0.0.1:$1/"; echo; done | sort -u | xargs)" = "$2" ]
}
routes() {
  local slices=/apis/discovery.k8s.io/v1/namespaces/default/endpointslices port backends=()
  backend a
  backend b
  slice web-a "$(cat "$t/backend-a")" true
  slice web-b "$(cat "$t/backend-b")" true
  begin endpoint_router
  becomes 'it routes' grep -q '^routing on port [0-9]* to 2 endpoints' "$t/out"
  port=$(sed -n 's/^routing on port \([0-9]*\) .*/\1/p' "$t/out")
  becomes 'both endpoints answer' answers "$port" 'a b'
  request PATCH $slices/web-a merge-patch+json \
    '{"endpoints":[{"addresses":["127.0.0.1"],"conditions":{"ready":false}}]}' >/dev/null
  becomes 'one that is not ready does not' answers "$port" b
  request DELETE $slices/web-b >/dev/null
  becomes 'there is none' answers "$port" ''
  end
  kill "${backends[@]}"
  wait "${backends[@]}" || true
}

# ready POD: tells the server that it is.
ready() {
  request PATCH "$core/pods/$1/status" merge-patch+json \
    '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}' >/dev/null
}
databases() {
  local kind=/apis/example.com/v1/namespaces/default/databases
  local jobs=/apis/batch/v1/namespaces/default/jobs
  begin stateful_operator
  request POST $kind json '{"apiVersion":"example.com/v1","kind":"Database",
    "metadata":{"name":"db"},"spec":{"replicas":2,"image":"example.com/db:1"}}' >/dev/null
  becomes 'the first pod is made' is $core/pods/db-0 '
    .metadata.ownerReferences[0] | .kind == "Database" and .controller'
  becomes 'it is being scaled' is $kind/db '
    any(.status.conditions[]; .type == "Settled" and .status == "False")'
  becomes 'the second pod waits for the first' is $core/pods/db-1 '.code == 404'
  ready db-0
  becomes 'the second pod is made' is $core/pods/db-1 '.metadata.name == "db-1"'
  ready db-1
  becomes 'both are ready' is $kind/db '.status.ready == 2 and
    any(.status.conditions[]; .type == "Settled" and .status == "True")'
  request PATCH $kind/db merge-patch+json '{"spec":{"replicas":1}}' >/dev/null
  becomes 'the last pod is backed up' is $jobs/db-1-backup '
    .spec.template.spec.containers[0].args == ["backup", "db-1"]'
  becomes 'it stays until then' is $core/pods/db-1 '.metadata.deletionTimestamp == null'
  request PATCH $jobs/db-1-backup/status merge-patch+json '{"status":{"succeeded":1}}' >/dev/null
  becomes 'the pod goes' is $core/pods/db-1 '.code == 404'
  becomes 'the status names the backup' is $kind/db '
    .status.lastBackup == "db-1" and .status.ready == 1'
  becomes 'the Job goes' is $jobs/db-1-backup '.code == 404'
  end
}

# Twenty nodes, and two thousand pods without one.
crowd() {
  jq -n '{apiVersion: "v1", kind: "List", items: (
    [range(20) | {apiVersion: "v1", kind: "Node", metadata: {name: "node-\(.)"},
                  status: {allocatable: {pods: "110"}}}] +
    [range(2000) | {apiVersion: "v1", kind: "Pod",
                    metadata: {name: "pod-\(.)", namespace: "default"},
                    spec: {containers: [{name: "c", image: "example.com/c:1"}]}}])}'
}
places() {
  begin assume_scheduler
  becomes 'all pods are bound' grep -qx 'bound 2000 pods' "$t/out"
  becomes 'each node has as many' is /api/v1/pods '[.items[].spec.nodeName] | length == 2000 and
    (group_by(.) | length == 20 and all(.[]; length == 100))'
  request DELETE $core/pods/pod-0 >/dev/null
  request POST $core/pods json '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"late"},
    "spec":{"containers":[{"name":"c","image":"example.com/c:1"}]}}' >/dev/null
  becomes 'a late pod is bound' is $core/pods/late '.spec.nodeName != null'
  end
}

merges() {
  local west
  sed 's/kinformer/east/g' "$t/kubeconfig" >"$t/east"
  "$bin/kinformer" apiserver --listen 127.0.0.1:0 --kubeconfig-out "$t/west-raw" \
    --load "$here/cluster.yaml" >"$t/west.log" 2>&1 &
  west=$!
  becomes 'the second server is there' test -s "$t/west-raw"
  sed 's/kinformer/west/g' "$t/west-raw" >"$t/west"
  KUBECONFIG=$t/east:$t/west begin merged_clusters
  becomes 'it knows both clusters' grep -qx 'clusters: 2' "$t/out"
  becomes 'the view has both' grep -qx \
    'default/web: 0 of 4 ready in 2 clusters: east=0 west=0' "$t/out"
  cp "$t/kubeconfig" "$t/east-raw"
  cp "$t/west-raw" "$t/kubeconfig"
  request PATCH $apps/deployments/web/status merge-patch+json \
    '{"status":{"replicas":2,"readyReplicas":2}}' >/dev/null
  cp "$t/east-raw" "$t/kubeconfig"
  becomes 'it follows one' grep -qx \
    'default/web: 2 of 4 ready in 2 clusters: east=0 west=2' "$t/out"
  kill "$west"
  wait "$west" || true
  request PATCH $apps/deployments/web/status merge-patch+json \
    '{"status":{"replicas":2,"readyReplicas":1}}' >/dev/null
  becomes 'the other one is down, and known' grep -qx \
    'default/web: 3 of 4 ready in 2 clusters: east=1 west=2' "$t/out"
  end
}

operator=programs
serve cluster.yaml traffic.yaml
agents
routes
databases
[ ! -x "$bin/examples/example_qt_loop" ] || check qt_loop '= default/web-0'
serve cluster.yaml
merges
crowd >"$t/crowd.json"
serve "$t/crowd.json"
places
