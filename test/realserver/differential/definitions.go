package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
)

// definer makes a definition with two versions, and requests about objects of it.
type definer struct {
	schemer
	out      []request
	versions []string
	schemas  map[string]object // the whole schema of each
	status   bool
	scale    bool
	ruled    bool           // its schemas have rules
	last     map[string]int // by name: the request that has shown the object last
}

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

func generateDefinition(r *rand.Rand, length int, _ string) []request {
	return (&definer{schemer: schemer{r, 30}}).sequence(length)
}

func (d *definer) sequence(length int) []request {
	d.versions, d.schemas, d.last = []string{"v1", "v2"}, map[string]object{}, map[string]int{}
	d.status, d.scale = d.IntN(3) > 0, d.oneIn(4)
	d.add(request{method: "POST", path: definitionsPath, contentType: jsonType, body: text(d.definition())})
	for _, version := range d.versions {
		d.add(request{method: "GET", path: d.collection(version), await: true})
	}
	for len(d.out) < length {
		d.step()
	}
	for _, version := range d.versions {
		d.add(request{method: "GET", path: d.collection(version)})
	}
	d.add(request{method: "DELETE", path: definitionsPath + "/things.{ns}.example.com", cleans: true})
	return d.out
}

func (d *definer) add(r request) int {
	r.id = len(d.out)
	d.out = append(d.out, r)
	return r.id
}

func (d *definer) collection(version string) string {
	return "/apis/{ns}.example.com/" + version + "/namespaces/{ns}/things"
}

