package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// applied is a kind whose objects have several managers.
type applied struct {
	name, prefix, apiVersion, kind string
	custom, scale                  bool
	spec                           func(a *applier) object // the members beside metadata
	status                         func(a *applier) object
}

// applier makes a sequence about who owns what.
type applier struct {
	*rand.Rand
	out  []request
	last map[string]int // by path: the request that has shown the object last
}

const applyPatch = "application/apply-patch+yaml"

var applyKinds = []applied{
	{name: "configmaps", prefix: "/api/v1", apiVersion: "v1", kind: "ConfigMap", spec: func(a *applier) object {
		return a.some(object{"data": a.some(object{"x": a.word(), "y": a.word(), "z": a.word()}), "binaryData": object{"b": "eA=="}})
	}},
	{name: "secrets", prefix: "/api/v1", apiVersion: "v1", kind: "Secret", spec: func(a *applier) object {
		return a.some(object{"data": a.some(object{"x": "eA==", "y": pick(a.Rand, "eQ==", "eA==")}), "type": "Opaque"})
	}},
	{name: "serviceaccounts", prefix: "/api/v1", apiVersion: "v1", kind: "ServiceAccount", spec: func(a *applier) object {
		return a.some(object{"secrets": a.keyed("name", nil), "imagePullSecrets": a.keyed("name", nil), "automountServiceAccountToken": a.IntN(2) == 0})
	}},
	{name: "services", prefix: "/api/v1", apiVersion: "v1", kind: "Service", spec: serviceToApply, status: func(a *applier) object {
		return object{"loadBalancer": object{"ingress": []any{object{"ip": pick(a.Rand, "1.2.3.4", "1.2.3.5")}}}}
	}},
	{name: "deployments", prefix: "/apis/apps/v1", apiVersion: "apps/v1", kind: "Deployment", scale: true, spec: func(a *applier) object {
		spec := object{"selector": object{"matchLabels": object{"app": "x"}},
			"template": object{"metadata": object{"labels": object{"app": "x"}}, "spec": podToApply(a)}}
		for name, value := range a.some(object{"replicas": pick(a.Rand, 1, 2, 3), "minReadySeconds": pick(a.Rand, 0, 5), "paused": true}) {
			spec[name] = value
		}
		return object{"spec": spec}
	}, status: func(a *applier) object {
		return a.some(object{"replicas": pick(a.Rand, 1, 2), "observedGeneration": 1, "conditions": a.conditions()})
	}},
	{name: "gadgets", prefix: "/apis/example.com/v1", apiVersion: "example.com/v1", kind: "Gadget", custom: true, scale: true,
		spec: func(a *applier) object { return a.some(object{"spec": gadgetSpec(a)}) },
		status: func(a *applier) object {
			return a.some(object{"replicas": pick(a.Rand, 1, 2), "conditions": a.conditions(), "phase": a.word()})
		}},
}

func serviceToApply(a *applier) object {
	ports := []any{}
	for _, number := range []int{80, 81} {
		if number == 80 || a.IntN(2) == 0 {
			port := a.some(object{"protocol": pick(a.Rand, "TCP", "UDP"), "targetPort": pick[any](a.Rand, 8080, "web")})
			port["port"], port["name"] = number, fmt.Sprintf("p%d", number)
			ports = append(ports, port)
		}
	}
	spec := a.some(object{"selector": a.some(object{"app": a.word(), "tier": a.word()}), "externalIPs": []any{"1.2.3.4"},
		"sessionAffinity": pick(a.Rand, "None", "ClientIP")})
	spec["ports"] = ports
	return object{"spec": spec}
}

