package main

import (
	"math/rand/v2"
	"strings"
)

type object = map[string]any

// resource is what sequences are about: where it is, and how objects of it look.
type resource struct {
	name   string
	prefix string
	status bool // has that subresource
	scale  bool
	// Not in a namespace: the names have the sequence's namespace before them, and lists are of one name.
	cluster bool
	body    func(r *rand.Rand) object
	// patches are merge patches that change something.
	patches []string
	// selectors of fields, some of them wrong.
	fields []string
	// statuses are what its status may be.
	statuses []string
	// actions are requests to the subresources that only this resource has; their paths begin behind the collection's.
	actions []func(r *rand.Rand, name string) request
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
		statuses: []string{`{"phase":"Running"}`, `{"phase":"Succeeded","message":"m"}`, `{"podIP":"10.1.1.1"}`},
		actions:  []func(*rand.Rand, string) request{bindPod, evictPod, debugPod, resizePod}},
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
	{name: "deployments", prefix: "/apis/apps/v1", status: true, scale: true, body: func(r *rand.Rand) object {
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
	{name: "replicationcontrollers", prefix: "/api/v1", status: true, scale: true, body: func(r *rand.Rand) object {
		return object{"spec": object{"replicas": pick(r, 0, 1, 2), "template": podTemplate(r)}}
	}, patches: []string{`{"spec":{"replicas":5}}`, `{"spec":{"minReadySeconds":3}}`}, fields: []string{"status.replicas=0", "metadata.name=a"},
		statuses: []string{`{"replicas":1,"observedGeneration":1}`}},
	{name: "replicasets", prefix: "/apis/apps/v1", status: true, scale: true, body: func(r *rand.Rand) object {
		return object{"spec": object{"selector": object{"matchLabels": object{"app": "x"}}, "template": podTemplate(r)}}
	}, patches: []string{`{"spec":{"replicas":5}}`, `{"spec":{"selector":{"matchLabels":{"app":"y"}}}}`}, fields: []string{"status.replicas=0", "foo=1"},
		statuses: []string{`{"replicas":1,"readyReplicas":1}`, `{"replicas":1,"readyReplicas":2}`}},
	{name: "statefulsets", prefix: "/apis/apps/v1", status: true, scale: true, body: func(r *rand.Rand) object {
		spec := object{"selector": object{"matchLabels": object{"app": "x"}}, "template": podTemplate(r), "serviceName": "s"}
		if r.IntN(3) == 0 {
			spec["updateStrategy"] = pick(r, object{"type": "OnDelete"}, object{"type": "RollingUpdate", "rollingUpdate": object{"partition": 1}})
		}
		return object{"spec": spec}
	}, patches: []string{`{"spec":{"replicas":5}}`, `{"spec":{"serviceName":"t"}}`, `{"spec":{"template":{"metadata":{"annotations":{"c":"d"}}}}}`},
		fields: []string{"metadata.name=a"}, statuses: []string{`{"replicas":1,"currentRevision":"a-1"}`, `{"readyReplicas":1}`}},
	{name: "daemonsets", prefix: "/apis/apps/v1", status: true, body: func(r *rand.Rand) object {
		return object{"spec": object{"selector": object{"matchLabels": object{"app": "x"}}, "template": podTemplate(r)}}
	}, patches: []string{`{"spec":{"minReadySeconds":3}}`, `{"spec":{"template":{"metadata":{"annotations":{"c":"d"}}}}}`}, fields: []string{"metadata.name!=a"},
		statuses: []string{`{"currentNumberScheduled":1,"numberMisscheduled":0,"desiredNumberScheduled":1,"numberReady":1}`, `{"numberReady":1}`}},
	{name: "jobs", prefix: "/apis/batch/v1", status: true, body: func(r *rand.Rand) object {
		spec := podSpec(r)
		spec["restartPolicy"] = "Never"
		out := object{"template": object{"spec": spec}}
		if r.IntN(2) == 0 {
			out["parallelism"] = pick(r, 0, 2)
		}
		if r.IntN(4) == 0 {
			out["suspend"] = true
		}
		return object{"spec": out}
	}, patches: []string{`{"spec":{"parallelism":5}}`, `{"spec":{"suspend":true}}`, `{"spec":{"completions":7}}`}, fields: []string{"status.successful=0", "metadata.name=a"},
		statuses: []string{`{"active":1}`, `{"active":1,"ready":1}`}},
	{name: "cronjobs", prefix: "/apis/batch/v1", status: true, body: func(r *rand.Rand) object {
		spec := podSpec(r)
		spec["restartPolicy"] = "OnFailure"
		return object{"spec": object{"schedule": pick(r, "* * * * *", "@daily", "5 4 * * sun", "no schedule"),
			"jobTemplate": object{"spec": object{"template": object{"spec": spec}}}}}
	}, patches: []string{`{"spec":{"suspend":true}}`, `{"spec":{"schedule":"1 * * * *"}}`}, fields: []string{"metadata.name=a"},
		statuses: []string{`{"lastScheduleTime":"2026-01-02T03:04:05Z"}`}},
	{name: "persistentvolumeclaims", prefix: "/api/v1", status: true, body: func(r *rand.Rand) object {
		return object{"spec": object{"accessModes": []any{pick(r, "ReadWriteOnce", "ReadWriteMany")}, "storageClassName": "",
			"resources": object{"requests": object{"storage": pick(r, "1Gi", "1024Mi")}}}}
	}, patches: []string{`{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`, `{"spec":{"volumeName":"v"}}`}, fields: []string{"metadata.name=a"},
		statuses: []string{`{"phase":"Lost"}`, `{"phase":"Bound","capacity":{"storage":"1Gi"}}`}},
	{name: "poddisruptionbudgets", prefix: "/apis/policy/v1", status: true, body: func(r *rand.Rand) object {
		return object{"spec": pick(r, object{"minAvailable": 1, "selector": object{"matchLabels": object{"app": "x"}}},
			object{"maxUnavailable": "50%", "selector": object{}}, object{"minAvailable": 1, "maxUnavailable": 1})}
	}, patches: []string{`{"spec":{"minAvailable":2}}`, `{"spec":{"maxUnavailable":null,"minAvailable":"10%"}}`}, fields: []string{"metadata.name=a"},
		statuses: []string{`{"disruptionsAllowed":1,"currentHealthy":1,"desiredHealthy":0,"expectedPods":1,"observedGeneration":1}`, `{"disruptionsAllowed":0}`}},
	{name: "ingresses", prefix: "/apis/networking.k8s.io/v1", status: true, body: func(r *rand.Rand) object {
		return object{"spec": pick(r, object{"defaultBackend": object{"service": object{"name": "s", "port": object{"number": 80}}}},
			object{"rules": []any{object{"host": "a.example.com", "http": object{"paths": []any{object{"path": "/", "pathType": "Prefix",
				"backend": object{"service": object{"name": "s", "port": object{"name": "web"}}}}}}}}}, object{})}
	}, patches: []string{`{"spec":{"ingressClassName":"c"}}`, `{"spec":{"rules":null}}`}, fields: []string{"metadata.name=a"},
		statuses: []string{`{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}`}},
	{name: "horizontalpodautoscalers", prefix: "/apis/autoscaling/v2", status: true, body: func(r *rand.Rand) object {
		return object{"spec": object{"maxReplicas": pick(r, 3, 4), "scaleTargetRef": object{"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}}}
	}, patches: []string{`{"spec":{"maxReplicas":7}}`, `{"spec":{"minReplicas":9}}`}, fields: []string{"metadata.name=a"},
		statuses: []string{`{"currentReplicas":1,"desiredReplicas":2}`}},
	{name: "serviceaccounts", prefix: "/api/v1", body: func(r *rand.Rand) object {
		return pick(r, object{}, object{"automountServiceAccountToken": false}, object{"imagePullSecrets": []any{object{"name": "s"}}})
	}, patches: []string{`{"automountServiceAccountToken":true}`, `{"secrets":[{"name":"s"}]}`}, fields: []string{"metadata.name=a"}},
	{name: "namespaces", prefix: "/api/v1", cluster: true, status: true, body: func(r *rand.Rand) object {
		return object{} // finalizers in its spec change nothing but who owns them
	}, patches: []string{`{"metadata":{"annotations":{"a":"b"}}}`, `{"metadata":{"labels":{"l":"m"}}}`},
		statuses: []string{`{"phase":"Active"}`, `{"phase":"Terminating"}`, `{"conditions":[{"type":"NamespaceContentRemaining","status":"True"}]}`},
		actions:  []func(*rand.Rand, string) request{finalizeNamespace, writeIntoNamespace}},
}

func podTemplate(r *rand.Rand) object {
	return object{"metadata": object{"labels": object{"app": "x"}}, "spec": podSpec(r)}
}

// What only pods and namespaces have.

func bindPod(r *rand.Rand, name string) request {
	return request{method: "POST", path: "/" + name + "/binding", contentType: jsonType,
		body: text(object{"metadata": object{"name": pick(r, name, name, "other")}, "target": object{"kind": "Node", "name": pick(r, "n1", "")}})}
}

func evictPod(r *rand.Rand, name string) request {
	return request{method: "POST", path: "/" + name + "/eviction", contentType: jsonType,
		body: text(object{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": object{"name": name}})}
}

func debugPod(r *rand.Rand, name string) request {
	container := pick(r, object{"name": "d", "image": "i"}, object{"name": "e", "image": "i", "targetContainerName": "c"},
		object{"name": "c", "image": "i"}, object{"name": "d", "image": "j"}, object{"name": "f", "image": "i", "ports": []any{object{"containerPort": 1}}})
	return request{method: "PATCH", path: "/" + name + "/ephemeralcontainers", contentType: pick(r, mergePatch, strategicPatch),
		body: text(object{"spec": object{"ephemeralContainers": []any{container}}})}
}

func resizePod(r *rand.Rand, name string) request {
	resources := pick(r, object{"requests": object{"cpu": "700m"}}, object{"limits": object{"cpu": "3", "memory": "2Gi"}}, object{"requests": object{"memory": "0.5Gi"}})
	return request{method: "PATCH", path: "/" + name + "/resize", contentType: strategicPatch,
		body: text(object{"spec": object{"containers": []any{object{"name": "c", "resources": resources}}}})}
}

func finalizeNamespace(r *rand.Rand, name string) request {
	return request{method: "PUT", path: "/" + name + "/finalize", contentType: jsonType,
		body: text(object{"metadata": object{"name": name}, "spec": pick(r, object{}, object{"finalizers": []any{"kubernetes"}}, object{"finalizers": []any{"example.com/p"}})})}
}

func writeIntoNamespace(r *rand.Rand, name string) request {
	return request{method: "POST", path: "/" + name + "/configmaps", contentType: jsonType, body: text(object{"metadata": object{"name": pick(r, "m", "n")}})}
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
