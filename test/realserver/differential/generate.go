package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

type object = map[string]any

// resource is what sequences are about: where it is, and how objects of it look.
type resource struct {
	name   string
	prefix string
	status bool // has that subresource
	body   func(r *rand.Rand) object
	// patches are merge patches that change something.
	patches []string
	// selectors of fields, some of them wrong.
	fields []string
	// statuses are what its status may be.
	statuses []string
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

func podSpec(r *rand.Rand) object {
	container := object{"name": "c", "image": pick(r, "i", "i:latest", "i:1", "r/i@sha256:"+strings.Repeat("0", 64))}
	if r.IntN(3) == 0 {
		container["ports"] = []any{object{"containerPort": 80}, object{"name": "b", "containerPort": 81, "protocol": "UDP"}}
	}
	if r.IntN(3) == 0 {
		container["resources"] = pick(r, object{"limits": object{"cpu": "0.5", "memory": "1024Mi"}},
			object{"requests": object{"cpu": "1500m"}}, object{"limits": object{"cpu": 2, "memory": "1.5Gi"}, "requests": object{"cpu": "2000m"}})
	}
	if r.IntN(4) == 0 {
		container["livenessProbe"] = pick(r, object{"httpGet": object{"port": 80}}, object{"exec": object{"command": []any{"a"}}, "periodSeconds": 3},
			object{"tcpSocket": object{"port": "b"}}, object{"grpc": object{"port": 5}})
	}
	if r.IntN(4) == 0 {
		container["env"] = []any{object{"name": "A", "value": "b"}, object{"name": "B", "valueFrom": pick(r,
			object{"fieldRef": object{"fieldPath": "metadata.name"}}, object{"configMapKeyRef": object{"name": "a", "key": "k"}})}}
	}
	spec := object{"containers": []any{container}}
	if r.IntN(4) == 0 {
		spec["volumes"] = []any{object{"name": "v", pick(r, "emptyDir", "configMap", "secret", "downwardAPI"): object{}}}
		volume := spec["volumes"].([]any)[0].(object)
		if volume["configMap"] != nil {
			volume["configMap"] = object{"name": "a"}
		}
		if volume["secret"] != nil {
			volume["secret"] = object{"secretName": "a"}
		}
	}
	return spec
}

func labels(r *rand.Rand) object {
	out := object{}
	if r.IntN(3) > 0 {
		out["app"] = pick(r, "x", "y")
	}
	if r.IntN(3) == 0 {
		out["tier"] = pick(r, "1", "2")
	}
	return out
}

var resources = []resource{
	{name: "configmaps", prefix: "/api/v1", body: func(r *rand.Rand) object {
		return object{"data": object{"k": pick(r, "1", "2", "3")}}
	}, patches: []string{`{"data":{"k":"5"}}`, `{"data":{"l":"5"}}`, `{"data":{"k":null}}`, `{"data":null}`, `{"binaryData":{"b":"eA=="}}`},
		fields: []string{"metadata.name=a", "metadata.name!=a", "data.k=1"}},
	{name: "secrets", prefix: "/api/v1", body: func(r *rand.Rand) object {
		return pick(r, object{"stringData": object{"k": pick(r, "1", "2")}}, object{"data": object{"k": "MQ=="}},
			object{"type": "example.com/t", "data": object{"k": "MQ=="}, "stringData": object{"l": "2"}})
	}, patches: []string{`{"stringData":{"k":"5"}}`, `{"data":{"l":"NQ=="}}`, `{"type":"other"}`},
		fields: []string{"type=Opaque", "type!=Opaque", "metadata.name=b"}},
	{name: "pods", prefix: "/api/v1", status: true, body: func(r *rand.Rand) object {
		// No nodeName: scheduled pods need a kubelet to go.
		return object{"spec": podSpec(r)}
	}, patches: []string{`{"spec":{"activeDeadlineSeconds":50}}`, `{"metadata":{"annotations":{"a":"b"}}}`, `{"spec":{"containers":[{"name":"c","image":"j"}]}}`},
		fields:   []string{"status.phase=Pending", "status.phase!=Pending", "spec.nodeName=n1", "spec.nodeName=", "spec.restartPolicy=Always", "spec.foo=1"},
		statuses: []string{`{"phase":"Running"}`, `{"phase":"Succeeded","message":"m"}`, `{"podIP":"10.1.1.1"}`}},
	{name: "services", prefix: "/api/v1", status: true, body: func(r *rand.Rand) object {
		spec := object{"ports": []any{object{"port": pick(r, 80, 81)}}}
		if r.IntN(2) == 0 {
			spec["selector"] = object{"app": "x"}
		}
		if r.IntN(3) == 0 {
			spec["type"] = pick(r, "ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
			if spec["type"] == "ExternalName" {
				spec["externalName"] = "a.example.com"
			}
		} else if r.IntN(4) == 0 {
			spec["clusterIP"] = "None"
		}
		if r.IntN(4) == 0 {
			spec["sessionAffinity"] = "ClientIP"
		}
		return object{"spec": spec}
	}, patches: []string{`{"spec":{"ports":[{"port":90,"targetPort":"p"}]}}`, `{"spec":{"type":"NodePort"}}`, `{"spec":{"selector":{"b":"c"}}}`},
		fields: []string{"spec.type=ClusterIP", "spec.clusterIP=None", "spec.foo=1"}, statuses: []string{`{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}`}},
	{name: "deployments", prefix: "/apis/apps/v1", status: true, body: func(r *rand.Rand) object {
		spec := object{"selector": object{"matchLabels": object{"app": "x"}},
			"template": object{"metadata": object{"labels": object{"app": "x"}}, "spec": podSpec(r)}}
		if r.IntN(2) == 0 {
			spec["replicas"] = pick(r, 0, 2, 3)
		}
		if r.IntN(3) == 0 {
			spec["strategy"] = pick(r, object{"type": "Recreate"}, object{"rollingUpdate": object{"maxSurge": 1}}, object{"type": "RollingUpdate"})
		}
		return object{"spec": spec}
	}, patches: []string{`{"spec":{"replicas":5}}`, `{"spec":{"replicas":null}}`, `{"spec":{"paused":true}}`, `{"metadata":{"annotations":{"a":"b"}}}`,
		`{"spec":{"template":{"metadata":{"annotations":{"c":"d"}}}}}`},
		fields: []string{"metadata.name=a", "status.replicas=1"}, statuses: []string{`{"replicas":1,"observedGeneration":1}`}},
	{name: "leases", prefix: "/apis/coordination.k8s.io/v1", body: func(r *rand.Rand) object {
		return object{"spec": pick(r, object{}, object{"holderIdentity": "me", "leaseDurationSeconds": 15}, object{"holderIdentity": "you",
			"leaseDurationSeconds": 10, "renewTime": "2026-01-02T03:04:05.000000Z"})}
	}, patches: []string{`{"spec":{"holderIdentity":"other","leaseDurationSeconds":20}}`, `{"spec":{"leaseTransitions":3}}`},
		fields: []string{"metadata.name=a", "spec.holderIdentity=me"}},
	{name: "events", prefix: "/api/v1", body: func(r *rand.Rand) object {
		return object{"involvedObject": object{"kind": "Pod", "name": pick(r, "a", "b"), "namespace": "{ns}"}, "reason": pick(r, "Started", "Killed"),
			"type": pick(r, "Normal", "Warning"), "message": "m", "count": pick(r, 1, 2)}
	}, patches: []string{`{"count":5}`, `{"message":"n"}`},
		fields: []string{"involvedObject.name=a", "type=Warning", "reason=Started", "source=x", "foo=1"}},
	{name: "widgets", prefix: "/apis/example.com/v1", status: true, body: func(r *rand.Rand) object {
		return object{"apiVersion": "example.com/v1", "kind": "Widget", "spec": object{"size": pick(r, 1, 2), "list": []any{"a", pick(r, "b", "c")}}}
	}, patches: []string{`{"spec":{"size":5}}`, `{"spec":{"size":null}}`, `{"spec":{"color":"red"}}`, `{"metadata":{"annotations":{"a":"b"}}}`},
		fields: []string{"metadata.name=a", "spec.size=1"}, statuses: []string{`{"ready":true}`, `{"ready":false,"n":1}`}},
}

func resourcesNamed(only string) []resource {
	if only == "" {
		return resources
	}
	var out []resource
	for _, res := range resources {
		if strings.Contains(","+only+",", ","+res.name+",") {
			out = append(out, res)
		}
	}
	return out
}

// generator makes one sequence.
type generator struct {
	*rand.Rand
	out   []request
	ids   map[string][]int // by resource and name: the requests that may have given the object
	lists map[string][]int
}

const mergePatch, jsonPatch = "application/merge-patch+json", "application/json-patch+json"

func generate(r *rand.Rand, length int, from []resource) []request {
	g := &generator{Rand: r, ids: map[string][]int{}, lists: map[string][]int{}}
	chosen := []resource{pick(r, from...), pick(r, from...)}
	for len(g.out) < length {
		g.step(pick(r, chosen...))
	}
	g.watch(pick(r, chosen...))
	return g.out
}

func (g *generator) add(r request) int {
	r.id = len(g.out)
	g.out = append(g.out, r)
	return r.id
}

func (g *generator) collection(res resource) string {
	return res.prefix + "/namespaces/{ns}/" + res.name
}

func (g *generator) step(res resource) {
	name := pick(g.Rand, "a", "b", "c")
	path := g.collection(res) + "/" + name
	key := res.name + "/" + name
	remember := func(r request) { g.ids[key] = append(g.ids[key], g.add(r)) }
	switch n := g.IntN(100); {
	case n < 30 || len(g.ids[key]) == 0:
		remember(g.create(res, name))
	case n < 38:
		remember(request{method: "GET", path: path})
	case n < 53:
		remember(g.update(res, name, path, key))
	case n < 63:
		remember(request{method: "PATCH", path: path + g.dryRun(), contentType: mergePatch, body: g.conditional(pick(g.Rand, res.patches...), key)})
	case n < 69:
		remember(request{method: "PATCH", path: path + g.dryRun(), contentType: jsonPatch, body: g.jsonPatch(key)})
	case n < 74 && res.status && len(res.statuses) > 0:
		remember(request{method: "PATCH", path: path + "/status", contentType: mergePatch, body: `{"status":` + pick(g.Rand, res.statuses...) + `}`})
	case n < 82:
		g.add(request{method: "DELETE", path: path + g.dryRun(), contentType: "application/json", body: g.deleteOptions(key)})
	case n < 84:
		g.add(request{method: "DELETE", path: g.collection(res) + "?" + g.selectors(res)})
	default:
		g.list(res)
	}
}

func (g *generator) dryRun() string {
	if g.IntN(12) == 0 {
		return "?dryRun=All"
	}
	return ""
}

func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func (g *generator) create(res resource, name string) request {
	body := res.body(g.Rand)
	metadata := object{"name": name}
	if l := labels(g.Rand); len(l) > 0 {
		metadata["labels"] = l
	}
	switch g.IntN(20) {
	case 0:
		metadata["finalizers"] = []any{"example.com/f"}
	case 1:
		metadata["resourceVersion"] = "5"
	case 2:
		metadata["namespace"] = "elsewhere"
	case 3:
		metadata["annotations"] = object{"a": "b"}
	case 4:
		metadata["uid"] = "x"
	case 5:
		metadata["name"] = pick(g.Rand, "Not_A_Name", "")
	}
	body["metadata"] = metadata
	return request{method: "POST", path: g.collection(res) + g.dryRun(), contentType: "application/json", body: text(body)}
}

// some gives one of the requests that may have given the object, mostly the last.
func (g *generator) some(key string) int {
	ids := g.ids[key]
	if g.IntN(4) == 0 {
		return pick(g.Rand, ids...)
	}
	return ids[len(ids)-1]
}

func (g *generator) update(res resource, name, path, key string) request {
	body := res.body(g.Rand)
	metadata := object{"name": name}
	if l := labels(g.Rand); len(l) > 0 {
		metadata["labels"] = l
	}
	if g.IntN(3) > 0 || res.name == "widgets" {
		metadata["resourceVersion"] = fmt.Sprintf("{rv:%d}", g.some(key))
	}
	switch g.IntN(12) {
	case 0:
		metadata["uid"] = fmt.Sprintf("{uid:%d}", g.some(key))
	case 1:
		metadata["uid"] = "00000000-0000-0000-0000-000000000000"
	case 2:
		metadata["name"] = "other"
	case 3:
		metadata["finalizers"] = []any{"example.com/f"}
	}
	body["metadata"] = metadata
	return request{method: "PUT", path: path + g.dryRun(), contentType: "application/json", body: text(body)}
}

// conditional adds a resourceVersion to a merge patch, now and then.
func (g *generator) conditional(patch, key string) string {
	if g.IntN(4) > 0 || strings.Contains(patch, `"metadata"`) {
		return patch
	}
	return fmt.Sprintf(`{"metadata":{"resourceVersion":"{rv:%d}"},%s`, g.some(key), patch[1:])
}

func (g *generator) jsonPatch(key string) string {
	return pick(g.Rand,
		`[{"op":"add","path":"/metadata/labels","value":{"app":"y"}}]`,
		`[{"op":"replace","path":"/metadata/labels/app","value":"z"}]`,
		`[{"op":"remove","path":"/metadata/labels/tier"}]`,
		`[{"op":"add","path":"/metadata/annotations","value":{"p":"q"}}]`,
		`[{"op":"add","path":"/metadata/finalizers","value":["example.com/g"]}]`,
		`[{"op":"remove","path":"/metadata/finalizers"}]`,
		`[{"op":"test","path":"/metadata/name","value":"a"},{"op":"add","path":"/metadata/labels","value":{"app":"x"}}]`,
		fmt.Sprintf(`[{"op":"test","path":"/metadata/resourceVersion","value":"{rv:%d}"},{"op":"add","path":"/metadata/labels","value":{"app":"w"}}]`, g.some(key)))
}

func (g *generator) deleteOptions(key string) string {
	options := object{}
	switch g.IntN(8) {
	case 0:
		options["preconditions"] = object{"uid": fmt.Sprintf("{uid:%d}", g.some(key))}
	case 1:
		options["preconditions"] = object{"resourceVersion": fmt.Sprintf("{rv:%d}", g.some(key))}
	case 2:
		options["preconditions"] = object{"uid": "00000000-0000-0000-0000-000000000000"}
	case 3:
		options["gracePeriodSeconds"] = 0
	case 4:
		return ""
	}
	return text(options)
}

func (g *generator) selectors(res resource) string {
	query := url.Values{}
	if g.IntN(2) == 0 {
		query.Set("labelSelector", pick(g.Rand, "app=x", "app!=x", "app in (x,y)", "!tier", "tier", "app=x,tier=1", "app notin (x)", "app=", "a b", "app=x,,"))
	}
	if g.IntN(4) == 0 {
		query.Set("fieldSelector", pick(g.Rand, res.fields...))
	}
	return query.Encode()
}

func (g *generator) list(res resource) {
	query, err := url.ParseQuery(g.selectors(res))
	if err != nil {
		panic(err)
	}
	if g.IntN(3) > 0 {
		id := g.add(request{method: "GET", path: g.collection(res) + "?" + query.Encode()})
		g.lists[res.name] = append(g.lists[res.name], id)
		return
	}
	query.Set("limit", pick(g.Rand, "1", "2"))
	id := g.add(request{method: "GET", path: g.collection(res) + "?" + query.Encode()})
	if g.IntN(3) == 0 {
		g.step(res) // pages show the state of the first
	}
	g.add(request{method: "GET", path: g.collection(res) + "?" + query.Encode() + fmt.Sprintf("&continue={continue:%d}", id)})
}

func (g *generator) watch(res resource) {
	from := ""
	if ids := append(g.ids[res.name+"/a"], g.lists[res.name]...); len(ids) > 0 {
		from = fmt.Sprintf("&resourceVersion={rv:%d}", pick(g.Rand, ids...))
	}
	g.add(request{method: "GET", watch: true, path: g.collection(res) + "?watch=1" + from + "&" + g.selectors(res)})
}
