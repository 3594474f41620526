package main

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// petitioner makes a sequence about what users may do: roles and bindings that come and go, and users who try.
type petitioner struct {
	*rand.Rand
	out []request
}

const rbacGroup = "rbac.authorization.k8s.io"

func generateRights(r *rand.Rand, length int, _ string) []request {
	p := &petitioner{Rand: r}
	for _, name := range []string{"r1", "r2"} { // so that users have rights from the start, mostly
		p.add(request{method: "POST", path: p.collection("roles", true), contentType: jsonType, body: text(p.role(name, true))})
		p.add(request{method: "POST", path: p.collection("rolebindings", true), contentType: jsonType, body: text(p.binding(name, true))})
	}
	for len(p.out) < length {
		p.step()
	}
	for _, kind := range []string{"clusterroles", "clusterrolebindings"} {
		for _, name := range []string{"r1", "r2", "r3"} {
			p.add(request{method: "DELETE", path: p.collection(kind, false) + "/{ns}-" + name, cleans: true})
		}
	}
	return p.out
}

func (p *petitioner) add(r request) {
	r.id = len(p.out)
	p.out = append(p.out, r)
}

func (p *petitioner) collection(kind string, namespaced bool) string {
	path := "/apis/" + rbacGroup + "/v1/"
	if namespaced {
		path += "namespaces/{ns}/"
	}
	return path + kind
}

func (p *petitioner) few(from ...string) []any {
	out := []any{}
	for _, one := range from {
		if p.IntN(len(from)) < 2 {
			out = append(out, one)
		}
	}
	if len(out) == 0 {
		out = append(out, pick(p.Rand, from...))
	}
	return out
}

var rightVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*", "bind", "escalate"}

func (p *petitioner) rule(namespaced bool) object {
	if !namespaced && p.IntN(6) == 0 {
		return object{"nonResourceURLs": p.few("/metrics", "/healthz", "/logs/*", "*"), "verbs": p.few("get", "post", "*")}
	}
	out := object{"apiGroups": p.few("", "", "apps", "*", rbacGroup),
		"resources": p.few("configmaps", "configmaps", "secrets", "deployments", "deployments/scale", "*/scale", "pods/log", "*", "roles", "rolebindings", "serviceaccounts/token"),
		"verbs":     p.few(rightVerbs...)}
	if p.IntN(5) == 0 {
		out["resourceNames"] = p.few("a", "b")
	}
	switch p.IntN(60) {
	case 0:
		delete(out, pick(p.Rand, "apiGroups", "resources", "verbs"))
	case 1:
		out["nonResourceURLs"] = []any{"/x"}
	}
	return out
}

func (p *petitioner) named(kind, name string, namespaced bool) object {
	if !namespaced {
		name = "{ns}-" + name
	}
	return object{"apiVersion": rbacGroup + "/v1", "kind": kind, "metadata": object{"name": name}}
}

func (p *petitioner) role(name string, namespaced bool) object {
	kind := "ClusterRole"
	if namespaced {
		kind = "Role"
	}
	out := p.named(kind, name, namespaced)
	rules := []any{}
	for range 1 + p.IntN(3) {
		rules = append(rules, p.rule(namespaced))
	}
	out["rules"] = rules
	return out
}

func (p *petitioner) binding(name string, namespaced bool) object {
	kind := "ClusterRoleBinding"
	if namespaced {
		kind = "RoleBinding"
	}
	out := p.named(kind, name, namespaced)
	out["roleRef"] = object{"apiGroup": rbacGroup, "kind": "ClusterRole", "name": pick(p.Rand, "{ns}-r1", "{ns}-r2", "{ns}-r3", "system:discovery")}
	if namespaced && p.IntN(3) > 0 {
		out["roleRef"] = object{"apiGroup": rbacGroup, "kind": "Role", "name": pick(p.Rand, "r1", "r2", "r3")}
	}
	subjects := []any{}
	for range 1 + p.IntN(2) {
		subject := pick(p.Rand, object{"kind": "User", "name": "{ns}:u1"}, object{"kind": "User", "name": "{ns}:u2"}, object{"kind": "Group", "name": "{ns}:g"},
			object{"kind": "ServiceAccount", "name": "s", "namespace": "{ns}"}, object{"kind": "Group", "name": "system:serviceaccounts:{ns}"})
		if subject["kind"] != "ServiceAccount" {
			subject["apiGroup"] = rbacGroup
		}
		switch p.IntN(50) {
		case 0:
			delete(subject, pick(p.Rand, "kind", "name", "apiGroup", "namespace"))
		case 1:
			subject["kind"] = "Robot"
		}
		subjects = append(subjects, subject)
	}
	out["subjects"] = subjects
	return out
}

