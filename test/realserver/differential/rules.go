package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// generateRules makes definitions whose schemas have rules, and requests about objects of them.
func generateRules(r *rand.Rand, length int, _ string) []request {
	return (&definer{schemer: schemer{r, 60}, ruled: true}).sequence(length)
}

// rule adds rules to a schema, everywhere, and limits that keep their estimated cost low. Whether a rule can speak of the old value
// is another matter for each place. Defaults go where they might break a rule.
func (s schemer) rule(schema object, correlates bool) {
	rules := []any{}
	switch schema["type"] {
	case "string":
		if schema["format"] != nil {
			schema["maxLength"] = 40
		} else if schema["enum"] == nil {
			schema["maxLength"] = 10
		}
	case "array":
		if schema["maxItems"] == nil {
			schema["maxItems"] = 4
		}
		delete(schema, "default")
		items := schema["items"].(object)
		keys, _ := schema["x-kubernetes-list-map-keys"].([]any)
		kept := object{} // keys are required, or have defaults: they have no rules
		for _, key := range keys {
			kept[key.(string)] = maps.Clone(items["properties"].(object)[key.(string)].(object))
		}
		s.rule(items, correlates && keys != nil)
		for key, property := range kept {
			if property := property.(object); property["type"] == "string" {
				property["maxLength"] = 10
			}
			items["properties"].(object)[key] = property
		}
	case "object":
		delete(schema, "default")
		if of, is := schema["additionalProperties"].(object); is {
			if schema["maxProperties"] == nil {
				schema["maxProperties"] = 4
			}
			s.rule(of, correlates)
		}
		properties, _ := schema["properties"].(object)
		for _, name := range union(properties, nil) {
			if name != "metadata" {
				s.rule(properties[name].(object), correlates)
			}
		}
	}
	for range s.IntN(3) {
		if rule := s.expression(schema); rule != "" && (correlates || !strings.Contains(rule, "oldSelf") || s.oneIn(60)) {
			rules = append(rules, s.told(schema, rule))
		}
	}
	if len(rules) > 0 {
		schema["x-kubernetes-validations"] = rules
		delete(schema, "default")
	}
}

// told is a rule with what is said if it does not hold.
func (s schemer) told(schema object, rule string) object {
	out := object{"rule": rule}
	switch s.IntN(4) {
	case 0:
		out["message"] = "must hold"
	case 1:
		out["messageExpression"] = pick(s.Rand, `"it " + "is"`, `1 < 2 ? "small" : "large"`, `""`)
	}
	if s.oneIn(6) {
		out["reason"] = pick(s.Rand, "FieldValueRequired", "FieldValueForbidden", "FieldValueDuplicate", "FieldValueInvalid")
	}
	properties, _ := schema["properties"].(object)
	if names := union(properties, nil); len(names) > 0 && s.oneIn(8) {
		out["fieldPath"] = "." + pick(s.Rand, names...)
	}
	if strings.Contains(rule, "oldSelf.hasValue()") || strings.Contains(rule, "oldSelf.orValue") {
		out["optionalOldSelf"] = true
	}
	return out
}

// expression is one that is about values of the schema, and does not always hold.
func (s schemer) expression(schema object) string {
	if schema["x-kubernetes-int-or-string"] == true {
		return pick(s.Rand, "type(self) == int ? self < 50 : self == '50%'")
	}
	switch schema["type"] {
	case "string":
		if format := schema["format"]; format == "date-time" || format == "date" {
			return pick(s.Rand, "self < timestamp('2026-06-01T00:00:00Z')", "self.getFullYear() == 2026", "self == oldSelf")
		} else if format == "duration" {
			return pick(s.Rand, "self > duration('1s')", "self.getSeconds() == 60")
		} else if format == "byte" {
			return pick(s.Rand, "self.size() == 1", "self == b'x'")
		}
		return pick(s.Rand, "self.size() <= 1", "self.matches('^b+$')", "self.startsWith('b') || self == 'x'", "self == oldSelf", "self.lowerAscii() == self",
			"self in ['b', 'x']", "self != 'x'", "self.split('').size() < 2", "self.replace('b', 'c') == 'c'", "!self.endsWith('x')", "self.indexOf('b') >= 0",
			"oldSelf.orValue('bb') != self", "self.find('[bx]') == self", "isURL(self) || size(self) > 0", "self.charAt(0) == 'b'", "[self].exists_one(e, e == 'b')", "int(self) > 0")
	case "integer":
		return pick(s.Rand, "self > 2", "self % 4 == 0", "self >= oldSelf", "self == 2 || self == 4", "double(self) / 2.0 > 1.0", "self * 2 < 7", "100 / (self - 2) > 0",
			"oldSelf.hasValue() ? self >= oldSelf.value() : true", "[1, 2, self].sum() < 6", "self - oldSelf <= 1")
	case "number":
		return pick(s.Rand, "self > 0.5", "self <= 2.5", "int(self) == 1", "self == oldSelf", "self in [1.0, 2.5]")
	case "boolean":
		return pick(s.Rand, "self", "!self", "self == oldSelf")
	case "array":
		return s.ofList(schema["items"].(object))
	case "object":
		if schema["x-kubernetes-embedded-resource"] == true {
			return pick(s.Rand, "self.kind == 'Thing'", "has(self.metadata)", "self.metadata.name != 'n'")
		}
		if schema["additionalProperties"] != nil {
			if of, _ := schema["additionalProperties"].(object); of["type"] == nil {
				return "self == oldSelf"
			}
			return pick(s.Rand, "size(self) < 2", "'p' in self", "self.all(k, k == 'p')", "self.exists(k, k == 'q')", "self == oldSelf", "oldSelf.all(k, k in self)")
		}
		return s.ofFields(schema)
	}
	return ""
}

