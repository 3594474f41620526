package main

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// merger makes objects and strategic merge patches of members.
type merger struct {
	*rand.Rand
}

// generateMerges is an object, and patches of it: half of them change it, the others see it as it is.
func generateMerges(r *rand.Rand, length int, only string) []request {
	m := merger{r}
	kinds := mergedKinds
	if only != "" {
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(k mergedKind) bool { return !strings.HasSuffix(k.collection, "/"+only) })
	}
	kind := pick(r, kinds...)
	path := kind.collection + "/a"
	out := []request{{method: "POST", path: kind.collection, contentType: jsonType, body: text(m.object(kind))}}
	if len(kind.status) > 0 {
		body := object{"status": m.made(kind.status)}
		out = append(out, request{method: "PATCH", path: path + "/status", contentType: mergePatch, body: text(body)})
	}
	for range length {
		of, patch := path, object{}
		switch n := r.IntN(100); {
		case n < 20:
			patch["metadata"] = m.patch(metadataFields)
		case n < 40 && len(kind.status) > 0:
			of += "/status"
			patch["status"] = m.patch(kind.status)
		case kind.changeable != nil:
			patch["spec"] = m.patch(kind.changeable)
		default:
			patch = m.patch(kind.fields)
		}
		if r.IntN(2) == 0 {
			of += "?dryRun=All"
		}
		out = append(out, request{method: "PATCH", path: of, contentType: strategicPatch, body: text(patch)})
	}
	for i := range out {
		out[i].id = i
	}
	return out
}

func (m merger) object(kind mergedKind) object {
	out := m.made(kind.fields)
	metadata := m.made(metadataFields)
	metadata["name"] = "a"
	out["metadata"] = metadata
	kind.fix(out)
	return out
}

// ---- Objects

func (m merger) made(fields []member) object {
	out := object{}
	for _, f := range fields {
		if f.always || m.IntN(3) == 0 {
			out[f.name] = m.value(f)
		}
	}
	return out
}

func (m merger) value(f member) any {
	if f.make != nil {
		return f.make(m.Rand)
	}
	switch f.shape {
	case scalar:
		return pick(m.Rand, f.values...)
	case mapping:
		out := object{}
		for _, key := range f.keys {
			if m.IntN(2) == 0 {
				out[key] = pick(m.Rand, f.values...)
			}
		}
		return out
	case structure:
		return m.made(f.fields)
	case texts:
		return m.some(f.values)
	}
	// Elements: each key once, and now and then twice where nothing forbids it.
	out := []any{}
	if f.key == "" {
		for range 1 + m.IntN(2) {
			out = append(out, m.element(f))
		}
		return out
	}
	for _, key := range m.some(f.keyValues()) {
		element := m.element(f)
		element[f.key] = key
		out = append(out, element)
	}
	if len(out) == 0 {
		out = append(out, m.element(f))
	}
	return out
}

func (m merger) element(f member) object {
	out := m.made(f.fields)
	if len(f.oneOf) > 0 {
		source := pick(m.Rand, f.oneOf...)
		out[source.name] = m.value(source)
	}
	return out
}

func (f member) keyValues() []any {
	at := slices.IndexFunc(f.fields, func(k member) bool { return k.name == f.key })
	return f.fields[at].values
}

