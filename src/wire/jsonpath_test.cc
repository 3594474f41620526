// JSONPath templates: the outputs are those of kubectl 1.32, except where a comment says so.

#include "kinformer/json/jsonpath.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::json {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kObject[] = R"({
  "kind": "Gadget",
  "spec": {
    "size": 3, "f": 1.5, "large": 1e21, "neg": -2, "nil": null, "t": true, "s": "text",
    "html": "a<b", "empty": [], "eo": {}, "arr": [1, 2, 3, 4, 5],
    "objs": [{"n": "a", "v": 1, "ok": true}, {"n": "b", "v": 2, "ok": false}, {"n": "c"},
             {"n": "d", "v": 2.5}],
    "mixed": [{"v": 1}, {"v": "x"}],
    "m": {"b": "2", "a": "1", "c": {"d": "4"}},
    "we.ird": "dot", "q'uo": "quote", "nest": [[1, 2], [3, [4]]]}})";

const Value& Data() {
  static const Value kData = Parse(kObject).OrExit();
  return kData;
}

Result<std::string> Output(std::string_view text, const JSONPathOptions& options) {
  const Result<JSONPath> path = JSONPath::Parse(text, options);
  if (!path) return path.error();
  return path->Execute(Data());
}

struct Case {
  const char* text;
  const char* want;
};

void ExpectOutputs(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    const Result<std::string> got = Output(c.text, {.allow_missing_keys = true});
    EXPECT_EQ(got ? *got : got.error().message(), c.want) << c.text;
  }
}

TEST(JSONPath, Values_ArePrintedAsKubectlPrintsThem) {
  ExpectOutputs({
      {"{.spec.size}", "3"},
      {"{.spec.f}|{.spec.large}|{.spec.neg}", "1.5|1e+21|-2"},
      {"[{.spec.nil}]", "[null]"},
      {"{.spec.t}", "true"},
      {"{.spec.empty}{.spec.eo}", "[]{}"},
      {"{.spec.m}", R"({"a":"1","b":"2","c":{"d":"4"}})"},
      {"{.spec.html}", "a<b"},
      {"{.spec.objs[*].n}", "a b c d"},
      {"text } {.kind}", "text } Gadget"},
      {"", ""},
  });
}

TEST(JSONPath, Paths_FindMembersItemsAndDepths) {
  ExpectOutputs({
      {"{$.spec.size}{@.spec.size}{ .spec.size }", "333"},
      {"{['spec'].size}", "3"},
      {R"({.spec.we\.ird})", "dot"},
      {"{.spec['we.ird']}", "dot"},  // kubectl splits it at the dot
      {R"({.spec['we\.ird']})", "dot"},
      {R"({.spec["we.ird"]})", "dot"},  // kubectl refuses double quotes
      {"{.spec.q'uo}", "quote"},
      {R"({.spec['q\'uo']})", "quote"},
      {"{.spec.m.*}", R"(1 2 {"d":"4"})"},
      {"{.spec.nest.*}", "[1,2] [3,[4]]"},
      {"{..n}", "a b c d"},
      {"{...n}", "a b c d"},
      {"{.spec..d}", "4"},
      {"{..spec..n}", "a b c d"},
      {"{.spec.nest..[0]}", "[1,2] 1 3 4"},
      {"{.spec.m..}", R"({"a":"1","b":"2","c":{"d":"4"}} {"d":"4"})"},
      {"{.spec.objs.n}", ""},
      {"{.spec.size.x}{.missing}{.missing.more}{.spec.missing[0]}{.spec.nil.x}{.spec.nil[0]}", ""},
      {"{.}{.spec.}", ""},
      {"{range .spec.m}{.a}{end}", "1"},
  });
}

TEST(JSONPath, Slices_CountFromBothEnds) {
  ExpectOutputs({
      {"{.spec.arr[0]} {.spec.arr[-1]} {.spec.arr[00]}", "1 5 1"},
      {"{.spec.arr[-2:]}", "4 5"},
      {"{.spec.arr[:2]}", "1 2"},
      {"{.spec.arr[:-3]}", "1 2"},
      {"{.spec.arr[1:4:2]}", "2 4"},
      {"{.spec.arr[::2]}", "1 3 5"},
      {"{.spec.arr[::9223372036854775807]}", "1"},
      {"{.spec.arr[2:2]}", ""},
      {"{.spec.arr[*]}", "1 2 3 4 5"},
      {"{.spec.empty[*]}", ""},
      {"{.spec.nest[*][0]}", "1 3"},
      {"{.spec.arr[0, 2]}", "1 3"},
      {"{.spec['size','f']}", "3 1.5"},
      {"{.spec['missing','size']}", "3"},
      {"{.spec.objs[0,1]['n','v']}", "a b 1 2"},
      {"{.spec.arr[9]}", "array index out of bounds: index 9, length 5"},
      {"{.spec.arr[-9]}", "array index out of bounds: index -9, length 5"},
      {"{.spec.arr[-9223372036854775807]}",
       "array index out of bounds: index -9223372036854775807, length 5"},
      {"{.spec.arr[1:99]}", "array index out of bounds: index 99, length 5"},
      {"{.spec.arr[7:9]}", "array index out of bounds: index 7, length 5"},
      {"{.spec.empty[0]}", "array index out of bounds: index 0, length 0"},
      {"{.spec.arr[2:1]}", "a slice from 2 to 1 ends before it begins"},
      {"{.spec.size[0]}", "a value of type number has no items"},
      {"{.spec.m[*]}", "a value of type object has no items"},
  });
}