// user is whom a request is from.
func (p *petitioner) user(r request) request {
	r.user = pick(p.Rand, "{ns}:u1", "{ns}:u1", "{ns}:u2", "system:serviceaccount:{ns}:s")
	if strings.HasSuffix(r.user, "u2") || p.IntN(4) == 0 {
		r.groups = []string{"{ns}:g"}
	}
	if strings.HasPrefix(r.user, "system:") {
		r.groups = nil
	}
	return r
}

// permitted adds a request of a user. What he may do is asked for without effect first, until both servers know what was written.
func (p *petitioner) permitted(r request) {
	if r.method == "GET" {
		r.settles = true
		p.add(r)
		return
	}
	dry := r
	dry.settles = true
	dry.path += "?dryRun=All"
	p.add(dry)
	p.add(r)
}

func (p *petitioner) step() {
	name := pick(p.Rand, "r1", "r2", "r3")
	namespaced := p.IntN(3) > 0
	kinds := []string{"clusterroles", "clusterrolebindings"}
	if namespaced {
		kinds = []string{"roles", "rolebindings"}
	}
	kind := pick(p.Rand, kinds...)
	make := func() object {
		if strings.HasSuffix(kind, "bindings") {
			return p.binding(name, namespaced)
		}
		return p.role(name, namespaced)
	}
	full := name
	if !namespaced {
		full = "{ns}-" + name
	}
	path := p.collection(kind, namespaced)
	switch n := p.IntN(100); {
	case n < 14:
		p.add(request{method: "POST", path: path, contentType: jsonType, body: text(make())})
	case n < 19:
		p.add(request{method: "PUT", path: path + "/" + full, contentType: jsonType, body: text(make())})
	case n < 23:
		p.add(request{method: "DELETE", path: path + "/" + full})
	case n < 26:
		p.add(request{method: "GET", path: path + "/" + full})
	case n < 36: // a user who gives rights away
		r := p.user(request{method: "POST", path: path, contentType: jsonType, body: text(make())})
		if p.IntN(3) == 0 {
			r.method, r.path = "PUT", path+"/"+full
		}
		p.permitted(r)
	case n < 50:
		p.review()
	default:
		p.attempt()
	}
}

func (p *petitioner) attempt() {
	name := pick(p.Rand, "a", "b")
	path := pick(p.Rand, "/api/v1/namespaces/{ns}/configmaps", "/api/v1/namespaces/{ns}/configmaps", "/api/v1/namespaces/{ns}/secrets", "/apis/apps/v1/namespaces/{ns}/deployments")
	metadata := object{"name": name}
	r := request{contentType: jsonType}
	switch p.IntN(11) {
	case 0, 1:
		r.method, r.path = "GET", path+"/"+name
	case 2:
		r.method, r.path = "GET", path
	case 3, 4:
		body := object{"metadata": metadata}
		if strings.HasSuffix(path, "deployments") {
			body["spec"] = object{"selector": object{"matchLabels": object{"app": "x"}}, "template": object{"metadata": object{"labels": object{"app": "x"}},
				"spec": object{"containers": []any{object{"name": "c", "image": "i"}}}}}
		}
		r.method, r.path, r.body = "POST", path, text(body)
	case 5:
		r.method, r.path, r.contentType, r.body = "PATCH", path+"/"+name, mergePatch, `{"metadata":{"labels":{"l":"`+pick(p.Rand, "m", "n")+`"}}}`
	case 6:
		r.method, r.path = "DELETE", path+"/"+name
	case 7:
		r.method, r.path = "GET", "/apis/apps/v1/namespaces/{ns}/deployments/"+name+"/scale"
	case 8:
		r.method, r.path, r.contentType = "PATCH", "/apis/apps/v1/namespaces/{ns}/deployments/"+name+"/scale", mergePatch
		r.body = `{"spec":{"replicas":` + pick(p.Rand, "1", "2") + `}}`
	case 9:
		r.method, r.path = "GET", pick(p.Rand, "/logs/x", "/healthz", "/apis", "/version", "/nowhere", "/api/v1/namespaces/default/configmaps", "/api/v1/configmaps", "/api/v1/nodes")
	case 10: // an apply creates, or changes
		body := object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": object{"x": "y"}}
		r.method, r.path, r.contentType, r.body = "PATCH", "/api/v1/namespaces/{ns}/configmaps/"+name+"?fieldManager=m&force=true", applyPatch, text(body)
		r = p.user(r)
		dry := r
		dry.settles = true
		dry.path += "&dryRun=All"
		p.add(dry)
		p.add(r)
		return
	}
	p.permitted(p.user(r))
}

