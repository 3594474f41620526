package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// A member of the objects that expressions are about: its schema without limits, and values of it.
type member struct {
	name, schema string
	values       []string
}

var members = []member{
	{"i", `{"type":"integer"}`, []string{"0", "1", "-7", "42", "9007199254740991"}},
	{"j", `{"type":"integer","format":"int32"}`, []string{"3", "100"}},
	{"n", `{"type":"number"}`, []string{"0", "1.5", "-2", "1e300", "0.1"}},
	{"b", `{"type":"boolean"}`, []string{"true", "false"}},
	{"s", `{"type":"string"}`, []string{`""`, `"abc"`, `"a,b,c"`, `"é𝄞x"`, `"10.0.0.1"`, `"1.2.3"`}},
	{"u", `{"type":"string","enum":["x","yy","zzz"]}`, []string{`"x"`, `"zzz"`}},
	{"raw", `{"type":"string","format":"byte"}`, []string{`""`, `"YWJj"`, `"/w=="`}},
	{"d", `{"type":"string","format":"duration"}`, []string{`"0s"`, `"1h2m3s"`, `"-1.5s"`, `"10ms"`}},
	{"t", `{"type":"string","format":"date-time"}`, []string{`"2024-02-29T12:34:56Z"`, `"1969-12-31T23:59:59.5+02:00"`}},
	{"day", `{"type":"string","format":"date"}`, []string{`"2024-12-31"`}},
	{"li", `{"type":"array","items":{"type":"integer"}}`, []string{`[]`, `[3,1,2]`, `[5]`, `[1,1,1,2]`}},
	{"ls", `{"type":"array","items":{"type":"string"}}`, []string{`[]`, `["b","a","b"]`, `["é"]`}},
	{"set", `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`, []string{`[]`, `["p","q"]`, `["q","p"]`}},
	{"ln", `{"type":"array","items":{"type":"number"}}`, []string{`[]`, `[1.5,0.5,2]`}},
	{"lli", `{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`, []string{`[]`, `[[1],[2,3],[]]`}},
	{"keyed", `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"integer"}}}}`,
		[]string{`[]`, `[{"k":"a","v":1},{"k":"b"}]`, `[{"k":"b"},{"k":"a","v":1}]`}},
	{"mi", `{"type":"object","additionalProperties":{"type":"integer"}}`, []string{`{}`, `{"a":1}`, `{"a":1,"b":2,"c-d":3}`}},
	{"ms", `{"type":"object","additionalProperties":{"type":"string"}}`, []string{`{}`, `{"app":"web","a/b":"x"}`}},
	{"o", `{"type":"object","required":["x"],"properties":{"x":{"type":"integer"},"y":{"type":"string"},"z-z":{"type":"boolean"},"in":{"type":"array","items":{"type":"string"}}}}`,
		[]string{`{"x":1}`, `{"x":2,"y":"t","z-z":true,"in":["m"]}`}},
	{"any", `{"x-kubernetes-int-or-string":true}`, []string{`5`, `"50%"`}},
}

// randomSubject returns a schema with limits here and there, and an object that fits it.
func randomSubject(r *rand.Rand) (schema, object string) {
	properties := map[string]json.RawMessage{}
	values := map[string]json.RawMessage{}
	for _, m := range members {
		var s map[string]any
		_ = json.Unmarshal([]byte(m.schema), &s)
		limit(r, s)
		b, _ := json.Marshal(s)
		properties[m.name] = b
		if r.IntN(5) > 0 {
			values[m.name] = json.RawMessage(m.values[r.IntN(len(m.values))])
		}
	}
	p, _ := json.Marshal(properties)
	v, _ := json.Marshal(values)
	return fmt.Sprintf(`{"type":"object","properties":%s}`, p), string(v)
}

// limit adds maxLength, maxItems and maxProperties to a schema and those in it, or not.
func limit(r *rand.Rand, s map[string]any) {
	bounds := []int{10, 20, 100, 1000}
	if r.IntN(2) == 0 {
		switch s["type"] {
		case "string":
			s["maxLength"] = bounds[r.IntN(4)]
		case "array":
			s["maxItems"] = bounds[r.IntN(4)]
		case "object":
			if s["additionalProperties"] != nil {
				s["maxProperties"] = bounds[r.IntN(4)]
			}
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if inner, ok := s[name].(map[string]any); ok {
			limit(r, inner)
		}
	}
	if inner, ok := s["properties"].(map[string]any); ok {
		for _, name := range sortedKeys(inner) {
			limit(r, inner[name].(map[string]any))
		}
	}
}