func podToApply(a *applier) object {
	containers := []any{}
	for _, name := range []string{"c", "d", "e"} {
		if name == "c" || a.IntN(3) == 0 {
			container := a.some(object{
				"ports": []any{object{"containerPort": 80}, a.with(object{"containerPort": 81}, object{"protocol": pick(a.Rand, "UDP", "TCP")})},
				"env":   a.keyed("name", func() object { return object{"value": a.word()} }),
				"args":  []any{a.word(), "y"}, "resources": object{"limits": a.some(object{"cpu": "1", "memory": pick(a.Rand, "1Gi", "2Gi")})},
			})
			container["name"], container["image"] = name, pick(a.Rand, "i", "j")
			containers = append(containers, container)
		}
	}
	spec := a.some(object{"nodeSelector": a.some(object{"a": a.word(), "b": a.word()}),
		"tolerations":      []any{object{"key": a.word(), "operator": "Exists"}},
		"imagePullSecrets": a.keyed("name", nil), "terminationGracePeriodSeconds": pick(a.Rand, 5, 30),
		"hostAliases": []any{object{"ip": "1.2.3.4", "hostnames": []any{"h"}}}})
	spec["containers"] = containers
	return spec
}

const gadgetDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gadgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"gadgets","kind":"Gadget"},"versions":[{"name":"v1","served":true,
"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},
"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"replicas":{"type":"integer"},"text":{"type":"string"},"given":{"type":"string","default":"g"},
"maybe":{"type":"string","nullable":true},
"nested":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":7}}},
"whole":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"},"b":{"type":"string"}}},
"map":{"type":"object","additionalProperties":{"type":"string"}},
"deep":{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"},"l":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}}},
"set":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
"numbers":{"type":"array","items":{"type":"integer"},"x-kubernetes-list-type":"set"},
"list":{"type":"array","items":{"type":"string"}},
"keyed":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],
"properties":{"k":{"type":"string"},"v":{"type":"string"},"set":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}}},
"twice":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object","required":["port"],
"properties":{"port":{"type":"integer"},"protocol":{"type":"string","default":"TCP"},"v":{"type":"string"}}}},
"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
"either":{"x-kubernetes-int-or-string":true}}},
"status":{"type":"object","properties":{"replicas":{"type":"integer"},"phase":{"type":"string"},
"conditions":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["type"],"items":{"type":"object","required":["type"],
"properties":{"type":{"type":"string"},"status":{"type":"string"},"reason":{"type":"string"}}}}}}}}}}]}}`

func gadgetSpec(a *applier) object {
	twice := []any{}
	for range a.IntN(3) {
		element := a.some(object{"protocol": pick(a.Rand, "TCP", "UDP"), "v": a.word()})
		element["port"] = pick(a.Rand, 80, 81)
		twice = append(twice, element)
	}
	return a.some(object{"replicas": pick(a.Rand, 1, 2, 3), "text": a.word(), "given": a.word(), "maybe": pick[any](a.Rand, nil, "x", "y"),
		"nested": a.some(object{"a": a.word(), "b": pick(a.Rand, 7, 8)}), "whole": a.some(object{"a": a.word(), "b": a.word()}),
		"map":  a.some(object{"a": a.word(), "b.c/d": a.word(), "": a.word()}),
		"deep": a.some(object{"a": a.some(object{"a": a.word(), "l": a.words()}), "b": a.some(object{"a": a.word(), "l": a.words()})}),
		"set":  a.words(), "numbers": pick(a.Rand, []any{1}, []any{1, 2}, []any{3}, []any{}), "list": a.words(),
		"keyed": a.keyed("k", func() object { return a.some(object{"v": a.word(), "set": a.words()}) }), "twice": twice,
		"free": a.some(object{"a": a.word(), "l": []any{a.word()}, "o": a.some(object{"p": a.word(), "q": 1})}), "either": pick[any](a.Rand, 1, "50%")})
}

func (a *applier) word() string { return pick(a.Rand, "u", "v", "w") }

func (a *applier) words() []any {
	if a.IntN(60) == 0 {
		return []any{"u", "u"}
	}
	return pick(a.Rand, []any{"u"}, []any{"u", "v"}, []any{"v", "u"}, []any{"w"}, []any{}, []any{"w", "u", "v"})
}

// some is about half of the members.
func (a *applier) some(from object) object {
	out := object{}
	for _, name := range union(from, nil) { // in an order that the seed gives
		if a.IntN(2) == 0 {
			out[name] = from[name]
		}
	}
	return out
}

func (a *applier) with(to, more object) object {
	for name, value := range a.some(more) {
		to[name] = value
	}
	return to
}

// keyed is a list of elements with keys, now and then the same twice.
func (a *applier) keyed(key string, more func() object) []any {
	out := []any{}
	for _, name := range pick(a.Rand, []string{"x"}, []string{"x", "y"}, []string{"y", "x"}, []string{"z"}, []string{}, []string{"z", "y", "x"}) {
		element := object{}
		if more != nil {
			element = more()
		}
		element[key] = name
		out = append(out, element)
	}
	if len(out) > 0 && a.IntN(40) == 0 {
		out = append(out, out[0])
	}
	return out
}

func (a *applier) conditions() []any {
	return a.keyed("type", func() object { return object{"status": pick(a.Rand, "True", "False"), "reason": a.word()} })
}

func generateApplies(r *rand.Rand, length int, only string) []request {
	a := &applier{Rand: r, last: map[string]int{}}
	from := slices.DeleteFunc(slices.Clone(applyKinds), func(k applied) bool { return only != "" && k.name != only })
	kind := pick(r, from...)
	if r.IntN(2) == 0 {
		kind = from[len(from)-1]
	}
	for len(a.out) < length {
		a.step(kind)
	}
	return a.out
}

func (a *applier) add(r request) int {
	r.id = len(a.out)
	a.out = append(a.out, r)
	return r.id
}

func (a *applier) body(kind applied, name string, metadata bool) object {
	out := kind.spec(a)
	out["apiVersion"], out["kind"] = kind.apiVersion, kind.kind
	out["metadata"] = object{"name": name}
	if metadata {
		a.with(out["metadata"].(object), object{"labels": a.some(object{"l": a.word(), "m": a.word()}), "annotations": a.some(object{"a": a.word(), "b": a.word()})})
		if a.IntN(6) == 0 {
			out["metadata"].(object)["finalizers"] = pick(a.Rand, []any{"example.com/f"}, []any{"example.com/g", "example.com/f"})
		}
		if a.IntN(8) == 0 {
			out["metadata"].(object)["ownerReferences"] = []any{object{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "00000000-0000-0000-0000-000000000001"}}
		}
	}
	return out
}

// manager is a query with who it is.
func (a *applier) manager(names ...string) string {
	out := "?fieldManager=" + pick(a.Rand, names...)
	if a.IntN(14) == 0 {
		out += "&dryRun=All"
	}
	return out
}

func (a *applier) step(kind applied) {
	name := pick(a.Rand, "a", "a", "b")
	path := kind.prefix + "/namespaces/{ns}/" + kind.name + "/" + name
	shown, known := a.last[path]
	see := func(r request) { a.last[path] = a.add(r) }
	switch n := a.IntN(100); {
	case n < 46 || !known:
		see(a.apply(kind, name, path, shown, known))
	case n < 54 && kind.status != nil:
		status := object{"apiVersion": kind.apiVersion, "kind": kind.kind, "metadata": object{"name": name}, "status": kind.status(a)}
		if a.IntN(4) == 0 {
			status["metadata"].(object)["labels"] = object{"l": a.word()}
		}
		if a.IntN(2) == 0 {
			see(request{method: "PATCH", path: path + "/status" + a.manager("m1", "s1", "s2") + a.force(), contentType: applyPatch, body: text(status)})
		} else {
			delete(status["metadata"].(object), "name")
			see(request{method: "PATCH", path: path + "/status" + a.manager("m1", "s1", "u1"), contentType: mergePatch, body: text(status)})
		}
	case n < 58 && kind.scale:
		scale := object{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": object{"name": name}, "spec": object{"replicas": pick(a.Rand, 1, 2, 4)}}
		if a.IntN(2) == 0 {
			a.add(request{method: "PATCH", path: path + "/scale" + a.manager("m1", "m2", "h") + a.force(), contentType: applyPatch, body: text(scale)})
		} else {
			a.add(request{method: "PATCH", path: path + "/scale" + a.manager("m1", "h"), contentType: mergePatch, body: text(object{"spec": scale["spec"]})})
		}
	case n < 70:
		shown = a.add(request{method: "GET", path: path})
		body := a.body(kind, name, true)
		body["metadata"].(object)["resourceVersion"] = fmt.Sprintf("{rv:%d}", shown)
		if a.IntN(10) == 0 {
			body["metadata"].(object)["managedFields"] = pick(a.Rand, []any{}, []any{object{}})
		}
		see(request{method: "PUT", path: path + a.manager("u1", "m1", "u2"), contentType: jsonType, body: text(body)})
	case n < 80:
		patch := a.body(kind, name, true)
		delete(patch["metadata"].(object), "name")
		if spec, is := patch["spec"].(object); is && a.IntN(2) == 0 {
			for _, member := range union(spec, nil) {
				if member != "selector" && member != "template" && member != "ports" && a.IntN(4) == 0 {
					spec[member] = nil
				}
			}
		}
		types := []string{mergePatch, strategicPatch}
		if kind.custom {
			types = types[:1]
		}
		see(request{method: "PATCH", path: path + a.manager("u1", "u2", "m2"), contentType: pick(a.Rand, types...), body: text(patch)})
	case n < 83:
		see(request{method: "PATCH", path: path + a.manager("u1"), contentType: jsonPatch, body: pick(a.Rand,
			`[{"op":"add","path":"/metadata/labels","value":{"l":"j"}}]`, `[{"op":"remove","path":"/metadata/labels"}]`,
			`[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`, `[{"op":"replace","path":"/metadata/managedFields","value":[]}]`,
			`[{"op":"remove","path":"/spec"}]`, `[{"op":"add","path":"/data","value":{"x":"j"}}]`)})
	case n < 86:
		see(request{method: "POST", path: kind.prefix + "/namespaces/{ns}/" + kind.name + a.manager("u1", "m1"), contentType: jsonType, body: text(a.body(kind, name, true))})
	case n < 88:
		a.add(request{method: "DELETE", path: path})
	default:
		see(request{method: "GET", path: path})
	}
}

func (a *applier) force() string {
	return pick(a.Rand, "", "", "", "&force=true", "&force=true", "&force=false")
}

// apply is one by a manager, in a few cases one that is wrong.
func (a *applier) apply(kind applied, name, path string, shown int, known bool) request {
	body := a.body(kind, name, true)
	query := a.manager("m1", "m1", "m2", "m3") + a.force()
	metadata := body["metadata"].(object)
	switch a.IntN(40) {
	case 0:
		query = "?force=true"
	case 1:
		metadata["managedFields"] = []any{object{}}
	case 2:
		metadata["name"] = "other"
	case 3:
		metadata["resourceVersion"] = "1"
	case 4:
		delete(body, pick(a.Rand, "apiVersion", "kind"))
	case 5:
		body["unknown"] = a.word()
	case 6:
		metadata["uid"] = "00000000-0000-0000-0000-000000000000"
	case 7:
		delete(metadata, "name")
	case 8:
		if known {
			metadata["resourceVersion"] = fmt.Sprintf("{rv:%d}", shown)
		}
	case 9:
		body["status"] = object{"replicas": 1}
	}
	return request{method: "PATCH", path: path + query, contentType: applyPatch, body: text(body)}
}

// normalApply sorts conflicts by manager: a real server lists them in the order of a Go map.
func normalApply(_ request, whole map[string]any) {
	body, _ := whole["body"].(map[string]any)
	if body["reason"] != "Conflict" {
		return
	}
	details, _ := body["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	slices.SortStableFunc(causes, func(a, b any) int {
		a1, _ := a.(map[string]any)
		b1, _ := b.(map[string]any)
		return strings.Compare(fmt.Sprint(a1["message"]), fmt.Sprint(b1["message"]))
	})
}