func (s schemer) ofList(items object) string {
	out := []string{"size(self) == 1", "self == oldSelf", "self.size() >= oldSelf.size()", "self.all(x, self.exists_one(y, x == y))", "oldSelf.all(x, x in self)", "self.map(x, x).size() < 2"}
	switch {
	case items["nullable"] == true:
	case items["type"] == "integer":
		out = append(out, "self.sum() < 5", "self.max() <= 2", "self.isSorted()", "self.filter(x, x > 2).size() == 0", "self.all(i, x, i >= 0 && x > 0)")
	case items["type"] == "string" && items["format"] == nil:
		out = append(out, "self.isSorted()", "self.join(',') == 'b'", "self.exists(x, x == 'b')", "self.indexOf('b') != 0")
	case items["type"] == "object" && items["additionalProperties"] == nil:
		if properties, _ := items["properties"].(object); properties["k"] != nil {
			out = append(out, "self.all(x, x.k != 'x')", "self.exists(x, x.k == 'y')", "self.map(x, x.k).join('') == 'xy'")
		}
	}
	return pick(s.Rand, out...)
}

func (s schemer) ofFields(schema object) string {
	properties, _ := schema["properties"].(object)
	names := slices.DeleteFunc(union(properties, nil), func(name string) bool { // of no type, and unknown to expressions
		property := properties[name].(object)
		return property["type"] == nil && property["x-kubernetes-int-or-string"] != true
	})
	if len(names) == 0 {
		return ""
	}
	name := pick(s.Rand, names...)
	other := pick(s.Rand, names...)
	out := []string{"has(self." + name + ")", "!has(self." + name + ") || has(self." + other + ")", "has(self." + name + ") == has(oldSelf." + name + ")", "self == oldSelf",
		"self." + name + " == oldSelf." + name, "has(self." + name + ") != has(self." + other + ")", "!has(oldSelf." + name + ") || has(self." + name + ")",
		"self.?" + name + ".hasValue()", "oldSelf.hasValue() || has(self." + name + ")"}
	if property := properties[name].(object); property["type"] == "integer" && property["nullable"] != true {
		out = append(out, "self."+name+" > 2", "self.?"+name+".orValue(4) > 2")
	}
	return pick(s.Rand, out...)
}

// ofTheWhole says that the real server alone finds a rule of the whole object broken: for a transition rule, defaults of a version count
// there as a change that the last write, through another version, has not stored.
func ofTheWhole(answers []answer) bool {
	if answers[0].code != 422 || answers[1].code >= 300 {
		return false
	}
	for _, cause := range causesOf(answers[0]) {
		if cause, _ := cause.(map[string]any); cause["field"] != "<nil>" {
			return false
		}
	}
	return true
}

// lenientRules excuses the estimate of what a rule may cost, too, which the embedded server does not make. Of a definition that has
// several faults a real server names those of its rules last, or not at all.
func lenientRules(sessions []*session, r request, answers []answer, symbolic []any) bool {
	if body, _ := answers[0].body.(map[string]any); r.id == 0 && answers[0].code == 422 {
		message, _ := body["message"].(string)
		if answers[1].code == 422 || strings.Contains(message, "estimated rule cost") || strings.Contains(message, "cost exceeds") {
			return true
		}
	}
	return ofTheWhole(answers) || lenientDefinition(sessions, r, answers, symbolic)
}
