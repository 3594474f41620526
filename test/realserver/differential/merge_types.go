package main

import (
	"fmt"
	"math/rand/v2"
)

// What random objects and random strategic merge patches are made of: fields of the API's types, with how their lists merge and
// values that a real server mostly takes.

type shape int

const (
	scalar    shape = iota // one of values
	mapping                // of texts to texts: some of keys to one of values
	structure              // of fields
	elements               // a list of structures
	texts                  // a list of scalars
)

type member struct {
	name  string
	shape shape
	// Of lists: they merge, structures by the member key.
	merges bool
	key    string
	fields []member
	keys   []string
	values []any
	always bool // no object lacks it
	// What only one of them may be: the first are drawn by chance, and one of these.
	oneOf []member
	// Makes objects' value, where chance would make none that is allowed.
	make func(r *rand.Rand) any
}

func one(name string, values ...any) member {
	return member{name: name, values: values}
}

func must(m member) member {
	m.always = true
	return m
}

func part(name string, fields ...member) member {
	return member{name: name, shape: structure, fields: fields}
}

func dictionary(name string, keys []string, values ...any) member {
	return member{name: name, shape: mapping, keys: keys, values: values}
}

func list(name, key string, fields ...member) member {
	return member{name: name, shape: elements, merges: key != "", key: key, fields: fields}
}

func flat(name string, merges bool, values ...any) member {
	return member{name: name, shape: texts, merges: merges, values: values}
}

