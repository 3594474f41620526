package main

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// table is one file: the facts of one Go package.
type table struct {
	alias string
	lines [][]string
}

// scalars are the types with a form of their own on the wire or in JSON. They are field kinds, not messages.
var scalars = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):          "time",
	reflect.TypeOf(metav1.MicroTime{}):     "microtime",
	reflect.TypeOf(metav1.Duration{}):      "duration",
	reflect.TypeOf(resource.Quantity{}):    "quantity",
	reflect.TypeOf(intstr.IntOrString{}):   "intorstring",
	reflect.TypeOf(runtime.RawExtension{}): "rawjson",
	reflect.TypeOf(metav1.FieldsV1{}):      "rawjson",
	reflect.TypeOf(apiextv1.JSON{}):        "rawjson",
	reflect.TypeOf(apiextv1beta1.JSON{}):   "rawjson",
}

// unions are the structs whose JSON form is "this or that".
var unions = map[reflect.Type]string{
	reflect.TypeOf(apiextv1.JSONSchemaPropsOrArray{}):            "union=schemaOrArray",
	reflect.TypeOf(apiextv1.JSONSchemaPropsOrBool{}):             "union=schemaOrBool",
	reflect.TypeOf(apiextv1.JSONSchemaPropsOrStringArray{}):      "union=schemaOrStringArray",
	reflect.TypeOf(apiextv1beta1.JSONSchemaPropsOrArray{}):       "union=schemaOrArray",
	reflect.TypeOf(apiextv1beta1.JSONSchemaPropsOrBool{}):        "union=schemaOrBool",
	reflect.TypeOf(apiextv1beta1.JSONSchemaPropsOrStringArray{}): "union=schemaOrStringArray",
}

var typeMeta = reflect.TypeOf(metav1.TypeMeta{})

type importer struct {
	messages map[reflect.Type]bool
	byPath   map[string][]reflect.Type
	comments *commentIndex
}

func importTypes() ([]table, error) {
	comments, err := readComments()
	if err != nil {
		return nil, err
	}
	im := &importer{messages: map[reflect.Type]bool{}, byPath: map[string][]reflect.Type{}, comments: comments}
	known := map[string]bool{}
	for _, p := range packages {
		known[p.path] = true
	}
	groupVersion := map[string]string{}
	kinds := map[string]map[string]bool{}
	for _, p := range packages {
		scheme := runtime.NewScheme()
		if err := p.add(scheme); err != nil {
			return nil, fmt.Errorf("%s: %w", p.path, err)
		}
		kinds[p.path] = map[string]bool{}
		for gvk, t := range scheme.AllKnownTypes() {
			if t.PkgPath() != p.path || gvk.Version == runtime.APIVersionInternal || gvk.Kind != t.Name() {
				continue
			}
			if !isMessage(t) {
				continue
			}
			kinds[p.path][gvk.Kind] = true
			if g := gvk.Group + "\t" + gvk.Version; p.alias != "metav1" && p.alias != "metav1beta1" {
				groupVersion[p.path] = g
			}
			if err := im.visit(t); err != nil {
				return nil, err
			}
		}
	}
	groupVersion["k8s.io/apimachinery/pkg/apis/meta/v1"] = "meta.k8s.io\tv1"
	groupVersion["k8s.io/apimachinery/pkg/apis/meta/v1beta1"] = "meta.k8s.io\tv1beta1"
	for path := range im.byPath {
		if !known[path] {
			return nil, fmt.Errorf("messages of package %s are used, but it is not in the list of packages", path)
		}
	}
	var tables []table
	for _, p := range packages {
		t := table{alias: p.alias}
		t.lines = append(t.lines,
			[]string{"# Facts of the Go package " + p.path + ", written by codegen/import. Not to be edited."},
			[]string{"# field: number, JSON name, kind, message or map/list element type, flags"},
			append([]string{"package", protoPackage(p.path)}, strings.Split(groupVersion[p.path], "\t")...))
		types := im.byPath[p.path]
		sort.Slice(types, func(i, j int) bool { return types[i].Name() < types[j].Name() })
		for _, m := range types {
			lines, err := im.describe(m, kinds[p.path][m.Name()])
			if err != nil {
				return nil, err
			}
			t.lines = append(t.lines, lines...)
		}
		if len(types) > 0 {
			tables = append(tables, t)
		}
	}
	return tables, nil
}

// isMessage tells whether t has a protobuf form.
func isMessage(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("MarshalToSizedBuffer")
	return ok
}

// visit records t and every message that it reaches.
func (im *importer) visit(t reflect.Type) error {
	if im.messages[t] {
		return nil
	}
	if !isMessage(t) {
		return fmt.Errorf("%s.%s has no protobuf form but is used by one that has", t.PkgPath(), t.Name())
	}
	im.messages[t] = true
	im.byPath[t.PkgPath()] = append(im.byPath[t.PkgPath()], t)
	if t.Kind() == reflect.Slice {
		return nil
	}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if f.Type == typeMeta || f.Tag.Get("protobuf") == "" {
			continue
		}
		if e := element(f.Type); (e.Kind() == reflect.Struct || isMessage(e)) && scalars[e] == "" {
			if err := im.visit(e); err != nil {
				return fmt.Errorf("field %s of %s: %w", f.Name, t.Name(), err)
			}
		}
	}
	return nil
}

