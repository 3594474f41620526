package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// accountant makes a sequence about what a namespace may have.
type accountant struct {
	*rand.Rand
	out []request
}

func generateQuotas(r *rand.Rand, length int, _ string) []request {
	a := &accountant{Rand: r}
	a.create("q1")
	for len(a.out) < length {
		a.step()
	}
	for _, name := range []string{"q1", "q2"} {
		a.add(request{method: "GET", path: quotasPath + "/" + name})
	}
	return a.out
}

const quotasPath = "/api/v1/namespaces/{ns}/resourcequotas"

func (a *accountant) add(r request) int {
	r.id = len(a.out)
	a.out = append(a.out, r)
	return r.id
}

func (a *accountant) limits() object {
	out := object{}
	all := []string{"configmaps", "count/configmaps", "count/secrets", "secrets", "services", "services.nodeports", "services.loadbalancers", "pods", "count/pods",
		"requests.cpu", "cpu", "limits.cpu", "requests.memory", "memory", "limits.memory", "persistentvolumeclaims", "requests.storage",
		"fast.storageclass.storage.k8s.io/requests.storage", "count/deployments.apps", "count/widgets.example.com", "requests.example.com/gpu", "replicationcontrollers"}
	for range 1 + a.IntN(5) {
		name := pick(a.Rand, all...)
		switch {
		case strings.Contains(name, "cpu"):
			out[name] = pick[any](a.Rand, "1", "1500m", 2)
		case strings.Contains(name, "memory"), strings.Contains(name, "storage") && strings.Contains(name, "requests"):
			out[name] = pick[any](a.Rand, "1Gi", "2048Mi", "1500M")
		default:
			out[name] = pick[any](a.Rand, "0", 1, "2", 3)
		}
	}
	return out
}

// create makes a quota, and does what a controller would: it sets its status.
func (a *accountant) create(name string) {
	hard := a.limits()
	spec := object{"hard": hard}
	switch a.IntN(10) {
	case 0:
		spec["scopes"] = pick(a.Rand, []any{"BestEffort"}, []any{"NotBestEffort"}, []any{"Terminating"}, []any{"NotTerminating"}, []any{"Nowhere"}, []any{"BestEffort", "NotBestEffort"})
	case 1:
		spec["scopeSelector"] = object{"matchExpressions": []any{object{"scopeName": "PriorityClass", "operator": pick(a.Rand, "In", "Exists"), "values": []any{"system-node-critical"}}}}
	}
	a.add(request{method: "POST", path: quotasPath, contentType: jsonType, body: text(object{"metadata": object{"name": name}, "spec": spec})})
	a.status(name, hard)
}

func (a *accountant) status(name string, hard object) {
	used := object{}
	for resource := range hard {
		used[resource] = "0"
	}
	a.add(request{method: "PATCH", path: quotasPath + "/" + name + "/status", contentType: mergePatch, body: text(object{"status": object{"hard": hard, "used": used}})})
}

func (a *accountant) pod() object {
	container := object{"name": "c", "image": "i"}
	switch a.IntN(5) {
	case 0:
	case 1:
		container["resources"] = object{"requests": object{"cpu": pick(a.Rand, "200m", "0.5", "1")}}
	default:
		requests, limits := object{}, object{}
		for _, of := range []object{requests, limits} {
			if a.IntN(4) > 0 {
				of["cpu"] = pick(a.Rand, "300m", "0.5")
			}
			if a.IntN(4) > 0 {
				of["memory"] = pick(a.Rand, "300Mi", "0.5Gi", "400M")
			}
		}
		if a.IntN(6) == 0 {
			requests["example.com/gpu"], limits["example.com/gpu"] = "1", "1"
		}
		container["resources"] = object{"requests": requests, "limits": limits}
	}
	spec := object{"containers": []any{container}}
	if a.IntN(4) == 0 {
		spec["initContainers"] = []any{object{"name": "i", "image": "i", "resources": object{"requests": object{"cpu": "700m", "memory": "100Mi"}, "limits": object{"cpu": "700m", "memory": "100Mi"}}}}
	}
	switch a.IntN(8) {
	case 0:
		spec["activeDeadlineSeconds"] = 60
	case 1:
		spec["priorityClassName"] = "system-node-critical"
	case 2:
		spec["overhead"] = object{"cpu": "1"}
	}
	return object{"spec": spec}
}