// some of the values, each at most once, in any order.
func (m merger) some(values []any) []any {
	out := []any{}
	for _, value := range values {
		if m.IntN(2) == 0 {
			out = append(out, value)
		}
	}
	m.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// ---- Patches

func (m merger) rarely() bool { return m.IntN(40) == 0 }

// patch changes one to three of the fields.
func (m merger) patch(fields []member) object {
	switch {
	case m.rarely():
		out := m.made(fields)
		out["$patch"] = pick(m.Rand, "replace", "replace", "delete", "merge", "sideways")
		return out
	case m.rarely():
		return object{}
	}
	out := object{}
	for range min(len(fields), 1+m.IntN(3)) {
		m.change(pick(m.Rand, fields...), out)
	}
	if m.rarely() {
		out["unknown"] = pick[any](m.Rand, 1, object{"a": nil}, []any{"x"})
	}
	if m.IntN(14) == 0 {
		m.retain(fields, out)
	}
	return out
}

// retain names what is to stay: what the patch has, mostly, and some others.
func (m merger) retain(fields []member, out object) {
	keys := []any{}
	for _, f := range fields {
		if out[f.name] != nil && m.IntN(12) > 0 || f.always || m.IntN(4) == 0 {
			keys = append(keys, f.name)
		}
	}
	out["$retainKeys"] = keys
	if m.rarely() {
		out["$retainKeys"] = pick[any](m.Rand, "x", nil, object{})
	}
}

func (m merger) change(f member, out object) {
	if m.IntN(10) == 0 && !f.always || m.rarely() {
		out[f.name] = nil
		return
	}
	switch f.shape {
	case scalar:
		out[f.name] = pick(m.Rand, f.values...)
	case mapping:
		changes := object{}
		for _, key := range f.keys {
			switch m.IntN(4) {
			case 0:
				changes[key] = nil
			case 1:
				changes[key] = pick(m.Rand, f.values...)
			}
		}
		if m.IntN(10) == 0 {
			changes["$patch"] = pick(m.Rand, "replace", "delete")
		}
		out[f.name] = changes
	case structure:
		out[f.name] = m.patch(f.fields)
	case texts:
		m.changeTexts(f, out)
	case elements:
		m.changeElements(f, out)
	}
}

func (m merger) changeTexts(f member, out object) {
	// With a value that is both sent and deleted the real server's answer follows the order of a Go map.
	delete(out, "$deleteFromPrimitiveList/"+f.name)
	delete(out, "$setElementOrder/"+f.name)
	values := m.some(f.values)
	if m.IntN(5) > 0 {
		out[f.name] = values
	}
	if f.merges && m.IntN(3) == 0 || m.rarely() {
		gone := []any{}
		for _, value := range m.some(f.values) {
			if !slices.Contains(values, value) || m.rarely() && out["$setElementOrder/"+f.name] != nil {
				gone = append(gone, value)
			}
		}
		out["$deleteFromPrimitiveList/"+f.name] = gone
	}
	if f.merges && m.IntN(3) == 0 || m.rarely() {
		out["$setElementOrder/"+f.name] = m.order(values, f.values)
	}
}

// order names all that is sent, in its order, and some of the others; mostly.
func (m merger) order(sent, all []any) []any {
	out := []any{}
	for _, value := range sent {
		if m.IntN(25) > 0 {
			out = append(out, value)
		}
	}
	for _, value := range all {
		if !slices.Contains(out, value) && m.IntN(2) == 0 {
			out = slices.Insert(out, m.IntN(len(out)+1), value)
		}
	}
	if m.IntN(10) == 0 {
		m.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

func (m merger) changeElements(f member, out object) {
	if !f.merges {
		out[f.name] = m.value(f)
		return
	}
	list, keys := []any{}, []any{}
	for range m.IntN(4) {
		element := m.changedElement(f)
		list = append(list, element)
		if key, deleted := element[f.key], element["$patch"] != nil; key != nil && !deleted && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if m.IntN(6) > 0 {
		out[f.name] = list
	} else {
		keys = nil
	}
	if m.IntN(3) > 0 {
		return
	}
	order := []any{}
	for _, key := range m.order(keys, f.keyValues()) {
		order = append(order, object{f.key: key})
	}
	if m.rarely() {
		order = append(order, pick[any](m.Rand, object{}, "x", nil))
	}
	if len(order) == 0 && len(list) > 0 {
		return // which the real server sorts by nothing, and not stably
	}
	out["$setElementOrder/"+f.name] = order
}

func (m merger) changedElement(f member) object {
	key := pick(m.Rand, f.keyValues()...)
	switch n := m.IntN(30); {
	case n < 5:
		return object{f.key: key, "$patch": "delete"}
	case n < 6:
		return object{"$patch": pick(m.Rand, "replace", "replace", "replace", "merge", "delete")}
	case n < 15: // whole, so that it may be a new one
		out := m.element(f)
		out[f.key] = key
		return out
	}
	out := m.patch(slices.DeleteFunc(slices.Concat(f.fields, f.oneOf), func(k member) bool { return k.name == f.key }))
	out[f.key] = key
	if len(f.oneOf) > 0 && m.IntN(2) == 0 {
		source := pick(m.Rand, f.oneOf...)
		out = object{f.key: key, source.name: m.value(source), "$retainKeys": []any{f.key, source.name}}
	}
	if m.rarely() {
		delete(out, f.key)
	}
	return out
}
