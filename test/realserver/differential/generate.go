package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
)

// generator makes one sequence.
type generator struct {
	*rand.Rand
	out   []request
	ids   map[string][]int // by resource and name: the requests that may have given the object
	lists map[string][]int
}

const (
	jsonType       = "application/json"
	mergePatch     = "application/merge-patch+json"
	jsonPatch      = "application/json-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
)

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
	if res.cluster {
		return res.prefix + "/" + res.name
	}
	return res.prefix + "/namespaces/{ns}/" + res.name
}

// encoded is a query's text in which placeholders can be found.
func encoded(query url.Values) string { return strings.ReplaceAll(query.Encode(), "%7Bns%7D", "{ns}") }

// name is one of the three that a sequence uses of a resource.
func (g *generator) name(res resource) string {
	name := pick(g.Rand, "a", "b", "c")
	if res.cluster {
		return "{ns}-" + name
	}
	return name
}

func (g *generator) step(res resource) {
	name := g.name(res)
	path := g.collection(res) + "/" + name
	key := res.name + "/" + name
	remember := func(r request) { g.ids[key] = append(g.ids[key], g.add(r)) }
	switch n := g.IntN(100); {
	case n < 28 || len(g.ids[key]) == 0:
		remember(g.create(res, name))
	case n < 34:
		remember(request{method: "GET", path: path + g.subresource(res)})
	case n < 46:
		remember(g.update(res, name, path, key))
	case n < 55:
		remember(request{method: "PATCH", path: path + g.dryRun(), contentType: mergePatch, body: g.conditional(pick(g.Rand, res.patches...), key)})
	case n < 60:
		remember(request{method: "PATCH", path: path + g.dryRun(), contentType: jsonPatch, body: g.jsonPatch(key)})
	case n < 72 && res.status && len(res.statuses) > 0:
		remember(g.status(res, name, path, key))
	case n < 76 && res.scale:
		g.add(g.scale(name, path))
	case n < 78 && len(res.actions) > 0:
		r := pick(g.Rand, res.actions...)(g.Rand, name)
		r.path = g.collection(res) + r.path
		g.add(r)
	case n < 86:
		g.add(request{method: "DELETE", path: path + g.dryRun(), contentType: jsonType, body: g.deleteOptions(key)})
	case n < 88 && !res.cluster:
		g.add(request{method: "DELETE", path: g.collection(res) + "?" + g.selectors(res), contentType: jsonType, body: g.propagation()})
	default:
		g.list(res)
	}
}

func (g *generator) subresource(res resource) string {
	if res.status && g.IntN(8) == 0 {
		return "/status"
	}
	return ""
}

// status is a write of it, with changes beside it: which of them are kept is another matter for each kind.
func (g *generator) status(res resource, name, path, key string) request {
	status := json.RawMessage(pick(g.Rand, res.statuses...))
	metadata := object{}
	switch g.IntN(8) {
	case 0:
		metadata["labels"] = object{"from": "status"}
	case 1:
		metadata["annotations"] = object{"from": "status"}
	case 2:
		metadata["finalizers"] = pick(g.Rand, []any{}, []any{"example.com/s"})
	case 3:
		metadata["ownerReferences"] = []any{object{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "00000000-0000-0000-0000-000000000001"}}
	}
	// A PUT of the status of a Service that is not there creates one on the real server, without an address.
	if res.name == "services" || g.IntN(3) > 0 {
		body := object{"status": status}
		if len(metadata) > 0 {
			body["metadata"] = metadata
		}
		return request{method: "PATCH", path: path + "/status" + g.dryRun(), contentType: mergePatch, body: text(body)}
	}
	body := res.body(g.Rand)
	metadata["name"] = name
	if g.IntN(4) > 0 || res.name == "widgets" {
		metadata["resourceVersion"] = fmt.Sprintf("{rv:%d}", g.some(key))
	}
	body["metadata"], body["status"] = metadata, status
	return request{method: "PUT", path: path + "/status" + g.dryRun(), contentType: jsonType, body: text(body)}
}

