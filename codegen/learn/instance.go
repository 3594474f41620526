package main

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// instance is a place in the objects of a root where a message stands.
type instance struct {
	root    *root
	path    []*field
	message *message
}

// shown: the server shows objects of this kind to webhooks.
func (r *root) shown() bool { return r.group != "admissionregistration.k8s.io" }

// build gives an object that has nothing but `content` in that place, and what the way there needs.
func (in *instance) build(content map[string]any) map[string]any {
	var at any = content
	for i := len(in.path) - 1; i >= 0; i-- {
		f := in.path[i]
		if f.repeated {
			at = []any{at}
		} else if f.isMap {
			at = map[string]any{"k": at}
		}
		at = map[string]any{f.name: at}
	}
	object := at.(map[string]any)
	if seed := seeds[in.root.kindName]; !in.root.shown() && seed != "" {
		var base map[string]any
		if err := json.Unmarshal([]byte(seed), &base); err != nil {
			panic(err)
		}
		object = merge(base, object).(map[string]any)
		mend(object)
	}
	return object
}

// mend makes webhooks valid again that have a service now.
func mend(object map[string]any) {
	hooks, _ := object["webhooks"].([]any)
	for _, hook := range hooks {
		client, _ := hook.(map[string]any)["clientConfig"].(map[string]any)
		service, ok := client["service"].(map[string]any)
		if !ok {
			continue
		}
		delete(client, "url")
		for _, name := range []string{"name", "namespace"} {
			if service[name] == nil {
				service[name] = "s"
			}
		}
	}
}

// at gives the message in an object; nil: there is none.
func (in *instance) at(object map[string]any) map[string]any {
	at := object
	for _, f := range in.path {
		next := at[f.name]
		if list, ok := next.([]any); ok && len(list) > 0 {
			next = list[0]
		} else if f.isMap {
			entries, _ := next.(map[string]any)
			next = entries["k"]
		}
		var ok bool
		if at, ok = next.(map[string]any); !ok {
			return nil
		}
	}
	return at
}

// parent is the member that the message stands in: "k8s.io.api.core.v1.PodSpec.containers".
func (in *instance) parent() string {
	switch len(in.path) {
	case 0:
		return ""
	case 1:
		return in.root.kind.name + "." + in.path[0].name
	}
	return in.path[len(in.path)-2].message.name + "." + in.path[len(in.path)-1].name
}

func (in *instance) String() string {
	names := []string{in.root.scope()}
	for _, f := range in.path {
		names = append(names, f.name)
	}
	return strings.Join(names, ".")
}

// merge puts b over a: members by name, lists by position.
func merge(a, b any) any {
	switch b := b.(type) {
	case map[string]any:
		if a, ok := a.(map[string]any); ok {
			out := maps.Clone(a)
			for name, value := range b {
				out[name] = merge(out[name], value)
			}
			return out
		}
	case []any:
		if a, ok := a.([]any); ok && len(a) > 0 && len(b) > 0 {
			return append([]any{merge(a[0], b[0])}, a[1:]...)
		}
	}
	return b
}

// outcomes: what the server put into a message, by member, as JSON.
type outcomes map[string]string

func text(value any) string {
	out, _ := json.Marshal(value)
	return string(out)
}

// compare says what stands in `got` that `sent` lacks and that is more than how nothing is written. rewritten: members that
// were sent and came back as something else.
func (m *message) compare(sent, got map[string]any, top bool) (added outcomes, rewritten []string) {
	added = outcomes{}
	for name, value := range got {
		f := m.field(name)
		if f == nil && (top || (name != "kind" && name != "apiVersion")) {
			continue
		}
		if before, ok := sent[name]; ok {
			if f != nil && f.kind != "message" && !reflect.DeepEqual(normal(before), value) {
				rewritten = append(rewritten, name+": "+text(before)+" -> "+text(value))
			}
			continue
		}
		if f != nil && f.isZero(value) {
			continue
		}
		added[name] = text(value)
	}
	return added, rewritten
}

func normal(value any) any {
	var out any
	json.Unmarshal([]byte(text(value)), &out)
	return out
}

func (f *field) isZero(value any) bool {
	if value == nil {
		return true
	}
	if !f.plain() {
		return false
	}
	switch f.kind {
	case "message":
		return true // visited as a message of its own
	case "quantity":
		return value == "0"
	case "duration":
		return value == "0s"
	}
	return value == "" || value == false || value == float64(0)
}

