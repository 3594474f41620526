// Go templates: the outputs are those of kubectl 1.32, except where a comment says so.

#include "cli/go_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

namespace kinformer::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kObject[] = R"({
  "kind": "Gadget", "metadata": {"name": "g"},
  "spec": {"size": 3, "big": 12345678, "f": 1.5, "ff": 1e21, "neg": -2, "nil": null, "t": true,
           "s": "text", "empty": [], "arr": [1, 2, 3, 4, 5],
           "m": {"b": "2", "a": "1", "c": {"d": "4"}},
           "objs": [{"n": "a"}, {"n": "b"}], "nest": [[1, 2], [3, [4]]]}})";

std::string Output(const char* text, const GoTemplateOptions& options = {}) {
  const Result<GoTemplate> parsed = GoTemplate::Parse(text, options);
  if (!parsed) return parsed.error().message();
  const Result<std::string> output = parsed->Execute(json::Parse(kObject).OrExit());
  return output ? *output : std::string(output.error().message());
}

struct Case {
  const char* text;
  const char* want;
};

void ExpectOutputs(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(Output(c.text), c.want) << c.text;
}

TEST(GoTemplate, Values_ArePrintedAsGoPrintsThem) {
  ExpectOutputs({
      {"{{.spec.big}} {{.spec.f}} {{.spec.ff}} {{.spec.neg}} {{.spec.t}}",
       "12345678 1.5 1e+21 -2 true"},
      {"{{.spec.m}} {{.spec.arr}} {{.spec.objs}}",
       "map[a:1 b:2 c:map[d:4]] [1 2 3 4 5] [map[n:a] map[n:b]]"},
      {"{{.spec.nil}} {{.x}} {{.spec.x.y.z}}", "<no value> <no value> <no value>"},
      {"{{true}} {{1}} {{1.0}} {{0x10}} {{1e3}} {{-3}} {{'a'}} {{`raw\\n`}} {{\"q\\t\"}}",
       "true 1 1 16 1000 -3 97 raw\\n q\t"},
      {"{{(index .spec.objs 0).n}} {{$.kind}}", "a Gadget"},
      {"}} {{\"}}\"}} { {", "}} }} { {"},
  });
}

TEST(GoTemplate, TrimMarkersAndComments_LeaveNothing) {
  ExpectOutputs({
      {"{{- \" a \" -}}   b   {{- /* c */ -}} c", " a bc"},
      {"a \n {{- .kind }}\n{{.kind -}} \n b", "aGadget\nGadgetb"},
      {"{{/* }} */}}x", "x"},
      {"{{-3}}", "-3"},
  });
}

TEST(GoTemplate, Blocks_TakeOneOfTheirParts) {
  ExpectOutputs({
      {"{{if .spec.empty}}a{{else if .spec.t}}b{{else}}c{{end}}", "b"},
      {"{{if .x}}a{{else if .y}}b{{else}}c{{end}}!", "c!"},
      {"{{if 0}}a{{end}}{{if \"\"}}b{{end}}{{if 0.0}}c{{end}}{{if .spec.m}}d{{end}}", "d"},
      {"{{with .spec.m}}{{.a}}{{$.kind}}{{end}}", "1Gadget"},
      {"{{with .x}}a{{else with .kind}}{{.}}{{end}}", "Gadget"},
      {"{{with $x := .kind}}{{$x}}{{.}}{{end}}", "GadgetGadget"},
  });
}

TEST(GoTemplate, Ranges_GoOverListsAndSortedMembers) {
  ExpectOutputs({
      {"{{range $k,$v := .spec.m}}{{$k}}={{$v}};{{else}}none{{end}}", "a=1;b=2;c=map[d:4];"},
      {"{{range $i, $e := .spec.arr}}{{$i}}{{$e}},{{end}}", "01,12,23,34,45,"},
      {"{{range $e := .spec.arr}}{{$e}}{{end}}", "12345"},
      {"{{range .spec.x}}x{{else}}none{{end}}{{range .spec.empty}}x{{else}}none{{end}}",
       "nonenone"},
      {"{{range .spec.arr}}{{if eq . 4}}{{break}}{{end}}{{if eq . "
       "2}}{{continue}}{{end}}{{.}}{{end}}",
       "13"},
      {"{{range .spec.nest}}<{{range .}}({{.}}){{end}}>{{end}}", "<(1)(2)><(3)([4])>"},
      {"{{$x := 0}}{{range .spec.arr}}{{$x = .}}{{end}}{{$x}}", "5"},
      {"{{$x := 0}}{{range $x, $y := .spec.arr}}{{$x}}{{end}}{{$x}}", "012340"},
      {"{{$x := 0}}{{if .kind}}{{$x := 1}}{{$x}}{{end}}{{$x}}", "10"},
  });
}