TEST(JSONPath, Filters_KeepItemsThatCompare) {
  ExpectOutputs({
      {R"({.spec.objs[?(@.n=="a")].v})", "1"},
      {"{.spec.objs[?( @.n == 'a' )].v}", "1"},
      {R"({.spec.objs[?("a"==@.n)].v})", "1"},
      {R"({.spec.objs[?(@['n']=="a")].v})", "1"},
      {R"({.spec.objs[?(@.n=="a)]")].v})", ""},
      {R"({.spec.objs[?(@.n!="a")].n})", "b c d"},
      {R"({.spec.objs[?(@.n>"b")].n})", "c d"},
      {R"({.spec.objs[?(@.n>="b")].n})", "b c d"},
      {R"({.spec.objs[?(@.n<"b")].n})", "a"},
      {R"({.spec.objs[?(@.n<="b")].n})", "a b"},
      {"{.spec.objs[?(@.ok==true)].n}", "a"},
      {"{.spec.objs[?(@.ok)].n}", "a b"},
      {"{.spec.objs[?(@.v)].n}", "a b d"},
      {"{.spec.objs[?(@.n==.n)].v}", "1 2 2.5"},
      {"{.spec.arr[?(@>2)]}", "3 4 5"},
      {"{.spec.arr[?(@==2.0)]}", "2"},  // kubectl does not compare integers with other numbers
      {"{.spec.objs[?(@.v>2)].n}", "d"},
      {"{.spec.nest[?(@[0]==1)]}", "[1,2]"},
      {"{.spec.objs[?(@.m.x==1)].n}", ""},
      {"{.spec.nil[?(@.x)]}", ""},
      {"{.spec.mixed[?(@.v==1)].v}", "a filter compares a string with a number"},
      {"{.spec.objs[?(@.ok<true)].n}", "a filter cannot order values of type bool"},
      {"{.spec.nest[?(@==@)]}", "a filter cannot compare values of type array"},
      {"{.spec.nest[?(@[*]==1)]}", "a filter compares one value with one other, not 2"},
      {R"({.spec.m[?(@=="1")]})", "a value of type object has no items to filter"},
  });
}

TEST(JSONPath, Ranges_RepeatTheirPartForEachValue) {
  ExpectOutputs({
      {R"({range .spec.objs[*]}{.n}{"\t"}{.v}{"\n"}{end})", "a\t1\nb\t2\nc\t\nd\t2.5\n"},
      {"{range .spec.objs[*]}[{.n},{.spec.size}]{end} end", "[a,][b,][c,][d,] end"},
      {"{range .spec.nest[*]}<{range @[*]}({@}){end}>{end}", "<(1)(2)><(3)([4])>"},
      {"{range .spec.missing[*]}[{.n}]{end}x", "x"},
      {"{range .spec.size}({@}){end}", "(3)"},
      {"{range .spec.arr}({@}){end}", "([1,2,3,4,5])"},
  });
}

TEST(JSONPath, Literals_StandForThemselves) {
  ExpectOutputs({
      {R"({"a\tb\u00e9\x41\101"})", "a\tb\u00e9AA"},
      {R"({'a"b'}{'a\'b'}{"a'b"}{"a\"b"})", "a\"ba'ba'ba\"b"},
      {"{5}{1.5}{-3}{+3}{007}{true}{false}", "51.5-337truefalse"},
      {R"({.spec.arr[*] "x"})", "x"},
      {R"({"x" .spec.size})", ""},
  });
}

TEST(JSONPath, MissingMembers_AreErrorsUnlessAllowed) {
  EXPECT_EQ(Output("{.spec.nothing}", {}).error().message(), "nothing is not found");
  EXPECT_EQ(Output("{.spec.objs[*].v}", {}).value_or(""), "1 2 2.5");
  EXPECT_EQ(Output("{.spec.objs[?(@.ok)].n}", {}).value_or(""), "a b");
  EXPECT_EQ(Output("{.spec.objs[?(@.ok==true)].n}", {}).error().message(), "ok is not found");
}

TEST(JSONPath, JsonOutput_IsAnArrayForEachAction) {
  const JSONPathOptions options{.allow_missing_keys = true, .json_output = true};
  EXPECT_EQ(Output("{.spec.objs[:2].n}{.spec.nothing}x", options).value_or(""),
            "[\n    \"a\",\n    \"b\"\n]\n[]\n[\n    \"x\"\n]\n");
  EXPECT_EQ(Output("{.spec.m['c','a']}", options).value_or(""),
            "[\n    {\n        \"d\": \"4\"\n    },\n    \"1\"\n]\n");
}

