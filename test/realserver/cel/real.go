package main

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// answer is what a side says of an expression. Exactly one of error and value is set; the value of
// an evaluation that failed is "error".
type answer struct {
	Error    string `json:"error,omitempty"`
	Type     string `json:"type,omitempty"`
	Value    string `json:"value,omitempty"`
	Fault    string `json:"fault,omitempty"`    // of the evaluation
	Estimate string `json:"estimate,omitempty"` // cost at worst
	Cost     string `json:"cost,omitempty"`     // of this evaluation
}

// A subject is a schema with an object, as the rules of a CustomResourceDefinition see it.
type subject struct {
	env  *cel.Env
	self ref.Val
	// For costs: the real server's own compiler takes rules only, which are of type bool.
	structural *schema.Structural
	decl       *apiservercel.DeclType
}

func newSubject(schemaJSON, object string) (*subject, error) {
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(schemaJSON), &v1); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	decl := model.SchemaDeclType(structural, false)
	if decl == nil {
		return nil, fmt.Errorf("the schema is not visible in expressions")
	}
	scoped := decl.MaybeAssignTypeName("selfType")
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 37)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", scoped.CelType())},
		DeclTypes:         []*apiservercel.DeclType{scoped},
	})
	if err != nil {
		return nil, err
	}
	var value interface{}
	if err := json.Unmarshal([]byte(object), &value); err != nil {
		return nil, err
	}
	return &subject{set.NewExpressionsEnv(), schemacel.UnstructuredToVal(normal(value), structural), structural, scoped}, nil
}

// normal returns whole numbers as int64, as the real server's reader does.
func normal(v interface{}) interface{} {
	switch t := v.(type) {
	case float64:
		if t == math.Trunc(t) && math.Abs(t) < 1<<53 {
			return int64(t)
		}
	case []interface{}:
		for i := range t {
			t[i] = normal(t[i])
		}
	case map[string]interface{}:
		for k := range t {
			t[k] = normal(t[k])
		}
	}
	return v
}

func (s *subject) evaluate(expression string) (out answer) {
	defer func() {
		if r := recover(); r != nil {
			out.Value, out.Fault = "error", fmt.Sprint("panic: ", r)
		}
	}()
	ast, issues := s.env.Compile(expression)
	if issues != nil && issues.Err() != nil {
		return answer{Error: issues.String()}
	}
	out.Type = cel.FormatCELType(ast.OutputType())
	estimator := estimatorOf(s.decl)
	if estimate, err := s.env.EstimateCost(ast, estimator); err == nil {
		out.Estimate = fmt.Sprint(estimate.Max)
	}
	program, err := s.env.Program(ast, cel.CostLimit(1000000), cel.CostTracking(estimator),
		cel.InterruptCheckFrequency(100))
	if err != nil {
		return answer{Error: "program: " + err.Error()}
	}
	value, details, err := program.Eval(map[string]interface{}{"self": s.self})
	if details != nil && details.ActualCost() != nil {
		out.Cost = fmt.Sprint(*details.ActualCost())
	}
	if err != nil {
		out.Value, out.Fault = "error", err.Error()
		return out
	}
	out.Value = shown(value)
	return out
}

func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\x%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// shown returns the text of a value: the same for values that are the same.
func shown(v ref.Val) string {
	switch t := v.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return fmt.Sprint(bool(t))
	case types.Int:
		return fmt.Sprint(int64(t))
	case types.Uint:
		return fmt.Sprint(uint64(t), "u")
	case types.Double:
		if math.IsNaN(float64(t)) {
			return "nan"
		}
		return fmt.Sprintf("d%016x", math.Float64bits(float64(t)))
	case types.String:
		return quoted(string(t))
	case types.Bytes:
		return "b" + quoted(string(t))
	case types.Timestamp:
		return fmt.Sprintf("t%d.%09d", t.Unix(), t.Nanosecond())
	case types.Duration:
		return fmt.Sprintf("D%d", t.Duration.Nanoseconds())
	case *types.Optional:
		if !t.HasValue() {
			return "none"
		}
		return "some(" + shown(t.GetValue()) + ")"
	case *types.Err:
		return "error"
	case ref.Type:
		return "type(" + t.TypeName() + ")"
	case *apiservercel.Quantity:
		return shown(*t)
	case apiservercel.Quantity:
		return "quantity(" + quoted(t.Quantity.String()) + ")"
	case apiservercel.IP:
		return "ip(" + quoted(t.Addr.String()) + ")"
	case apiservercel.CIDR:
		return "cidr(" + quoted(t.Prefix.String()) + ")"
	case apiservercel.URL:
		return "url(" + quoted(t.URL.String()) + ")"
	case apiservercel.Semver:
		return "semver(" + quoted(t.Version.String()) + ")"
	case apiservercel.Format:
		return "format(" + quoted(formatName(t)) + ")"
	case traits.Lister:
		var parts []string
		for it := t.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, shown(it.Next()))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case traits.Mapper:
		var parts []string
		for it := t.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			parts = append(parts, shown(k)+":"+shown(t.Get(k)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprintf("?%T", v)
}

// functions returns a line "name: form" for each form of each function, in the order in which forms are tried.
func (s *subject) functions() []string {
	var out []string
	all := s.env.Functions()
	for _, name := range sortedKeys(all) {
		f := all[name]
		for _, o := range f.OverloadDecls() {
			var args []string
			for _, a := range o.ArgTypes() {
				args = append(args, cel.FormatCELType(a))
			}
			dot := ""
			if o.IsMemberFunction() {
				dot = "."
			}
			out = append(out, fmt.Sprintf("%s: %s(%s)%s", name, dot, strings.Join(args, ","), cel.FormatCELType(o.ResultType())))
		}
	}
	return out
}

func formatName(f apiservercel.Format) string {
	for name, known := range library.ConstantFormats {
		if known.Name == f.Name {
			return name
		}
	}
	return f.Name
}