TEST(GoTemplate, Functions_GiveWhatGoGives) {
  ExpectOutputs({
      {"{{index .spec.arr 0}} {{index .metadata \"name\"}} {{index .spec.objs 1 \"n\"}}", "1 g b"},
      {"{{index .spec \"nope\"}} {{index .spec.m \"c\" \"d\"}}", "<no value> 4"},
      {"{{len .spec.arr}} {{len .spec.m}} {{len .spec.s}}", "5 3 4"},
      {"{{eq .spec.s \"x\" \"text\"}} {{ne .spec.s \"x\"}} {{eq .spec.size 3}}", "true true true"},
      {"{{eq .spec.s .x}} {{eq .x .y}} {{ne .spec.s .x}}", "false true true"},
      {"{{lt 1 2}} {{lt 2 2}} {{le 2 2}} {{gt 2 1}} {{ge 1 2}} {{gt \"b\" \"a\"}} {{lt 1.5 1.6}}",
       "true false true true false true true"},
      {"{{eq 1 1.0}} {{lt .spec.size 3.5}}", "true true"},  // Go compares no int with a float
      {"{{and .spec.t .kind}} {{or .x \"d\"}} {{not .x}} {{and 0 1}} {{or 0 \"\"}}",
       "Gadget d true 0 "},
      {"{{and .x (index .spec.arr 9)}}{{or 1 (index .spec.arr 9)}}", "<no value>1"},
      {"{{.spec.s | printf \"%s-%s\" \"a\"}} {{\"q\" | len}} {{.x | or .y}}",
       "a-text 1 <no value>"},
      {"{{print 1 2}}{{print \"a\" \"b\"}}{{print \"a\" 1 2 \"b\"}}{{print nil .x}}",
       "1 2aba1 2b<nil> <nil>"},
      {"{{println \"a\" 1 2}}{{println}}x", "a 1 2\n\nx"},
      {"{{exists . \"spec\" \"m\" \"c\"}} {{exists . \"spec\" \"x\"}} {{exists .spec.arr 9}}",
       "true false false"},
      {"{{base64decode \"YQ==\"}}{{base64decode \"YWI=\"}}{{base64decode \"\"}}", "aab"},
  });
}

TEST(GoTemplate, Printf_FormatsAsGo) {
  ExpectOutputs({
      {"{{printf \"%v %s %d %q\" .spec.big .spec.s .spec.size .spec.s}}",
       "12345678 text 3 \"text\""},
      {"{{printf \"%5v|%-5v|%05d|%+d|%05d\" 3 3 3 3 -3}}", "    3|3    |00003|+3|-0003"},
      {"{{printf \"%x %X %x %t\" 255 255 \"hi\" true}}", "ff FF 6869 true"},
      {"{{printf \"%.2f %8.3f|%e %g\" 1.5 1.5 1.5 1.5}}", "1.50    1.500|1.500000e+00 1.5"},
      {"{{printf \"%-10s|%10s|%.2s\" .kind .kind .kind}}", "Gadget    |    Gadget|Ga"},
      {"{{printf \"%d%%\" 5}} {{printf \"%T %T %T\" 1 1.5 .spec.m}}",
       "5% int64 float64 map[string]interface {}"},  // Go says int for a number in the template
      {"{{printf \"%d\"}} {{printf \"%d\" 1 \"a\"}} {{printf \"%d\" \"a\"}} {{printf \"%s\" .x}}",
       "%!d(MISSING) 1%!(EXTRA string=a) %!d(string=a) %!s(<nil>)"},
      {"{{printf \"a%\"}} {{printf \"%v\" .x}}", "a%!(NOVERB) <nil>"},
  });
}