TEST(JSONPath, Errors_NameThePosition) {
  const Case cases[] = {
      {"x{.a", "at 2: a brace is not closed in its line"},
      {"{.a\n}", "at 1: a brace is not closed"},
      {"{.a[0}", "at 4: a bracket is not closed"},
      {"{.a[?(@.b==\"c\"]}", "at 4: a filter is not closed"},
      {"{.a[?(@.b=='c')}", "at 15: a filter ends with )]"},
      {"{.a[?()]}", "at 4: a filter is empty"},
      {"{.a[?(@.b==)]}", "at 10: a comparison lacks one of its sides"},
      {"{.a[?(@.b=~'c')]}", "at 10: \"=\" is none of the comparisons"},
      {"{.a[?(@.b=='c'||@.b=='d')]}", "at 15: \"|\" has no meaning here"},
      {"{.a[?(@.b==c)]}", "at 12: \"c\" is no word of templates"},
      {"{.a[?(@.b=={)]}", "at 12: \"{\" has no meaning here"},
      {"{.a[b]}", "at 5: \"b\" is no index; a member is written with quotes"},
      {"{.a[]}", "at 5: an index is missing; [*] is every item"},
      {"{.a['b':'c']}", "at 5: one name stands in quotes"},
      {"{.a[1,]}", "at 7: an index is missing"},
      {"{.a[1:2:3:4]}", "at 5: a slice has at most three parts"},
      {"{.a[::-1]}", "at 5: the step of a slice must be above 0"},
      {"{.a[99999999999999999999]}", "at 5: \"99999999999999999999\" is no index"},
      {"{....n}", "at 4: \"..\" stands behind \"..\""},
      {"{..*}", "at 4: \"*\" has no meaning here; .* is every member"},
      {"{foo}", "at 2: \"foo\" is no word of templates; a member is written .foo"},
      {"{.a range}", "at 5: \"range\" is no word"},
      {"{.a,.b}", "at 4: \",\" has no meaning here"},
      {"{{.a}}", "at 2: \"{\" has no meaning here"},
      {"{+}", "at 2: \"+\" is no number"},
      {"{1.2.3}", "at 2: \"1.2.3\" is no number"},
      {"{+-1}", "at 2: \"+\" is no number"},
      {"{\"open}", "at 2: a quote is not closed"},
      {R"({"bad\q"})", "at 2: the text in quotes has an unknown escape"},
      {R"({"end\)", "at 2: a quote is not closed"},
      {"{end}", "at 1: {end} has no {range}"},
      {"{range .a}{end .b}", "at 11: {end} stands alone"},
      {"a{range .a}b", "at 2: {range} has no {end}"},
  };
  for (const Case& c : cases) {
    const Result<JSONPath> parsed = JSONPath::Parse(c.text);
    ASSERT_FALSE(parsed.ok()) << c.text;
    EXPECT_EQ(parsed.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(std::string(parsed.error().message()), StartsWith(c.want)) << c.text;
  }
}

TEST(JSONPath, TemplatesWithoutEnd_AreLimited) {
  std::string ranges;
  for (int i = 0; i < 65; ++i) ranges += "{range .a}";
  EXPECT_THAT(JSONPath::Parse(ranges).error().message(), HasSubstr("nested too deeply"));
  for (const char* text :
       {"{..n}", "{.spec.arr[*,*,*]}", "{.spec.*}", "{range .spec.arr[*]}{@}{@}{@}{end}",
        "{range .spec.arr[*]}x{end}", "{.spec.arr[?(@>2)]}", "{.spec.objs[?(@..n)]}"}) {
    const Result<std::string> few = Output(text, {.allow_missing_keys = true, .max_values = 8});
    ASSERT_FALSE(few.ok()) << text;
    EXPECT_EQ(few.error().message(), "the template looks at more than 8 values");
    EXPECT_TRUE(Output(text, {.allow_missing_keys = true, .max_values = 1000}).ok()) << text;
  }
}

TEST(JSONPath, Results_PointIntoTheDocument) {
  const JSONPath path = JSONPath::Parse("{.spec.objs[*].n}-{'x'}").OrExit();
  const auto results = path.FindResults(Data()).OrExit();
  ASSERT_EQ(results.size(), 3U);
  ASSERT_EQ(results[0].size(), 4U);
  EXPECT_EQ(results[0][1], &Data()["spec"]["objs"][1]["n"]);
  EXPECT_EQ(results[1][0]->StringOrEmpty(), "-");
  EXPECT_EQ(results[2][0]->StringOrEmpty(), "x");
}

TEST(RelaxedJSONPathExpression, AddsDotAndBraces) {
  for (const char* path : {"a.b", ".a.b", "{a.b}", "{.a.b}", "$.a.b", "{$.a.b}"}) {
    EXPECT_EQ(RelaxedJSONPathExpression(path).value_or(""), "{.a.b}") << path;
  }
  EXPECT_EQ(RelaxedJSONPathExpression("['a']").value_or(""), "{['a']}");
  for (const char* path : {"", "{.a", ".a}", "{.a}{.b}", "{"}) {
    EXPECT_FALSE(RelaxedJSONPathExpression(path).ok()) << path;
  }
}

}  // namespace
}  // namespace kinformer::json