func (d *definer) definition() object {
	const depth = 3
	// A definition is refused for a wrong default, and then there is nothing to ask about.
	spec, required := d.properties(depth)
	status, _ := d.properties(depth - 1)
	other, _ := d.properties(1)
	versions := []any{}
	for i, version := range d.versions {
		if i > 0 {
			spec, status, other = d.other(spec, depth-1), d.other(status, depth-2), d.other(other, 1)
			required = nil
		}
		d.schemas[version] = d.whole(spec, status, other, required)
		if d.ruled {
			d.rule(d.schemas[version], true)
		}
		entry := object{"name": version, "served": true, "storage": i == 0, "schema": object{"openAPIV3Schema": d.schemas[version]}}
		subresources := object{}
		if d.status {
			subresources["status"] = object{}
		}
		if d.scale {
			subresources["scale"] = object{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}
		}
		if len(subresources) > 0 {
			entry["subresources"] = subresources
		}
		versions = append(versions, entry)
	}
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "things.{ns}.example.com"},
		"spec": object{"group": "{ns}.example.com", "scope": "Namespaced", "versions": versions,
			"names": object{"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}}}
}

func (d *definer) whole(spec, status, other object, required []any) object {
	if d.scale {
		spec["replicas"], status["replicas"] = object{"type": "integer"}, object{"type": "integer"}
		status["selector"] = object{"type": "string"}
	}
	of := object{"type": "object", "properties": spec}
	if len(required) > 0 && d.oneIn(2) {
		of["required"] = required
	}
	if d.oneIn(4) {
		of["default"] = object{}
	}
	properties := object{"spec": of, "status": object{"type": "object", "properties": status}}
	if d.oneIn(5) {
		properties["status"].(object)["default"] = object{}
	}
	for name, schema := range other {
		properties["other"+name] = schema
	}
	if d.oneIn(8) {
		properties["metadata"] = object{"type": "object", "properties": object{"name": object{"type": "string", "pattern": "^[a-c]$"}}}
	}
	out := object{"type": "object", "properties": properties}
	if d.oneIn(8) {
		out["required"] = []any{"spec"}
	}
	if d.oneIn(12) {
		out["x-kubernetes-preserve-unknown-fields"] = true
	}
	return out
}

// body is an object in a version, which has a status now and then.
func (d *definer) body(version, name string) object {
	properties := d.schemas[version]["properties"].(object)
	out := object{}
	for _, member := range union(properties, nil) {
		if member == "spec" && !d.oneIn(15) || member != "metadata" && d.oneIn(3) {
			out[member] = d.value(properties[member].(object))
		}
	}
	if d.oneIn(12) {
		out["unknown"] = pick(d.Rand, anything...)
	}
	out["apiVersion"], out["kind"] = "{ns}.example.com/"+version, "Thing"
	metadata := object{"name": name}
	if d.oneIn(3) {
		metadata["labels"] = object{"l": pick(d.Rand, "m", "n")}
	}
	if d.oneIn(20) {
		metadata["unknown"] = 1
	}
	out["metadata"] = metadata
	return out
}

func (d *definer) step() {
	version, name := pick(d.Rand, d.versions...), pick(d.Rand, "a", "b")
	path := d.collection(version) + "/" + name
	query := pick(d.Rand, "", "", "", "", "", "?dryRun=All", "?fieldValidation=Strict", "?fieldValidation=Ignore")
	_, known := d.last[name]
	switch n := d.IntN(100); {
	case !known || n < 12:
		d.last[name] = d.add(request{method: "POST", path: d.collection(version) + query, contentType: jsonType, body: text(d.body(version, name))})
	case n < 40:
		d.add(request{method: "GET", path: path})
	case n < 58:
		d.put(version, name, path, query)
	case n < 74:
		patch := d.body(version, name)
		delete(patch, "metadata")
		if d.oneIn(2) {
			delete(patch, "kind")
			delete(patch, "apiVersion")
		}
		if d.oneIn(4) {
			patch[pick(d.Rand, "spec", "status")] = nil
		}
		d.add(request{method: "PATCH", path: path + query, contentType: mergePatch, body: text(patch)})
	case n < 80:
		d.add(request{method: "PATCH", path: path + query, contentType: jsonPatch, body: d.operations(version)})
	case n < 85:
		d.apply(name)
	case n < 93 && d.status:
		body := object{"status": d.value(d.schemas[version]["properties"].(object)["status"].(object))}
		d.add(request{method: "PATCH", path: path + "/status" + query, contentType: mergePatch, body: text(body)})
	case n < 95 && d.status:
		d.put(version, name, path+"/status", query)
	case n < 99 && d.scale:
		// In another version a real server fills in none of its defaults by this.
		path = d.collection("v1") + "/" + name
		d.add(pick(d.Rand, request{method: "GET", path: path + "/scale"},
			request{method: "PATCH", path: path + "/scale", contentType: mergePatch, body: fmt.Sprintf(`{"spec":{"replicas":%d}}`, pick(d.Rand, -1, 6, 7))}))
	default:
		d.add(request{method: "DELETE", path: path})
	}
}

// put writes over what is there: the version of the object is asked for first.
func (d *definer) put(version, name, path, query string) {
	shown := d.add(request{method: "GET", path: d.collection(version) + "/" + name})
	body := d.body(version, name)
	body["metadata"].(object)["resourceVersion"] = fmt.Sprintf("{rv:%d}", shown)
	d.add(request{method: "PUT", path: path + query, contentType: jsonType, body: text(body)})
}

func (d *definer) operations(version string) string {
	name := pick(d.Rand, propertyNames...)
	spec := d.schemas[version]["properties"].(object)["spec"].(object)["properties"].(object)
	schema, known := spec[name].(object)
	if !known {
		return text([]any{object{"op": "remove", "path": "/spec/" + name}})
	}
	return text([]any{object{"op": pick(d.Rand, "add", "replace"), "path": "/spec/" + name, "value": d.value(schema)}})
}

// apply is by a manager of its own each time, who takes what he wants: so nothing goes that he does not say. It is in the version
// in which objects are stored: in another one a real server fills in none of its defaults where it changes nothing.
func (d *definer) apply(name string) {
	body := d.body("v1", name)
	delete(body, "status")
	path := d.collection("v1") + "/" + name + fmt.Sprintf("?fieldManager=m%d&force=true", len(d.out))
	d.add(request{method: "PATCH", path: path, contentType: "application/apply-patch+yaml", body: text(body)})
}

// ---- Comparison

// normalDefinition is an answer without what is a matter of time, or of who owns a field, and with causes in order.
func normalDefinition(r request, whole map[string]any) {
	body, _ := whole["body"].(map[string]any)
	if r.cleans {
		delete(whole, "body")
	}
	if body["kind"] == "CustomResourceDefinition" {
		delete(body, "status")
	}
	withoutVersion(body)
	items, _ := body["items"].([]any)
	for _, item := range items {
		item, _ := item.(map[string]any)
		withoutVersion(item)
	}
	if body["kind"] != "Status" {
		return
	}
	details, _ := body["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	slices.SortFunc(causes, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	if len(causes) > 1 {
		delete(body, "message") // has them in the order in which Go's maps gave them
	}
}

func withoutVersion(object map[string]any) {
	if metadata, is := object["metadata"].(map[string]any); is {
		delete(metadata, "resourceVersion")
	}
}

// lenientDefinition takes errors for equal that have the same code and reason and are about the same fields: each server says
// in its own words what is wrong, and stops at another cause. What a real server refuses to apply because it cannot tell whose
// the fields are is excused: the embedded one does not know owners.
func lenientDefinition(_ []*session, r request, answers []answer, _ []any) bool {
	real, ours := answers[0], answers[1]
	if r.contentType == "application/apply-patch+yaml" && real.code >= 400 {
		return real.code == ours.code || real.code == 500 // it asks for types at once, and everywhere
	}
	if strings.HasSuffix(r.path, "/scale") && real.code == 422 && ours.code == 422 {
		return true // the embedded server does not look at the rest of the object then
	}
	return real.code >= 400 && reflect.DeepEqual(outcome(real), outcome(ours)) && reflect.DeepEqual(fieldsOf(real), fieldsOf(ours))
}

// fieldsOf names the fields that an error is about, each once.
func fieldsOf(got answer) map[any]bool {
	out := map[any]bool{}
	for _, cause := range causesOf(got) {
		cause, _ := cause.(map[string]any)
		if cause["field"] != "<nil>" {
			out[cause["field"]] = true
		}
	}
	return out
}
