package main

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// schemer makes structural schemas, and values for them: most of which fit.
type schemer struct {
	*rand.Rand
	bad int // one value of this many is not what the schema wants
}

func (s schemer) oneIn(n int) bool { return s.IntN(n) == 0 }

var propertyNames = []string{"a", "b", "c", "d", "e"}

// properties are some, and which of them are required.
func (s schemer) properties(depth int) (object, []any) {
	out, required := object{}, []any{}
	for _, name := range propertyNames {
		if s.oneIn(2) {
			out[name] = s.schema(depth - 1)
			if s.oneIn(6) {
				required = append(required, name)
			}
		}
	}
	return out, required
}

func (s schemer) schema(depth int) object {
	out := s.bare(depth)
	if s.oneIn(6) && out["x-kubernetes-preserve-unknown-fields"] == nil {
		out["nullable"] = true
	}
	if s.oneIn(3) {
		valid := schemer{s.Rand, 0}
		if value, fits := valid.fitting(out); fits {
			out["default"] = value
		}
	}
	if s.oneIn(200) { // which the definition is refused for, mostly
		out["default"] = pick[any](s.Rand, "w", 7, nil, object{"zz": 1}, []any{1, "x"}, true)
	}
	return out
}

func (s schemer) bare(depth int) object {
	kinds := []string{"string", "string", "integer", "number", "boolean", "intorstring", "enum", "format"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "object", "map", "array", "set", "listmap", "listmap", "embedded", "any", "preserve", "logic")
	}
	switch pick(s.Rand, kinds...) {
	case "string":
		out := object{"type": "string"}
		switch s.IntN(5) {
		case 0:
			out["pattern"] = "^[a-z]+$"
		case 1:
			out["maxLength"], out["minLength"] = 3, 1
		}
		return out
	case "integer":
		out := object{"type": "integer"}
		switch s.IntN(6) {
		case 0:
			out["minimum"], out["maximum"] = 0, 5
		case 1:
			out["minimum"], out["exclusiveMinimum"] = 0, true
		case 2:
			out["multipleOf"] = 2
		case 3:
			out["format"] = pick(s.Rand, "int32", "int64")
		}
		return out
	case "number":
		return pick(s.Rand, object{"type": "number"}, object{"type": "number", "maximum": 2.5}, object{"type": "number", "format": "double"})
	case "boolean":
		return object{"type": "boolean"}
	case "intorstring":
		out := object{"x-kubernetes-int-or-string": true}
		if s.oneIn(2) {
			out["anyOf"] = []any{object{"type": "integer"}, object{"type": "string"}}
		}
		return out
	case "enum":
		return pick(s.Rand, object{"type": "string", "enum": []any{"x", "y", "z"}}, object{"type": "integer", "enum": []any{1, 2}})
	case "format":
		return object{"type": "string", "format": pick(s.Rand, "date-time", "date", "byte", "ipv4", "uuid", "duration", "uri", "hostname", "password", "nonsense")}
	case "map":
		out := object{"type": "object", "additionalProperties": s.schema(depth - 1)}
		if s.oneIn(4) {
			out["additionalProperties"] = true
		}
		if s.oneIn(4) {
			out["maxProperties"] = 2
		}
		return out
	case "array":
		out := object{"type": "array", "items": s.schema(depth - 1)}
		switch s.IntN(5) {
		case 0:
			out["maxItems"], out["minItems"] = 2, 1
		case 1:
			out["x-kubernetes-list-type"] = "atomic"
		}
		return out
	case "set":
		return object{"type": "array", "x-kubernetes-list-type": "set", "items": pick(s.Rand, object{"type": "string"}, object{"type": "integer"})}
	case "listmap":
		return s.listMap(depth)
	case "embedded":
		out := object{"type": "object", "x-kubernetes-embedded-resource": true}
		if s.oneIn(2) {
			out["properties"], _ = s.properties(depth)
		}
		if out["properties"] == nil || s.oneIn(2) {
			out["x-kubernetes-preserve-unknown-fields"] = true
		}
		return out
	case "any":
		return object{"x-kubernetes-preserve-unknown-fields": true}
	case "logic":
		out := object{"type": "string"}
		switch s.IntN(4) {
		case 0:
			out["anyOf"] = []any{object{"maxLength": 1}, object{"pattern": "^b"}}
		case 1:
			out["not"] = object{"enum": []any{"x"}}
		case 2:
			out["oneOf"] = []any{object{"minLength": 2}, object{"enum": []any{"b", "bb"}}}
		case 3:
			out["allOf"] = []any{object{"minLength": 1}, object{"maxLength": 2}}
		}
		return out
	}
	out := object{"type": "object"}
	properties, required := s.properties(depth)
	out["properties"] = properties
	if len(required) > 0 {
		out["required"] = required
	}
	switch s.IntN(8) {
	case 0:
		out["x-kubernetes-preserve-unknown-fields"] = true
	case 1:
		out["x-kubernetes-map-type"] = pick(s.Rand, "atomic", "granular")
	case 2:
		out["minProperties"] = 1
	}
	return out
}

// listMap is a list of objects with keys, which are required or have defaults.
func (s schemer) listMap(depth int) object {
	properties, required := s.properties(depth)
	keys := []any{"k"}
	properties["k"] = object{"type": "string"}
	if s.oneIn(3) {
		properties["n"] = pick(s.Rand, object{"type": "integer"}, object{"type": "boolean"})
		keys = append(keys, "n")
	}
	for i, key := range keys {
		property := properties[key.(string)].(object)
		if i > 0 && s.oneIn(2) {
			property["default"] = map[any]any{"integer": 1, "boolean": true}[property["type"]]
		} else {
			required = append(required, key)
		}
	}
	return object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
		"items": object{"type": "object", "properties": properties, "required": required}}
}