// scale never asks for a number that the object was made with, which would change nothing but who owns it.
func (g *generator) scale(name, path string) request {
	switch g.IntN(3) {
	case 0:
		return request{method: "GET", path: path + "/scale"}
	case 1:
		return request{method: "PATCH", path: path + "/scale", contentType: mergePatch, body: fmt.Sprintf(`{"spec":{"replicas":%d}}`, pick(g.Rand, -1, 6, 7))}
	}
	return request{method: "PUT", path: path + "/scale", contentType: jsonType,
		body: text(object{"metadata": object{"name": name, "namespace": "{ns}"}, "spec": object{"replicas": pick(g.Rand, 6, 7)}})}
}

// owner is a reference to one of the objects so far, or to none that exists.
func (g *generator) owner() object {
	out := object{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "00000000-0000-0000-0000-000000000001"}
	keys := slices.Sorted(maps.Keys(g.ids))
	if len(keys) > 0 && g.IntN(4) > 0 {
		key := pick(g.Rand, keys...)
		out["uid"] = fmt.Sprintf("{uid:%d}", g.some(key))
	}
	switch g.IntN(5) {
	case 0:
		out["controller"] = true
	case 1:
		out["blockOwnerDeletion"] = true
	case 2:
		delete(out, pick(g.Rand, "kind", "name", "apiVersion"))
	}
	return out
}

func (g *generator) propagation() string {
	switch g.IntN(5) {
	case 0:
		return text(object{"propagationPolicy": pick(g.Rand, "Orphan", "Background", "Foreground", "Sideways")})
	case 1:
		return text(object{"orphanDependents": pick(g.Rand, true, false)})
	}
	return ""
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
	} else if res.name == "jobs" { // without, it has those of its pods, which are nobody's until its first change
		metadata["labels"] = object{"app": "x"}
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
	case 6, 7:
		metadata["ownerReferences"] = []any{g.owner()}
	case 8:
		metadata["ownerReferences"] = []any{g.owner(), g.owner()}
	}
	body["metadata"] = metadata
	return request{method: "POST", path: g.collection(res) + g.dryRun(), contentType: jsonType, body: text(body)}
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
	case 4:
		metadata["ownerReferences"] = []any{g.owner()}
	}
	body["metadata"] = metadata
	return request{method: "PUT", path: path + g.dryRun(), contentType: jsonType, body: text(body)}
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
	switch g.IntN(10) {
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
	case 5, 6:
		options["propagationPolicy"] = pick(g.Rand, "Orphan", "Background", "Foreground", "Foreground", "Sideways")
	case 7:
		options["orphanDependents"] = pick(g.Rand, true, false)
	}
	return text(options)
}

func (g *generator) selectors(res resource) string {
	query := url.Values{}
	if g.IntN(2) == 0 {
		query.Set("labelSelector", pick(g.Rand, "app=x", "app!=x", "app in (x,y)", "!tier", "tier", "app=x,tier=1", "app notin (x)", "app=", "a b", "app=x,,"))
	}
	if g.IntN(4) == 0 {
		query.Set("fieldSelector", pick(g.Rand, append(res.fields, "metadata.name=a")...))
	}
	return query.Encode()
}

func (g *generator) list(res resource) {
	query, err := url.ParseQuery(g.selectors(res))
	if err != nil {
		panic(err)
	}
	if res.cluster { // the others are of other sequences
		query.Set("fieldSelector", "metadata.name="+g.name(res))
	}
	if g.IntN(3) > 0 {
		id := g.add(request{method: "GET", path: g.collection(res) + "?" + encoded(query)})
		g.lists[res.name] = append(g.lists[res.name], id)
		return
	}
	query.Set("limit", pick(g.Rand, "1", "2"))
	id := g.add(request{method: "GET", path: g.collection(res) + "?" + encoded(query)})
	if g.IntN(3) == 0 {
		g.step(res) // pages show the state of the first
	}
	g.add(request{method: "GET", path: g.collection(res) + "?" + encoded(query) + fmt.Sprintf("&continue={continue:%d}", id)})
}

func (g *generator) watch(res resource) {
	from := ""
	key := res.name + "/" + g.name(res)
	selectors := g.selectors(res)
	if res.cluster {
		selectors = "fieldSelector=metadata.name=" + g.name(res)
	}
	if ids := append(g.ids[key], g.lists[res.name]...); len(ids) > 0 {
		from = fmt.Sprintf("&resourceVersion={rv:%d}", pick(g.Rand, ids...))
	}
	g.add(request{method: "GET", watch: true, path: g.collection(res) + "?watch=1" + from + "&" + selectors})
}