func (a *accountant) step() {
	name := pick(a.Rand, "a", "b", "c")
	switch n := a.IntN(100); {
	case n < 5:
		a.create(pick(a.Rand, "q1", "q2"))
	case n < 9:
		quota := pick(a.Rand, "q1", "q2")
		hard := a.limits()
		a.add(request{method: "PATCH", path: quotasPath + "/" + quota, contentType: mergePatch, body: text(object{"spec": object{"hard": hard}})})
		a.status(quota, hard)
	case n < 11:
		a.add(request{method: "DELETE", path: quotasPath + "/" + pick(a.Rand, "q1", "q2")})
	case n < 20:
		a.add(request{method: "GET", path: pick(a.Rand, quotasPath, quotasPath+"/q1", quotasPath+"/q2")})
	case n < 78:
		a.make(name)
	case n < 86:
		a.change(name)
	default:
		a.add(request{method: "DELETE", path: "/api/v1/namespaces/{ns}/" + pick(a.Rand, "pods", "configmaps", "secrets", "services") + "/" + name})
	}
}

// make is a create, which is tried without effect until both servers know the quotas.
func (a *accountant) make(name string) {
	path := "/api/v1/namespaces/{ns}/"
	body := object{}
	switch a.IntN(9) {
	case 0:
		path += "configmaps"
	case 1:
		path += "secrets"
	case 2, 3, 4:
		path += "pods"
		body = a.pod()
	case 5, 6:
		path += "services"
		body = object{"spec": object{"type": pick(a.Rand, "ClusterIP", "NodePort", "LoadBalancer"), "ports": pick(a.Rand, []any{object{"port": 80}}, []any{object{"name": "a", "port": 80}, object{"name": "b", "port": 81}})}}
		if body["spec"].(object)["type"] == "LoadBalancer" && a.IntN(2) == 0 {
			body["spec"].(object)["allocateLoadBalancerNodePorts"] = false
		}
	case 7:
		path += "persistentvolumeclaims"
		body = object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "storageClassName": pick(a.Rand, "", "fast"), "resources": object{"requests": object{"storage": pick(a.Rand, "500Mi", "1Gi")}}}}
	case 8:
		path = pick(a.Rand, "/apis/apps/v1/namespaces/{ns}/deployments", "/apis/example.com/v1/namespaces/{ns}/widgets")
		if strings.Contains(path, "widgets") {
			body = object{"apiVersion": "example.com/v1", "kind": "Widget"}
		} else {
			body["spec"] = object{"selector": object{"matchLabels": object{"app": "x"}}, "template": object{"metadata": object{"labels": object{"app": "x"}}, "spec": a.pod()["spec"]}}
		}
	}
	body["metadata"] = object{"name": name}
	a.add(request{method: "POST", path: path + "?dryRun=All", contentType: jsonType, body: text(body), settles: true})
	a.add(request{method: "POST", path: path, contentType: jsonType, body: text(body)})
}

// change is an update that may need more than there was.
func (a *accountant) change(name string) {
	path, patch := "/api/v1/namespaces/{ns}/services/"+name, fmt.Sprintf(`{"spec":{"type":"%s"}}`, pick(a.Rand, "ClusterIP", "NodePort", "LoadBalancer"))
	if a.IntN(2) == 0 {
		path, patch = "/api/v1/namespaces/{ns}/pods/"+name, pick(a.Rand, `{"metadata":{"labels":{"l":"m"}}}`, `{"spec":{"activeDeadlineSeconds":30}}`)
	}
	a.add(request{method: "PATCH", path: path + "?dryRun=All", contentType: mergePatch, body: patch, settles: true})
	a.add(request{method: "PATCH", path: path, contentType: mergePatch, body: patch})
}