TEST(GoTemplate, Errors_NameLineAndColumn) {
  const Case cases[] = {
      {"a\n  {{.spec", "line 2, column 3: the braces are not closed"},
      {"{{range .x}}", "line 1, column 1: {{range}} has no {{end}}"},
      {"{{if .x}}{{else}}", "line 1, column 10: {{else}} has no {{end}}"},
      {"{{if .x}}{{else}}{{else}}{{end}}", "line 1, column 18: a second {{else}}"},
      {"{{end}}", "line 1, column 1: {{end}} has no if"},
      {"{{else}}", "line 1, column 1: {{else}} has no if"},
      {"{{break}}", "line 1, column 3: {{break}} stands outside of a range"},
      {"{{if .x}}{{continue}}{{end}}", "line 1, column 12: {{continue}} stands outside"},
      {"{{if}}x{{end}}", "line 1, column 5: a value is missing for if"},
      {"{{}}", "line 1, column 3: a value is missing for an action"},
      {"{{.a |}}", "line 1, column 7: a value is missing"},
      {"{{template \"x\"}}", "line 1, column 3: {{template}} is not supported here"},
      {"{{define \"x\"}}a{{end}}", "line 1, column 3: {{define}} is not supported"},
      {"{{foo}}", "line 1, column 3: no function \"foo\"; there are and, or, not"},
      {"{{html .x}}", "line 1, column 3: no function \"html\""},
      {"{{$u}}", "line 1, column 3: no variable $u"},
      {"{{$u = 1}}", "line 1, column 3: no variable $u"},
      {"{{if .x}}{{$y := 1}}{{else}}{{$y}}{{end}}", "line 1, column 31: no variable $y"},
      {"{{$a, $b := .x}}", "line 1, column 3: too many variables"},
      {"{{.a .b}}", "line 1, column 3: arguments stand only behind a function"},
      {"{{.a | .b}}", "line 1, column 8: behind | stands a function"},
      {"{{(.a}}", "line 1, column 3: a parenthesis is not closed"},
      {"{{\"a}}", "line 1, column 3: a quote is not closed"},
      {"{{\"\\q\"}}", "line 1, column 3: the quoted text has an unknown escape"},
      {"{{'ab'}}", "line 1, column 3: single quotes hold one character"},
      {"{{1x}}", "line 1, column 3: \"1x\" is no number"},
      {"{{.a-b}}", "line 1, column 5: \"-b}}\" is not expected here"},
      {"{{.a.}}", "line 1, column 6: a name is missing behind the dot"},
      {"{{/* x }}", "line 1, column 1: a comment is not closed"},
      // Errors of the document:
      {"{{.spec.size.x}}", "line 1, column 3: a number has no member x"},
      {"{{index .spec.arr 9}}",
       "line 1, column 3: index: index 9 is outside of a list with 5 items"},
      {"{{index .spec \"a\" \"b\"}}",
       "line 1, column 3: index: there is no value that could have parts"},
      {"{{len 3}}", "line 1, column 3: len: a number has no length"},
      {"{{not}}", "line 1, column 3: not: it takes one value"},
      {"{{and}}", "line 1, column 3: and: a value is missing"},
      {"{{eq 1}}", "line 1, column 3: eq: two values are compared, not 1"},
      {"{{eq .spec.m .spec.m}}", "line 1, column 3: eq: objects and lists do not compare"},
      {"{{eq 1 \"a\"}}", "line 1, column 3: eq: a number does not compare with a string"},
      {"{{lt .spec.s 3}}", "line 1, column 3: lt: a string has no order with a number"},
      {"{{nil}}", "line 1, column 3: nil is only an argument"},
      {"{{range .spec.s}}x{{end}}", "line 1, column 1: range needs a list or an object"},
      {"{{base64decode \"a\"}}", "line 1, column 3: base64decode: the text is not base64"},
      {"{{base64decode \"a-==\"}}", "line 1, column 3: base64decode: the text is not base64"},
      {"{{printf 1}}", "line 1, column 3: printf: its first value must be a text"},
  };
  for (const Case& c : cases) EXPECT_THAT(Output(c.text), StartsWith(c.want)) << c.text;
}

TEST(GoTemplate, DeepNesting_IsRefused) {
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "{{if .x}}";
  EXPECT_THAT(Output(deep.c_str()), HasSubstr("nested too deeply"));
  EXPECT_THAT(Output(("{{" + std::string(70, '(')).c_str()), HasSubstr("nested too deeply"));
}

TEST(GoTemplate, MissingMembers_FailIfAsked) {
  const GoTemplateOptions strict{.missing_keys_fail = true};
  EXPECT_EQ(Output("{{.spec.nope}}", strict), "line 1, column 3: there is no member nope");
  EXPECT_EQ(Output("{{.spec.size}}", strict), "3");
}

}  // namespace
}  // namespace kinformer::cli
