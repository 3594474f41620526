#include "apiserver/expressions/match_condition.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;

std::string Causes(const std::string& list, bool params = false) {
  std::vector<StatusCause> causes;
  CheckMatchConditions(Quoted(list), params, "c", causes);
  return Lines(causes);
}

TEST(MatchConditions, AreCheckedAsInARealServer) {
  struct Row {
    const char* list;
    const char* causes;
  };
  const std::string reference =
      "c[0].expression: Invalid value: \"nothing\": compilation failed: ERROR: <input>:1:1: "
      "undeclared reference to 'nothing' (in container '')\n | nothing\n | ^\n";
  const std::string syntax =
      "c[0].expression: Invalid value: \"1 +\": compilation failed: ERROR: <input>:1:4: Syntax "
      "error: mismatched input '<EOF>'\n | 1 +\n | ...^\n";
  for (const Row& row : {
           Row{"[]", ""},
           Row{"[{'name':'a','expression':'true'},{'name':'x.com/b','expression':'has(object.a)'}]",
               ""},
           Row{"[{'name':'a','expression':' request.userInfo.username == \\\"x\\\" '}]", ""},
           Row{"[{'name':'a','expression':'authorizer.requestResource.check(\\\"x\\\").allowed()'}"
               "]",
               ""},
           Row{"[{'name':'a','expression':'request.uid == 1'}]",
               "c[0].expression: Invalid value: \"request.uid == 1\": compilation failed: "
               "ERROR: <input>:1:8: undefined field 'uid'\n | request.uid == 1\n | .......^\n"},
           Row{"[{'name':'a','expression':'nothing'}]", reference.c_str()},
           Row{"[{'name':'a','expression':'1 +'}]", syntax.c_str()},
           Row{"[{'name':'a','expression':'object.a'}]",
               "c[0].expression: Invalid value: \"object.a\": must evaluate to bool but got dyn\n"},
           Row{"[{'name':'a','expression':'null'}]",
               "c[0].expression: Invalid value: \"null\": must evaluate to bool but got "
               "null_type\n"},
           Row{"[{'name':'a','expression':' '}]", "c[0].expression: Required value\n"},
           Row{"[{'name':'a','expression':'true'},{'name':'a','expression':'true'}]",
               "c[1].name: Duplicate value: \"a\"\n"},
       }) {
    EXPECT_EQ(Causes(row.list), row.causes) << row.list;
  }
  EXPECT_NE(Causes("[{'name':'a b','expression':'true'}]")
                .find("c[0].name: Invalid value: \"a b\": "
                      "name part must consist of"),
            std::string::npos);
  std::string many = "[";
  for (int i = 0; i < 65; ++i) {
    many += (i > 0 ? "," : "") + ("{'name':'a" + std::to_string(i)) + "','expression':'true'}";
  }
  EXPECT_EQ(Causes(many + "]"), "c: Too many: 65: must have at most 64 items\n");
}

TEST(MatchConditions, KnowParametersWhereThereAreSome) {
  const char* const list = "[{'name':'a','expression':'params == null'}]";
  EXPECT_NE(Causes(list), "");
  EXPECT_EQ(Causes(list, /*params=*/true), "");
}

class NoAccess final : public internal::cel::AccessChecker {
 public:
  [[nodiscard]] internal::cel::AccessAnswer Check(const internal::cel::AccessQuestion& /*question*/,
                                                  const std::string& verb) const override {
    return {.allowed = verb == "get"};
  }
};

std::pair<bool, std::string> Met(const std::string& list, bool ignores = false) {
  const json::Value object = Quoted("{'a':1}");
  const json::Value none;
  const NoAccess access;
  const ConditionsMet result = AreMet(MatchConditionsOf(Quoted(list), /*params=*/false),
                                      {.object = object,
                                       .old = none,
                                       .request = none,
                                       .namespace_object = none,
                                       .params = none,
                                       .access = &access},
                                      ignores);
  return {result.met, result.error};
}

TEST(MatchConditions, AllMustBeTrue) {
  using Result = std::pair<bool, std::string>;
  const std::string broken = "expression 'object.b == 1' resulted in error: no such key: b";
  EXPECT_EQ(Met("[]"), Result(true, ""));
  EXPECT_EQ(Met("[{'expression':'object.a == 1'},{'expression':'oldObject == null'}]"),
            Result(true, ""));
  EXPECT_EQ(Met("[{'expression':'true'},{'expression':'object.a == 2'}]"), Result(false, ""));
  EXPECT_EQ(Met("[{'expression':'object.b == 1'},{'expression':'true'}]"), Result(false, broken));
  EXPECT_EQ(Met("[{'expression':'object.b == 1'}]", /*ignores=*/true), Result(false, ""));
  EXPECT_EQ(Met("[{'expression':'object.b == 1'},{'expression':'false'}]"), Result(false, ""));
  EXPECT_EQ(
      Met("[{'expression':'object.b == 1'},{'expression':'object.c'}]"),
      Result(false, "[" + broken + ", compilation error: must evaluate to bool but got dyn]"));
  EXPECT_EQ(Met("[{'expression':'authorizer.requestResource.check(\\\"get\\\").allowed()'}]"),
            Result(true, ""));
}

TEST(MatchConditions, CostNoMoreThanTheirBudget) {
  const std::string check = "authorizer.requestResource.check(string(1)).allowed()";
  const std::string two = "{'expression':'!" + check + " && !" + check + "'}";
  const std::string list = "[" + two + "," + two + "," + two + "," + two + "]";
  EXPECT_EQ(Met(list).second, kOutOfBudget);
  EXPECT_EQ(Met(list, /*ignores=*/true), (std::pair<bool, std::string>(false, "")));
}

}  // namespace
}  // namespace kinformer::apiserver