// ports are some of those that DNS has: two protocols at one number.
func ports(number string, extra ...any) func(r *rand.Rand) any {
	return func(r *rand.Rand) any {
		out := []any{}
		for _, port := range []struct {
			number         int
			protocol, name string
		}{{53, "UDP", "dns"}, {53, "TCP", "dns-tcp"}, {80, "TCP", "web"}, {81, "TCP", "more"}, {80, "UDP", "quic"}} {
			if r.IntN(5) < 2 {
				out = append(out, object{number: port.number, "protocol": port.protocol, "name": port.name})
			}
		}
		if len(out) == 0 {
			out = append(out, object{number: 53, "protocol": "UDP", "name": "dns"}, object{number: 53, "protocol": "TCP", "name": "dns-tcp"})
		}
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
}

var (
	portFields = []member{one("protocol", "TCP", "UDP"), one("name", "dns", "dns-tcp", "web", "p1", "p2", "p3")}

	environment = member{name: "env", shape: elements, merges: true, key: "name",
		fields: []member{must(one("name", "A", "B", "C", "D")), one("value", "1", "2", "3", ""),
			part("valueFrom", part("fieldRef", must(one("fieldPath", "metadata.name", "metadata.namespace"))))},
		make: func(r *rand.Rand) any {
			out := []any{}
			for range 1 + r.IntN(4) {
				out = append(out, object{"name": pick(r, "A", "A", "B", "C"), "value": pick(r, "1", "2")})
			}
			return out
		}}

	mounts = list("volumeMounts", "mountPath", must(one("mountPath", "/a", "/b", "/c")), must(one("name", "v1", "v2")), one("readOnly", true, false))

	containerFields = []member{
		must(one("image", "i:1", "i:2", "j")),
		one("imagePullPolicy", "Always", "Never"),
		{name: "ports", shape: elements, merges: true, key: "containerPort", make: ports("containerPort"),
			fields: append([]member{must(one("containerPort", 53, 80, 81, 82)), one("hostIP", "1.2.3.4")}, portFields...)},
		environment, mounts,
		flat("args", false, "x", "y", "z"), flat("command", false, "x", "y"),
		part("resources", dictionary("limits", []string{"cpu", "memory"}, "1", "2"), dictionary("requests", []string{"cpu", "memory"}, "1")),
		part("securityContext", one("runAsUser", 1, 2), one("privileged", true, false),
			part("capabilities", flat("add", false, "A", "B"), flat("drop", false, "C"))),
		list("envFrom", "", one("prefix", "p"), must(part("configMapRef", must(one("name", "m"))))),
		one("workingDir", "/w"),
	}

	// Not of containers that begin before the others.
	probe = part("readinessProbe", one("periodSeconds", 3, 4), one("initialDelaySeconds", 1),
		must(part("exec", must(member{name: "command", shape: texts, values: []any{"a", "b"}, make: func(*rand.Rand) any { return []any{"a"} }}))))

	volumes = member{name: "volumes", shape: elements, merges: true, key: "name", always: true,
		fields: []member{must(one("name", "v1", "v2", "v3"))},
		oneOf: []member{part("emptyDir", one("medium", "Memory")),
			part("configMap", must(one("name", "m", "n")), one("defaultMode", 256), list("items", "", must(one("key", "k")), must(one("path", "p")))),
			part("secret", must(one("secretName", "s", "t")), one("optional", true)), part("hostPath", must(one("path", "/h")))},
		make: func(r *rand.Rand) any {
			out := []any{}
			for _, name := range []string{"v1", "v2", "v3"} {
				out = append(out, pick(r, object{"name": name, "emptyDir": object{}}, object{"name": name, "configMap": object{"name": "m"}},
					object{"name": name, "secret": object{"secretName": "s", "items": []any{object{"key": "k", "path": "p"}}}}))
			}
			r.Shuffle(3, func(i, j int) { out[i], out[j] = out[j], out[i] })
			return out
		}}

	podFields = []member{
		must(list("containers", "name", append([]member{must(one("name", "a", "b", "c", "d")), probe}, containerFields...)...)),
		list("initContainers", "name", append([]member{must(one("name", "x", "y", "z"))}, containerFields...)...),
		volumes,
		list("hostAliases", "ip", must(one("ip", "1.2.3.4", "1.2.3.5", "1.2.3.6")), flat("hostnames", false, "f", "g", "h")),
		list("topologySpreadConstraints", "topologyKey", must(one("topologyKey", "zone", "host", "rack")), must(one("maxSkew", 1, 2)),
			must(one("whenUnsatisfiable", "DoNotSchedule", "ScheduleAnyway")), part("labelSelector", dictionary("matchLabels", []string{"k", "l"}, "m"))),
		list("tolerations", "", must(one("key", "k", "l")), must(one("operator", "Exists")), one("effect", "NoSchedule", "NoExecute")),
		list("imagePullSecrets", "name", must(one("name", "s1", "s2", "s3"))),
		list("readinessGates", "", must(one("conditionType", "a", "b"))),
		dictionary("nodeSelector", []string{"k", "l"}, "m", "n"),
		part("securityContext", one("runAsUser", 1, 2), flat("supplementalGroups", false, 1, 2, 3), one("fsGroup", 1, 2)),
		part("dnsConfig", flat("nameservers", false, "1.1.1.1", "2.2.2.2"), flat("searches", false, "a.b", "c.d"), list("options", "", must(one("name", "o")), one("value", "1"))),
		one("hostname", "h"), one("priority", 0), one("terminationGracePeriodSeconds", 5, 6), one("hostNetwork", false), one("serviceAccountName", "s"),
		part("affinity", part("nodeAffinity", list("preferredDuringSchedulingIgnoredDuringExecution", "", must(one("weight", 1, 2)),
			must(part("preference", must(list("matchExpressions", "", must(one("key", "k")), must(one("operator", "Exists"))))))))),
	}

	owners = list("ownerReferences", "uid", must(one("uid", uid(1), uid(2), uid(3))), must(one("apiVersion", "v1")), must(one("kind", "ConfigMap", "Secret")),
		must(one("name", "o", "p")), one("controller", false), one("blockOwnerDeletion", true))
	metadataFields = []member{dictionary("labels", []string{"app", "l", "m"}, "x", "y"), dictionary("annotations", []string{"a", "b"}, "c", "d"),
		flat("finalizers", true, "example.com/a", "example.com/b", "example.com/c", "example.com/d"), owners}
	conditions = list("conditions", "type", must(one("type", "Available", "Progressing", "Other")), must(one("status", "True", "False")),
		must(one("reason", "R", "S")), one("message", "m", "n"), must(one("lastTransitionTime", "2026-01-02T03:04:05Z")))
	// Labels that the selector wants stay.
	template = part("template", part("metadata", dictionary("annotations", []string{"a", "b"}, "c")), must(part("spec", podFields...)))
)

func uid(n int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012d", n) }

// A mergedKind is a kind of object that is patched.
type mergedKind struct {
	collection string
	fields     []member // of metadata apart
	status     []member
	// Completes an object that was made of fields.
	fix func(made object)
	// What of its spec may change when it is there.
	changeable []member
}

var mergedKinds = []mergedKind{
	{collection: "/api/v1/namespaces/{ns}/services", fields: []member{must(part("spec",
		member{name: "ports", shape: elements, merges: true, key: "port", always: true, make: ports("port"),
			fields: append([]member{must(one("port", 53, 80, 81, 82)), one("targetPort", 8080, "t", 53), one("appProtocol", "http")}, portFields...)},
		dictionary("selector", []string{"app", "l"}, "x", "y"), flat("externalIPs", false, "1.2.3.4", "1.2.3.5", "1.2.3.6"),
		one("sessionAffinity", "ClientIP", "None"), part("sessionAffinityConfig", part("clientIP", one("timeoutSeconds", 5, 6))),
		one("publishNotReadyAddresses", true, false), one("internalTrafficPolicy", "Local", "Cluster")))},
		status: []member{conditions, part("loadBalancer", list("ingress", "", must(one("ip", "1.2.3.4", "1.2.3.5")), one("ipMode", "VIP"),
			list("ports", "", must(one("port", 1, 2)), must(one("protocol", "TCP")))))},
		fix: func(made object) { // goes with the affinity alone
			delete(made["spec"].(object), "sessionAffinityConfig")
		}},
	{collection: "/apis/apps/v1/namespaces/{ns}/deployments", fields: []member{must(part("spec", must(template), one("replicas", 1, 2), one("paused", true, false),
		one("minReadySeconds", 1, 2), part("strategy", one("type", "Recreate", "RollingUpdate"), part("rollingUpdate", one("maxSurge", 1, "50%"), one("maxUnavailable", 1)))))},
		status: []member{conditions, one("observedGeneration", 1), one("replicas", 2), one("updatedReplicas", 1, 2)},
		fix: func(made object) {
			spec := made["spec"].(object)
			delete(spec, "strategy")
			spec["selector"] = object{"matchLabels": object{"app": "x"}}
			spec["template"].(object)["metadata"] = object{"labels": object{"app": "x"}}
		}},
	{collection: "/api/v1/namespaces/{ns}/podtemplates", fields: []member{must(template)},
		fix: func(made object) {}},
	{collection: "/api/v1/namespaces/{ns}/pods", fields: []member{must(part("spec", podFields...))},
		status: []member{conditions, list("podIPs", "ip", must(one("ip", "1.2.3.4", "1.2.3.5"))), one("phase", "Running", "Pending"), one("message", "m"),
			list("containerStatuses", "", must(one("name", "a", "b")), must(one("image", "i")), must(one("imageID", "d")), must(one("ready", true, false)), must(one("restartCount", 0, 1))),
			list("resourceClaimStatuses", "name", must(one("name", "r", "s")), one("resourceClaimName", "c"))},
		changeable: []member{
			list("containers", "name", must(one("name", "a", "b", "c")), one("image", "i:1", "i:2", "j")),
			list("initContainers", "name", must(one("name", "x", "y")), one("image", "i:1", "i:2", "j")),
			one("activeDeadlineSeconds", 50, 40), one("terminationGracePeriodSeconds", 5)},
		fix: func(made object) {}},
	{collection: "/api/v1/namespaces/{ns}/serviceaccounts", fields: []member{
		list("secrets", "name", must(one("name", "s", "t", "u")), one("kind", "Secret"), one("namespace", "o")),
		list("imagePullSecrets", "", must(one("name", "s", "t", "u"))), one("automountServiceAccountToken", true, false)},
		fix: func(made object) {}},
}