// other is a version's schema that is made of another's.
func (s schemer) other(properties object, depth int) object {
	out := object{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := maps.Clone(properties[name].(object))
		switch s.IntN(10) {
		case 0, 1:
			continue
		case 2:
			property = s.schema(depth)
		case 3:
			delete(property, "default")
		case 4, 5, 6:
			if inner, is := property["properties"].(object); is && depth > 0 {
				property["properties"] = s.other(inner, depth-1)
				delete(property, "default")
				delete(property, "required")
			}
		}
		out[name] = property
	}
	for _, name := range propertyNames {
		if out[name] == nil && s.oneIn(5) {
			out[name] = s.schema(depth)
		}
	}
	return out
}

// ---- Values

// fitting is a value which the schema allows, as far as it is known how to make one.
func (s schemer) fitting(schema object) (any, bool) {
	if schema["not"] != nil || schema["oneOf"] != nil || schema["allOf"] != nil {
		return "b", true
	}
	return s.value(schema), true
}

var anything = []any{nil, "w", 7, true, 1.5, []any{}, []any{"x", 1}, object{}, object{"a": 1, "zz": object{"y": nil}}}

func (s schemer) value(schema object) any {
	if s.bad > 0 && s.IntN(s.bad) == 0 {
		return pick(s.Rand, anything...)
	}
	if schema["nullable"] == true && s.oneIn(6) {
		return nil
	}
	if values, is := schema["enum"].([]any); is {
		return pick(s.Rand, values...)
	}
	if schema["x-kubernetes-int-or-string"] == true {
		return pick[any](s.Rand, 1, 50, "x", "50%")
	}
	switch schema["type"] {
	case "string":
		return s.text(schema)
	case "integer":
		return pick(s.Rand, 2, 4, 2, s.unlikely(3), s.unlikely(-2))
	case "number":
		return pick[any](s.Rand, 1, 2.5, 0.25, -1.5, 1e3*float64(s.unlikely(0)-2))
	case "boolean":
		return s.oneIn(2)
	case "array":
		return s.list(schema)
	case "object":
		return s.fields(schema)
	}
	if s.bad == 0 { // nulls in defaults are there until the object is read again
		return pick[any](s.Rand, "w", 7, true, 1.5, []any{}, []any{"x", 1}, object{}, object{"a": 1})
	}
	return pick(s.Rand, anything...)
}

// unlikely is the value, where values may be wrong, and 2 elsewhere.
func (s schemer) unlikely(value int) int {
	if s.bad > 0 && s.oneIn(3) {
		return value
	}
	return 2
}

var formatted = map[any][]any{
	"date-time": {"2026-01-02T03:04:05Z", "2026-01-02"}, "date": {"2026-01-02", "2026-13-02"}, "byte": {"eA==", "?"}, "ipv4": {"1.2.3.4", "1.2.3"},
	"uuid": {"00000000-0000-4000-8000-000000000001", "u"}, "duration": {"1m", "1 parsec"}, "uri": {"http://x/y", "::"}, "hostname": {"x.y", "-"},
	"password": {"p"}, "nonsense": {"n"},
}

func (s schemer) text(schema object) any {
	if values := formatted[schema["format"]]; values != nil {
		if s.bad > 0 && s.oneIn(8) {
			return values[len(values)-1]
		}
		return values[0]
	}
	if s.bad > 0 && s.oneIn(10) {
		return pick(s.Rand, "", "A1", "long one")
	}
	return pick(s.Rand, "b", "bb", "x")
}

func (s schemer) list(schema object) any {
	items, _ := schema["items"].(object)
	out := []any{}
	for range 1 + s.IntN(2) {
		out = append(out, s.value(items))
	}
	if keys, is := schema["x-kubernetes-list-map-keys"].([]any); is {
		for i, element := range out {
			if fields, is := element.(object); is && keys[0] == "k" && (s.bad == 0 || !s.oneIn(25)) {
				fields["k"] = []string{"x", "y"}[i]
				if s.oneIn(3) {
					fields["k"] = []string{"z", "w"}[i]
				}
				if s.unlikely(0) == 0 && s.oneIn(3) {
					fields["k"] = "x"
				}
			}
		}
	} else if schema["x-kubernetes-list-type"] == "set" && len(out) == 2 && text(out[0]) == text(out[1]) && (s.bad == 0 || !s.oneIn(4)) {
		out = out[:1]
	}
	return out
}

func (s schemer) fields(schema object) object {
	out := object{}
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if needed := slices.Contains(required, any(name)); needed && (s.bad == 0 || !s.oneIn(s.bad)) || s.oneIn(2) {
			out[name] = s.value(properties[name].(object))
		}
	}
	switch additional := schema["additionalProperties"].(type) {
	case object:
		for _, name := range []string{"p", "q"} {
			if s.oneIn(2) {
				out[name] = s.value(additional)
			}
		}
	case bool:
		out["p"] = s.value(object{})
	}
	if schema["x-kubernetes-preserve-unknown-fields"] == true && s.oneIn(2) {
		out["extra"] = s.value(object{})
	}
	if s.bad > 0 && s.oneIn(12) {
		out["unknown"] = pick(s.Rand, anything...)
	}
	if schema["x-kubernetes-embedded-resource"] == true {
		if s.bad == 0 || !s.oneIn(8) {
			out["apiVersion"], out["kind"] = "v1", "Thing"
		}
		if s.oneIn(2) {
			out["metadata"] = object{"name": pick(s.Rand, "n", "n", "Not_Valid"), "labels": object{"a": "b"}, "unknown": 1}
			if s.bad == 0 {
				out["metadata"] = object{"name": "n"}
			}
		}
	}
	return out
}
