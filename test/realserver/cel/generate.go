package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A variable, or a path into self.
type name struct {
	text string
	t    *cel.Type
}

type overload struct {
	function string
	member   bool
	args     []*cel.Type
	result   *cel.Type
}

// A generator makes expressions of the types that they must have, with a mistake now and then.
type generator struct {
	r         *rand.Rand
	overloads []overload
	scope     []name
	types     []*cel.Type // to choose from
	mistakes  int         // per thousand
	next      int         // of variables
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// What rules of definitions cannot use, or has no text of its own.
var left = []string{"authorizer", "path", "group", "serviceAccount", "resource", "subresource", "namespace", "name",
	"fieldSelector", "labelSelector", "check", "allowed", "reason", "errored", "error", "in", "_in_", "cel.@mapInsert",
	"@sortByAssociatedKeys", "@not_strictly_false", "__not_strictly_false__", "_?._", "_?_", "_||_", "_&&_", "type"}

func newGenerator(r *rand.Rand, env *cel.Env, decl *apiservercel.DeclType) *generator {
	g := &generator{r: r, mistakes: 15}
	functions := env.Functions()
	for _, f := range sortedKeys(functions) {
		if slices.Contains(left, f) {
			continue
		}
		for _, o := range functions[f].OverloadDecls() {
			g.overloads = append(g.overloads, overload{f, o.IsMemberFunction(), o.ArgTypes(), o.ResultType()})
		}
	}
	g.types = []*cel.Type{cel.IntType, cel.UintType, cel.DoubleType, cel.StringType, cel.BoolType, cel.BytesType,
		cel.DurationType, cel.TimestampType, cel.ListType(cel.IntType), cel.ListType(cel.StringType), cel.ListType(cel.DoubleType),
		cel.MapType(cel.StringType, cel.IntType), cel.MapType(cel.StringType, cel.StringType), cel.OptionalType(cel.IntType),
		cel.OptionalType(cel.StringType), cel.ListType(cel.ListType(cel.IntType)), apiservercel.QuantityType,
		apiservercel.IPType, apiservercel.CIDRType, apiservercel.URLType, apiservercel.SemverType, apiservercel.FormatType,
		cel.DynType, cel.TypeType}
	g.paths("self", decl, 0)
	return g
}

func (g *generator) paths(text string, decl *apiservercel.DeclType, depth int) {
	g.scope = append(g.scope, name{text, decl.CelType()})
	if depth > 2 {
		return
	}
	for _, field := range sortedKeys(decl.Fields) {
		g.paths(text+"."+field, decl.Fields[field].Type, depth+1)
	}
}

func (g *generator) one(choices ...string) string { return choices[g.r.IntN(len(choices))] }

func (g *generator) anyType() *cel.Type { return g.types[g.r.IntN(len(g.types))] }

// whole returns an expression of any type.
func (g *generator) whole(depth int) string {
	t := g.anyType()
	if g.r.IntN(2) == 0 {
		t = cel.BoolType
	}
	return g.of(t, depth)
}

// of returns an expression of this type.
func (g *generator) of(t *cel.Type, depth int) string {
	if g.r.IntN(1000) < g.mistakes {
		t = g.anyType()
	}
	if t.Kind() == types.TypeParamKind || t.Kind() == types.DynKind {
		inner := g.of(g.types[g.r.IntN(15)], depth)
		if t.Kind() == types.DynKind && g.r.IntN(2) == 0 {
			return "dyn(" + inner + ")"
		}
		return inner
	}
	if depth <= 0 || g.r.IntN(6) == 0 {
		return g.leaf(t)
	}
	switch g.r.IntN(10) {
	case 0:
		return fmt.Sprintf("(%s ? %s : %s)", g.of(cel.BoolType, depth-1), g.of(t, depth-1), g.of(t, depth-1))
	case 1, 2, 3:
		if text := g.macro(t, depth); text != "" {
			return text
		}
	}
	if text := g.call(t, depth); text != "" {
		return text
	}
	return g.leaf(t)
}

func (g *generator) leaf(t *cel.Type) string {
	var fitting []string
	for _, n := range g.scope {
		if n.t.IsExactType(t) {
			fitting = append(fitting, n.text)
		}
	}
	if len(fitting) > 0 && g.r.IntN(5) < 3 {
		return fitting[g.r.IntN(len(fitting))]
	}
	return g.literal(t)
}

var texts = []string{"", "a", "abc", "A-b", "é", "𝄞x", "a,b,c", "x y ", "1", "-5", "1.5", "true", "b", "app", "%s", "\\n", "web"}
var texts2 = map[string][]string{
	"quantity":    {"1", "1Gi", "-500m", "1.5k", "0", "100e3", "x", "1 Gi", "9999999999999999999999", "0.1n"},
	"ip":          {"10.0.0.1", "::1", "fe80::1", "256.1.1.1", "1.2.3", "::ffff:1.2.3.4", "224.0.0.1", "127.0.0.1", "::"},
	"cidr":        {"10.0.0.0/8", "10.1.2.3/24", "::/0", "fe80::/10", "10.0.0.0/33", "10.0.0.0", "::1/128"},
	"url":         {"http://a.b/c?d=e&d=f#g", "https://[::1]:80/", "/x/y", "a", "mailto:x@y", "http://u:p@h:1/%41", "", "http://a b/"},
	"semver":      {"1.2.3", "v1.2.3", "1.2", "0.1.0-alpha.1+b", "01.2.3", "1.2.3-rc.2", "1.2.3-rc.10", "x", "2.0.0"},
	"timestamp":   {"2024-02-29T12:34:56Z", "1969-12-31T23:59:59.5+02:00", "x", "9999-12-31T23:59:59Z", "2024-02-30T00:00:00Z"},
	"duration":    {"1h2m3s", "-1.5s", "10ms", "x", "0", "1us", "100h"},
	"matches":     {"^a+$", "[a-z]+", "b", "(a|b)*", "a{2,3}", ".", "\\\\d+", "", "("},
	"int":         {"1", "-5", "x", "9223372036854775808", "+7", "1.0"},
	"uint":        {"1", "-5", "x", "18446744073709551615"},
	"double":      {"1", "-5.5", "x", "1e10", "NaN", "inf"},
	"bool":        {"true", "false", "1", "t", "x", "TRUE"},
	"zone":        {"UTC", "+02:00", "-03:30", "", "02:00"},
	"format":      {"%s", "%d", "%.3f", "%e", "%x", "%X", "%b", "%o", "a %s b %s", "%%", "%", "%s %d", "%q", "%.2e"},
	"validate":    {"a", "a-", "A", "a.b", "x/y", "/", "550e8400-e29b-41d4-a716-446655440000", "YWJj", "2024-01-01", "2024-01-01T00:00:00Z", "http://x"},
	"named":       {"uri", "uuid", "dns1123Label", "x"},
	"lists.range": {"0", "1", "5"},
}

// pool returns what the text of an argument is chosen from.
func pool(function string, index int) []string {
	switch function {
	case "isQuantity":
		return texts2["quantity"]
	case "isIP", "ip.isCanonical", "containsIP":
		return texts2["ip"]
	case "isCIDR", "containsCIDR":
		return texts2["cidr"]
	case "isURL":
		return texts2["url"]
	case "isSemver":
		return texts2["semver"]
	case "format.named":
		return texts2["named"]
	case "matches", "find", "findAll":
		if index == 0 {
			return nil
		}
		return texts2["matches"]
	case "format":
		if index == 0 {
			return texts2["format"]
		}
		return nil
	}
	if strings.HasPrefix(function, "get") {
		return texts2["zone"]
	}
	return texts2[function]
}

func (g *generator) literal(t *cel.Type) string {
	switch t.Kind() {
	case types.IntKind:
		return g.one("0", "1", "-1", "2", "3", "7", "10", "100", "9223372036854775807", "-9223372036854775808")
	case types.UintKind:
		return g.one("0u", "1u", "2u", "18446744073709551615u")
	case types.DoubleKind:
		return g.one("0.0", "1.0", "-1.5", "2.5", "1e100", "0.1", "1e-7", "1234567.0")
	case types.BoolKind:
		return g.one("true", "false")
	case types.StringKind:
		return `"` + texts[g.r.IntN(len(texts))] + `"`
	case types.BytesKind:
		return g.one(`b""`, `b"abc"`, `b"\xff"`, `b"é"`)
	case types.DurationKind:
		return `duration("` + g.one("1h", "-1.5s", "0", "10ms") + `")`
	case types.TimestampKind:
		return g.one(`timestamp("2024-02-29T12:34:56Z")`, `timestamp("1969-12-31T23:59:59.5+02:00")`, `timestamp(0)`)
	case types.ListKind:
		var items []string
		for range g.r.IntN(4) {
			items = append(items, g.of(t.Parameters()[0], 0))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case types.MapKind:
		var entries []string
		for i := range g.r.IntN(3) {
			key := g.of(t.Parameters()[0], 0)
			if t.Parameters()[0].Kind() == types.StringKind {
				key = fmt.Sprintf(`"%c"`, 'a'+i)
			}
			entries = append(entries, key+": "+g.of(t.Parameters()[1], 0))
		}
		return "{" + strings.Join(entries, ", ") + "}"
	case types.OpaqueKind:
		if t.TypeName() == "optional_type" {
			if g.r.IntN(3) == 0 {
				return "optional.none()"
			}
			return "optional.of(" + g.of(t.Parameters()[0], 0) + ")"
		}
	case types.TypeKind:
		return g.one("int", "string", "list", "map", "google.protobuf.Duration", "type", "null_type") // more by type(x)
	}
	switch t {
	case apiservercel.QuantityType:
		return `quantity("` + g.one(texts2["quantity"]...) + `")`
	case apiservercel.SemverType:
		return `semver("` + g.one(texts2["semver"]...) + `")`
	case apiservercel.URLType:
		return `url("` + g.one(texts2["url"]...) + `")`
	case apiservercel.IPType:
		return `ip("` + g.one(texts2["ip"]...) + `")`
	case apiservercel.CIDRType:
		return `cidr("` + g.one(texts2["cidr"]...) + `")`
	case apiservercel.FormatType:
		return "format." + g.one("uri", "uuid", "byte", "date", "datetime", "dns1123Label", "dns1123Subdomain", "dns1035Label",
			"qualifiedName", "dns1123LabelPrefix", "labelValue") + "()"
	}
	return "null"
}

// fits returns what the parameters of a type stand for where it is to be another; nil if it never is.
func fits(pattern, t *cel.Type, bound map[string]*cel.Type) bool {
	if pattern.Kind() == types.TypeParamKind {
		if known, ok := bound[pattern.TypeName()]; ok {
			return known.IsExactType(t)
		}
		bound[pattern.TypeName()] = t
		return true
	}
	if pattern.Kind() != t.Kind() || len(pattern.Parameters()) != len(t.Parameters()) {
		return false
	}
	if len(pattern.Parameters()) == 0 {
		return pattern.IsExactType(t)
	}
	if pattern.Kind() == types.OpaqueKind && pattern.TypeName() != t.TypeName() {
		return false
	}
	for i, p := range pattern.Parameters() {
		if !fits(p, t.Parameters()[i], bound) {
			return false
		}
	}
	return true
}

func (g *generator) resolved(t *cel.Type, bound map[string]*cel.Type) *cel.Type {
	switch t.Kind() {
	case types.TypeParamKind:
		if bound[t.TypeName()] == nil {
			bound[t.TypeName()] = g.types[g.r.IntN(8)]
		}
		return bound[t.TypeName()]
	case types.ListKind:
		return cel.ListType(g.resolved(t.Parameters()[0], bound))
	case types.MapKind:
		key := g.resolved(t.Parameters()[0], bound)
		if t.Parameters()[0].Kind() == types.TypeParamKind && !slices.Contains([]types.Kind{types.IntKind, types.StringKind, types.BoolKind, types.UintKind}, key.Kind()) {
			key = cel.StringType
			bound[t.Parameters()[0].TypeName()] = key
		}
		return cel.MapType(key, g.resolved(t.Parameters()[1], bound))
	case types.OpaqueKind:
		if t.TypeName() == "optional_type" {
			return cel.OptionalType(g.resolved(t.Parameters()[0], bound))
		}
	}
	return t
}

// call returns a call of a function or operator with this result; empty if there is none.
func (g *generator) call(t *cel.Type, depth int) string {
	for range 200 {
		o := g.overloads[g.r.IntN(len(g.overloads))]
		bound := map[string]*cel.Type{}
		if !fits(o.result, t, bound) {
			continue
		}
		if (o.function == "_==_" || o.function == "_!=_" || o.function == "_[_]") && g.r.IntN(2) == 0 {
			continue
		}
		var args []string
		for i, a := range o.args {
			want := g.resolved(a, bound)
			if from := pool(o.function, i); from != nil && want.Kind() == types.StringKind && g.r.IntN(10) < 7 {
				args = append(args, `"`+from[g.r.IntN(len(from))]+`"`)
			} else if o.function == "lists.range" {
				args = append(args, g.one("0", "1", "5", "-1", "20"))
			} else if o.function == "format" && i == 1 {
				args = append(args, g.arguments(depth))
			} else {
				args = append(args, g.of(want, depth-1))
			}
		}
		return written(o, args)
	}
	return ""
}

// arguments returns the list of what is formatted.
func (g *generator) arguments(depth int) string {
	var items []string
	for range g.r.IntN(3) {
		items = append(items, g.of(g.anyType(), depth-2))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func written(o overload, args []string) string {
	switch f := o.function; {
	case f == "_?_:_":
		return "(" + args[0] + " ? " + args[1] + " : " + args[2] + ")"
	case f == "_[_]":
		return args[0] + "[" + args[1] + "]"
	case f == "_[?_]":
		return args[0] + "[?" + args[1] + "]"
	case f == "@in":
		return "(" + args[0] + " in " + args[1] + ")"
	case strings.HasPrefix(f, "_") && strings.HasSuffix(f, "_"):
		return "(" + args[0] + " " + strings.Trim(f, "_") + " " + args[1] + ")"
	case f == "-_":
		return "-(" + args[0] + ")"
	case f == "!_":
		return "!" + "(" + args[0] + ")"
	case o.member:
		return "(" + args[0] + ")." + f + "(" + strings.Join(args[1:], ", ") + ")"
	default:
		return f + "(" + strings.Join(args, ", ") + ")"
	}
}

// with returns what makes returns with more variables in scope.
func (g *generator) with(more []name, makes func() string) string {
	length := len(g.scope)
	g.scope = append(g.scope, more...)
	text := makes()
	g.scope = g.scope[:length]
	return text
}

func (g *generator) variable() string {
	g.next++
	return fmt.Sprintf("v%d", g.next)
}

func (g *generator) scalar() *cel.Type { return g.types[g.r.IntN(8)] }

// macro returns a macro with this result; empty if there is none.
func (g *generator) macro(t *cel.Type, depth int) string {
	x, y := g.variable(), g.variable()
	item := g.scalar()
	list := cel.ListType(item)
	inside := func(variables []name, result *cel.Type) string {
		return g.with(variables, func() string { return g.of(result, depth-1) })
	}
	single := []name{{x, item}}
	pair := []name{{x, cel.IntType}, {y, item}}
	switch t.Kind() {
	case types.BoolKind:
		switch g.r.IntN(8) {
		case 0:
			return g.of(cel.BoolType, depth-1) + g.one(" && ", " || ") + g.of(cel.BoolType, depth-1)
		case 1:
			return "has(self." + g.one("i", "s", "o", "li", "mi", "o.y", "any", "d") + ")"
		case 2:
			m := cel.MapType(cel.StringType, item)
			return fmt.Sprintf("%s.%s(%s, %s, %s)", g.of(m, depth-1), g.one("all", "exists", "existsOne"), x, y,
				inside([]name{{x, cel.StringType}, {y, item}}, cel.BoolType))
		case 3:
			return fmt.Sprintf("%s.%s(%s, %s, %s)", g.of(list, depth-1), g.one("all", "exists", "existsOne"), x, y, inside(pair, cel.BoolType))
		case 4:
			m := cel.MapType(cel.StringType, item)
			return fmt.Sprintf("%s.%s(%s, %s)", g.of(m, depth-1), g.one("all", "exists", "exists_one"), x, inside([]name{{x, cel.StringType}}, cel.BoolType))
		case 5:
			keyed := []name{{x + ".k", cel.StringType}, {x + ".v", cel.IntType}}
			return fmt.Sprintf("self.keyed.%s(%s, %s)", g.one("all", "exists", "exists_one"), x, inside(keyed, cel.BoolType))
		}
		return fmt.Sprintf("%s.%s(%s, %s)", g.of(list, depth-1), g.one("all", "exists", "exists_one"), x, inside(single, cel.BoolType))
	case types.ListKind:
		to := t.Parameters()[0]
		switch g.r.IntN(6) {
		case 0:
			return fmt.Sprintf("%s.filter(%s, %s)", g.of(t, depth-1), x, inside([]name{{x, to}}, cel.BoolType))
		case 1:
			return fmt.Sprintf("%s.map(%s, %s, %s)", g.of(list, depth-1), x, inside(single, cel.BoolType), inside(single, to))
		case 2:
			return fmt.Sprintf("%s.transformList(%s, %s, %s)", g.of(list, depth-1), x, y, inside(pair, to))
		case 3:
			return fmt.Sprintf("%s.transformList(%s, %s, %s, %s)", g.of(list, depth-1), x, y, inside(pair, cel.BoolType), inside(pair, to))
		case 4:
			return fmt.Sprintf("%s.sortBy(%s, %s)", g.of(t, depth-1), x, inside([]name{{x, to}}, cel.IntType))
		}
		return fmt.Sprintf("%s.map(%s, %s)", g.of(list, depth-1), x, inside(single, to))
	case types.MapKind:
		if t.Parameters()[0].Kind() != types.StringKind {
			return ""
		}
		to := t.Parameters()[1]
		from := cel.MapType(cel.StringType, item)
		named := []name{{x, cel.StringType}, {y, item}}
		switch g.r.IntN(3) {
		case 0:
			return fmt.Sprintf("%s.transformMap(%s, %s, %s, %s)", g.of(from, depth-1), x, y, inside(named, cel.BoolType), inside(named, to))
		case 1:
			return fmt.Sprintf("%s.transformMapEntry(%s, %s, {%s: %s})", g.of(from, depth-1), x, y, inside(named, cel.StringType), inside(named, to))
		}
		return fmt.Sprintf("%s.transformMap(%s, %s, %s)", g.of(from, depth-1), x, y, inside(named, to))
	case types.OpaqueKind:
		if t.TypeName() != "optional_type" {
			return ""
		}
		from := cel.OptionalType(item)
		switch g.r.IntN(4) {
		case 0:
			return fmt.Sprintf("%s.optFlatMap(%s, %s)", g.of(from, depth-1), x, inside(single, t))
		case 1:
			for _, n := range g.scope {
				if i := strings.LastIndex(n.text, "."); i > 0 && n.t.IsExactType(t.Parameters()[0]) && g.r.IntN(3) == 0 {
					return n.text[:i] + ".?" + n.text[i+1:]
				}
			}
		}
		return fmt.Sprintf("%s.optMap(%s, %s)", g.of(from, depth-1), x, inside(single, t.Parameters()[0]))
	case types.TypeKind:
		return "type(" + g.of(g.anyType(), depth-1) + ")"
	}
	return ""
}