// review asks who may do what.
func (p *petitioner) review() {
	attributes := object{"verb": pick(p.Rand, rightVerbs...), "group": pick(p.Rand, "", "", "apps", "*", rbacGroup),
		"resource": pick(p.Rand, "configmaps", "secrets", "deployments", "*", "pods")}
	switch p.IntN(4) {
	case 0:
		attributes["namespace"] = "default"
	case 1:
	default:
		attributes["namespace"] = "{ns}"
	}
	if p.IntN(4) == 0 {
		attributes["subresource"] = pick(p.Rand, "scale", "log", "*")
	}
	if p.IntN(3) == 0 {
		attributes["name"] = pick(p.Rand, "a", "b")
	}
	spec := object{"resourceAttributes": attributes}
	if p.IntN(6) == 0 {
		spec = object{"nonResourceAttributes": object{"path": pick(p.Rand, "/metrics", "/logs/x", "/api"), "verb": pick(p.Rand, "get", "post")}}
	}
	if p.IntN(30) == 0 {
		spec["nonResourceAttributes"] = object{"path": "/x", "verb": "get"}
	}
	const group = "/apis/authorization.k8s.io/v1/"
	r := request{method: "POST", contentType: jsonType, settles: true}
	switch p.IntN(4) {
	case 0:
		who := p.user(request{})
		spec["user"] = who.user
		if who.groups != nil {
			spec["groups"] = []any{who.groups[0]}
		}
		r.path, r.body = group+"subjectaccessreviews", text(object{"spec": spec})
		if p.IntN(3) == 0 {
			r.path = group + "namespaces/{ns}/localsubjectaccessreviews"
			r.body = text(object{"metadata": object{"namespace": "{ns}"}, "spec": spec})
		}
	case 1:
		r.path, r.body = group+"selfsubjectrulesreviews", text(object{"spec": object{"namespace": "{ns}"}})
		r = p.user(r)
	default:
		r.path, r.body = group+"selfsubjectaccessreviews", text(object{"spec": spec})
		r = p.user(r)
	}
	p.add(r)
}

// normalRights is an answer without what says what was written last.
func normalRights(r request, whole map[string]any) {
	body, is := whole["body"].(map[string]any)
	if r.cleans || !is && whole["code"] == json.Number("200") || strings.HasSuffix(r.path, "/apis") || strings.HasSuffix(r.path, "/version") {
		delete(whole, "body")
		return
	}
	if status, is := body["status"].(map[string]any); is && body["kind"] == "SelfSubjectRulesReview" {
		sortRules(status)
	}
	// Other sequences have objects there, too.
	everywhere := strings.HasSuffix(r.path, "/nodes") || strings.HasSuffix(r.path, "/v1/configmaps") || strings.HasSuffix(r.path, "/default/configmaps")
	if r.user != "" && body["metadata"] != nil && everywhere && whole["code"] == json.Number("200") {
		delete(whole, "body")
	}
}

var missingPattern = regexp.MustCompile(`(RBAC|resolution errors): \[([^\]]*)\]`)

// sortMissing sorts what a refusal says of roles that do not exist: bindings have no order in a real server's cache.
func sortMissing(text string) string {
	return missingPattern.ReplaceAllStringFunc(text, func(found string) string {
		match := missingPattern.FindStringSubmatch(found)
		parts := strings.Split(match[2], ", ")
		slices.Sort(parts)
		return match[1] + ": [" + strings.Join(parts, ", ") + "]"
	})
}

// sortRules sorts the rules that a user has, which come in the order of a real server's cache.
func sortRules(status map[string]any) {
	for _, name := range []string{"resourceRules", "nonResourceRules"} {
		rules, _ := status[name].([]any)
		slices.SortFunc(rules, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	}
	if message, is := status["evaluationError"].(string); is {
		status["evaluationError"] = sortMissing("RBAC: [" + strings.Trim(message, "[]") + "]")
	}
}