// samples are values to try for a member.
func (f *field) samples(m *message) []any {
	var scalars []any
	switch f.kind {
	case "string":
		scalars = []any{"x", "y"}
		values := f.enum
		if len(values) == 0 {
			values = words[m.short()+"."+f.name]
		}
		if isImage(f.name) {
			values = imageSamples
		}
		if len(values) > 0 {
			scalars = nil
			for _, v := range values {
				scalars = append(scalars, v)
			}
		}
	case "bool":
		scalars = []any{true, false}
	case "int32", "int64":
		scalars = []any{5, 7, 0}
	case "double":
		scalars = []any{1.5}
	case "quantity":
		scalars = []any{"1", "2"}
	case "intorstring":
		scalars = []any{5, "x"}
	case "bytes":
		scalars = []any{"eA=="}
	case "microtime":
		scalars = []any{"2026-01-02T03:04:05.000000Z"}
	case "time":
		scalars = []any{"2026-01-02T03:04:05Z"}
	case "duration":
		scalars = []any{"5s"}
	case "message":
		scalars = []any{map[string]any{}}
	default:
		scalars = []any{map[string]any{}}
	}
	switch {
	case f.repeated:
		return []any{[]any{scalars[0]}}
	case f.isMap && f.kind == "quantity":
		return []any{map[string]any{"cpu": "1"}, map[string]any{"memory": "2"}}
	case f.isMap:
		return []any{map[string]any{"k": scalars[0]}}
	case f.pointer:
		return scalars
	case f.kind == "message":
		return nil // always there
	case f.kind == "int32" || f.kind == "int64" || f.kind == "bool":
		return scalars[:len(scalars)-1] // zero is absent
	}
	return scalars
}

func isImage(name string) bool { return name == "image" || name == "reference" }

var imageSamples = []string{"a", "r:5000/a", "a:latest", "r:5000/b/a:latest", "a:1", "r:5000/a:1",
	"a@sha256:" + strings.Repeat("0", 64), "a:1@sha256:" + strings.Repeat("0", 64), "a:latest@sha256:" + strings.Repeat("0", 64)}

// latest: the image's tag is "latest", which it also is where there is neither tag nor digest.
func latest(image string) bool {
	name, _, digest := strings.Cut(image, "@")
	name = name[strings.LastIndex(name, "/")+1:]
	_, tag, tagged := strings.Cut(name, ":")
	return image != "" && (tag == "latest" || (!tagged && !digest))
}

// words are values of strings for which OpenAPI names none.
var words = map[string][]string{
	"Subject.kind":                        {"User", "Group", "ServiceAccount"},
	"StatefulSetUpdateStrategy.type":      {"OnDelete", "RollingUpdate"},
	"RoleRef.kind":                        {"Role", "ClusterRole"},
	"LimitRangeItem.type":                 {"Container", "Pod", "PersistentVolumeClaim"},
	"Lifecycle.stopSignal":                {"SIGTERM"},
	"ServiceReference.name":               {"x"},
	"DeviceToleration.operator":           {"Equal", "Exists"},
	"ExactDeviceRequest.allocationMode":   {"ExactCount", "All"},
	"DeviceRequest.allocationMode":        {"ExactCount", "All"},
	"DeviceSubRequest.allocationMode":     {"ExactCount", "All"},
	"PriorityLevelConfigurationSpec.type": {"Limited", "Exempt"},
	"LimitResponse.type":                  {"Queue", "Reject"},
	"FlowDistinguisherMethod.type":        {"ByUser", "ByNamespace"},
	"MetricSpec.type":                     {"Object", "Pods", "Resource", "ContainerResource", "External"},
	"EndpointSlice.addressType":           {"IPv4", "IPv6", "FQDN"},
}

// computed are the members whose values the server works out in a way that a table cannot tell.
var computed = map[string]bool{
	"CustomResourceDefinitionNames.listKind": true, // kind + "List"
	"CustomResourceDefinitionNames.singular": true, // the kind in lower case
	"DeviceTaint.timeAdded":                  true, // now
	"NodeSpec.podCIDR":                       true, // the first of podCIDRs
	"NodeSpec.podCIDRs":                      true, // podCIDR alone
	"PodStatus.podIPs":                       true, // podIP alone
	"Secret.data":                            true, // stringData
}

// seeds are valid objects of the kinds that the server shows to no webhook.
var seeds = map[string]string{
	"MutatingWebhookConfiguration": `{"webhooks":[{"name":"a.b.c","clientConfig":{"url":"https://a.b/c"},"sideEffects":"None",
		"admissionReviewVersions":["v1"],"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}`,
	"ValidatingWebhookConfiguration": `{"webhooks":[{"name":"a.b.c","clientConfig":{"url":"https://a.b/c"},"sideEffects":"None",
		"admissionReviewVersions":["v1"],"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}]}`,
	"ValidatingAdmissionPolicy": `{"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],
		"resources":["pods"]}]},"validations":[{"expression":"true"}]}}`,
	"ValidatingAdmissionPolicyBinding": `{"spec":{"policyName":"a","validationActions":["Deny"],"matchResources":{"resourceRules":[
		{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}}}`,
	"MutatingAdmissionPolicy": `{"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],
		"resources":["pods"]}]},"reinvocationPolicy":"Never","mutations":[{"patchType":"ApplyConfiguration",
		"applyConfiguration":{"expression":"Object{}"}}]}}`,
	"MutatingAdmissionPolicyBinding": `{"spec":{"policyName":"a","matchResources":{"resourceRules":[
		{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["pods"]}]}}}`,
}