// element is the type of one value: what is left of a type without pointers, lists and maps.
func element(t reflect.Type) reflect.Type {
	for {
		switch {
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Map:
			t = t.Elem()
		case t.Kind() == reflect.Slice && !isMessage(t) && t.Elem().Kind() != reflect.Uint8:
			t = t.Elem()
		default:
			return t
		}
	}
}

func (im *importer) describe(t reflect.Type, kind bool) ([][]string, error) {
	head := []string{"message", t.Name()}
	var flags []string
	if u := unions[t]; u != "" {
		flags = append(flags, u)
	}
	if t.Kind() == reflect.Slice {
		// A list that may be absent or empty: on the wire a message with one repeated field, in JSON the list itself.
		if t.Elem().Kind() != reflect.String {
			return nil, fmt.Errorf("%s: only lists of strings are known as messages", t.Name())
		}
		return [][]string{append(head, "union=stringList"), {"field", "1", "items", "string", "-", "repeated,omitempty"}}, nil
	}
	var lines [][]string
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if f.Type == typeMeta {
			flags = append(flags, "typemeta")
			continue
		}
		tag := f.Tag.Get("protobuf")
		if tag == "" || tag == "-" {
			if f.Tag.Get("json") != "-" && f.IsExported() {
				fmt.Printf("note: %s.%s.%s has no protobuf tag\n", t.PkgPath(), t.Name(), f.Name)
			}
			continue
		}
		line, err := im.field(t, f, tag)
		if err != nil {
			return nil, fmt.Errorf("%s.%s.%s: %w", t.PkgPath(), t.Name(), f.Name, err)
		}
		lines = append(lines, line)
	}
	if kind {
		flags = append(flags, "kind")
		flags = append(flags, im.comments.clientFlags(t)...)
	}
	return append([][]string{append(head, strings.Join(flags, ","))}, lines...), nil
}

func (im *importer) field(owner reflect.Type, f reflect.StructField, tag string) ([]string, error) {
	parts := strings.Split(tag, ",")
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		return nil, fmt.Errorf("protobuf tag %q: %w", tag, err)
	}
	var flags []string
	ft := f.Type
	if ft.Kind() == reflect.Pointer {
		flags = append(flags, "pointer")
		ft = ft.Elem()
	}
	switch {
	case ft.Kind() == reflect.Map:
		if ft.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("a map with keys of type %s", ft.Key())
		}
		flags = append(flags, "map")
		ft = ft.Elem()
	case ft.Kind() == reflect.Slice && !isMessage(ft) && ft.Elem().Kind() != reflect.Uint8:
		flags = append(flags, "repeated")
		ft = ft.Elem()
	}
	kind, message, err := valueKind(ft)
	if err != nil {
		return nil, err
	}
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	// encoding/json reads no option `inline`: an embedded struct without a name is one.
	if f.Anonymous && name == "" {
		flags = append(flags, "inline")
		name = strings.ToLower(f.Name[:1]) + f.Name[1:]
	} else if name == "" {
		name = f.Name
	}
	omit := false
	for _, o := range strings.Split(options, ",") {
		switch o {
		case "omitempty":
			// encoding/json never leaves a struct out for being empty.
			omit = omit || f.Type.Kind() != reflect.Struct
		case "omitzero":
			omit = true
		}
	}
	if omit {
		flags = append(flags, "omitempty")
	}
	for _, key := range []string{"patchStrategy", "patchMergeKey"} {
		if v := f.Tag.Get(key); v != "" {
			flags = append(flags, key+"="+strings.ReplaceAll(v, ",", "+"))
		}
	}
	flags = append(flags, im.comments.fieldFlags(owner, f.Name)...)
	return []string{"field", strconv.Itoa(number), name, kind, message, strings.Join(flags, ",")}, nil
}

// valueKind names the shape of one value, and its message where it is one.
func valueKind(t reflect.Type) (kind, message string, err error) {
	if s := scalars[t]; s != "" {
		return s, "-", nil
	}
	if isMessage(t) {
		return "message", protoPackage(t.PkgPath()) + "." + t.Name(), nil
	}
	switch t.Kind() {
	case reflect.String:
		return "string", "-", nil
	case reflect.Bool:
		return "bool", "-", nil
	case reflect.Int32:
		return "int32", "-", nil
	case reflect.Int64, reflect.Int:
		return "int64", "-", nil
	case reflect.Float64:
		return "double", "-", nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes", "-", nil
		}
	}
	return "", "", fmt.Errorf("type %s has no known form", t)
}

func protoPackage(path string) string { return strings.ReplaceAll(path, "/", ".") }
