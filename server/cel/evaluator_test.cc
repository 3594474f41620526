// The language's own operators, literals and macros.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cel/testing.h"

namespace kinformer::internal::cel {
namespace {

struct Row {
  const char* text;
  const char* result;
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(Evaluated(row.text), row.result) << row.text;
}

TEST(CelLiterals, AreReadInAllNotations) {
  Check({
      {"0x1F", "31"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"--1", "1"},
      {"18446744073709551615u", "18446744073709551615u"},
      {"1.5e3", "1500.000000"},
      {".5", "0.500000"},
      {"'a\\tb\\x41\\u00e9\\101'", "\"a\\tbAéA\""},
      {"r'\\d'", "\"\\\\d\""},
      {"'''a'b\nc'''", "\"a'b\\nc\""},
      {"b'\\xff' == bytes('a')", "false"},
      {"null", "null"},
      {"[1, 2, ]", "[1, 2]"},
      {"{'a': [1], 'b': [2]}", "{\"a\":[1], \"b\":[2]}"},
      {"true // a comment", "true"},
  });
}

TEST(CelOperators, ComputeAndOverflow) {
  Check({
      {"1 + 2 * 3 - 4 / 2", "5"},
      {"7 % -3", "1"},
      {"-7 / 2", "-3"},
      {"9223372036854775807 + 1", "error: integer overflow"},
      {"-9223372036854775808 - 1", "error: integer overflow"},
      {"-9223372036854775808 / -1", "error: integer overflow"},
      {"9223372036854775807 * 2", "error: integer overflow"},
      {"1u - 2u", "error: unsigned integer overflow"},
      {"1 / 0", "error: division by zero"},
      {"1 % 0", "error: modulus by zero"},
      {"1.0 / 0.0 > 1.0", "true"},
      {"'a' + 'b' + \"c\"", "\"abc\""},
      {"b'a' + b'b' == b'ab'", "true"},
      {"[1] + [2, 3]", "[1, 2, 3]"},
      {"1 < 2u && 1.5 > 1 && 2u <= 2.0", "true"},
      {"9223372036854775807 < 9223372036854775808.0", "false"},
      {"'a' < 'b' && b'a' <= b'a' && false < true", "true"},
      {"!true || 1 == 1", "true"},
      {"2 in [1, 2] && !('a' in {'b': 1})", "true"},
      {"true ? 1 : 2", "1"},
      {"false ? 1 : true ? 2 : 3", "2"},
      {"dyn(1) == dyn(1.0) && dyn(1u) == dyn(1) && dyn('1') != dyn(1)", "true"},
      {"[1, 2] == [1, 2] && {'a': 1} == {'a': 1} && [1] != [2]", "true"},
      {"[1, 2][1] + {'a': 4}['a'] + {'a': 5}.a", "11"},
      {"[1, 2][2]", "error: index out of bounds: 2"},
      {"{'a': 1}.b", "error: no such key: b"},
      {"type(1) == int && type('') == string && type([]) == list && type(null) == null_type",
       "true"},
      {"dyn(1) + dyn('a')", "error: no such overload"},
  });
}

TEST(CelLogic, IgnoresAnErrorThatDoesNotDecide) {
  Check({
      {"1 / 0 == 1 || true", "true"},
      {"true || 1 / 0 == 1", "true"},
      {"1 / 0 == 1 && false", "false"},
      {"1 / 0 == 1 || false", "error: division by zero"},
      {"true && 1 / 0 == 1", "error: division by zero"},
      {"[0, 1].exists(x, 1 / x == 1)", "true"},
      {"[0, 1].all(x, 1 / x == 2)", "false"},
      {"[0, 1].all(x, 1 / x == 1)", "error: division by zero"},
  });
}

TEST(CelMacros, VisitListsAndMaps) {
  Check({
      {"has({'a': 1}.a) && !has({'a': 1}.b)", "true"},
      {"[1, 2].all(x, x > 0)", "true"},
      {"[].exists(x, x > 0)", "false"},
      {"[1, 2, 2].exists_one(x, x == 2)", "false"},
      {"{'a': 1, 'b': 2}.exists_one(k, k == 'a')", "true"},
      {"[1, 2].map(x, x * 2)", "[2, 4]"},
      {"[1, 2, 3].map(x, x > 1, x * 2)", "[4, 6]"},
      {"[1, 2, 3].filter(x, x != 2)", "[1, 3]"},
      {"{'a': 1}.map(k, k + '!')", "[\"a!\"]"},
      {"[[1, 2], [3]].map(x, x.map(y, y + x.size()))", "[[3, 4], [4]]"},
      {"['a', 'b'].all(i, s, i < 2 && s != '')", "true"},
      {"{'a': 1}.existsOne(k, v, k == 'a' && v == 1)", "true"},
      {"['a', 'b'].transformList(i, s, s + string(i))", "[\"a0\", \"b1\"]"},
      {"{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2)", "{\"b\":4}"},
      {"['bb', 'a'].sortBy(s, s.size())", "[\"a\", \"bb\"]"},
      {"['a'].transformMapEntry(i, s, {s: i})", "{\"a\":0}"},
      {"[1, 2].map(x, [10].map(x, x)[0] + x)", "[11, 12]"},
  });
}

TEST(CelOptionals, HoldAValueOrNone) {
  Check({
      {"{'a': {'b': 1}}.?a.b", "some(1)"},
      {"{'a': {'b': 1}}.?c.b", "none"},
      {"{'a': 1}[?'b'].orValue(7)", "7"},
      {"[1][?3].hasValue()", "false"},
      {"optional.of(1).value() + optional.of(2).or(optional.none()).value()", "3"},
      {"optional.none().value()", "error: optional.none() dereference"},
      {"optional.of(2).optMap(x, x * 2)", "some(4)"},
      {"optional.of(2).optFlatMap(x, optional.none())", "none"},
      {"optional.ofNonZeroValue('').hasValue()", "false"},
      {"[?optional.of(1), ?optional.none(), 2]", "[1, 2]"},
      {"{?'a': optional.none(), 'b': 1}", "{\"b\":1}"},
      {"has({'a': {'b': 1}}.?a.b)", "true"},
  });
}

TEST(CelChecks, RefuseWhatCannotBeRight) {
  Check({
      {"x", "compile: undeclared reference to 'x' (in container '')"},
      {"f(1)", "compile: undeclared reference to 'f' (in container '')"},
      {"1 + 'a'", "compile: found no matching overload for '_+_' applied to '(int, string)'"},
      {"1 == 'a'", "compile: found no matching overload for '_==_' applied to '(int, string)'"},
      {"1 && true", "compile: expected type 'bool' but found 'int'"},
      {"'a'.contains(1)",
       "compile: found no matching overload for 'contains' applied to 'string.(int)'"},
      {"[1, 'a']", "compile: expected type 'int' but found 'string'"},
      {"[1, dyn(2)]", "compile: expected type 'int' but found 'dyn'"},
      {"(1).a", "compile: type 'int' does not support field selection"},
      {"'a'.all(x, true)",
       "compile: expression of type 'string' cannot be range of a comprehension (must be list, "
       "map, or dynamic)"},
      {"[1].all(x, x)", "compile: expected type 'bool' but found 'int'"},
      {"'a'.matches('(')", "compile: invalid matches argument"},
      {"duration('x')", "compile: invalid duration argument"},
      {"{[1]: 2}", "error: unsupported key type"},
      {"[] == [1] && [[]] == [['a']]", "false"},
      {"(true ? [] : [1]) + [2]", "[2]"},
  });
}

// As in cel-go, arguments are looked at before what the function belongs to, and a variable of an
// empty map's types stands for what is asked of it first, or for more than that later.
TEST(CelChecks, VariablesStandForWhatTheyMeetFirst) {
  Check({
      {"{}.transformMapEntry(k, v, {'a'.replace(k, 'b'): 1 + ([k].min()).size()}).size()", "0"},
      {"(true ? {} : {'a': 'b'}).transformMapEntry(k, v, {k: v}) == {}", "true"},
      {"(false ? {}.transformMapEntry(k, v, {k: 'x'}) : {'a': 'b'})['a']", "\"b\""},
      {"1 in (true ? {'a': 1} : {}.transformMapEntry(k, v, {k: 2}))",
       "compile: found no matching overload for '@in' applied to '(int, map(string, int))'"},
      {"(true ? {} : {}).transformMapEntry(k, v, {optional.of(k).orValue(k): v}) == {}", "true"},
      {"(1 || true || false ? 1 : 'a') == 1", "compile: expected type 'bool' but found 'int'"},
      {"[{}, {1: 2}, {1: dyn(3)}].size()",
       "compile: expected type 'map(int, dyn)' but found 'map(int, int)'"},
  });
}

TEST(CelOperators, NothingIsInAnEmptyList) {
  Check({
      {"1 / 0 in []", "false"},
      {"1 / 0 in [1]", "error: division by zero"},
      {"dyn(true)['a']", "error: no such key: a"},
      {"dyn(1)[2]", "error: no such key: 2"},
      {"dyn(1)[?2]", "none"},
  });
}

// As in cel-go, where a condition makes a choice.
TEST(CelMacros, LastOfSeveralErrorsOfConditions_Counts) {
  Check({
      {"[1, 2].existsOne(i, {1: 0}[i] / 0 == 1)", "error: no such key: 2"},
      {"[2, 1].filter(i, {1: 0}[i] / 0 == 1)", "error: division by zero"},
      {"[2, 1].map(i, {1: 0}[i] / 0)", "error: no such key: 2"},
      {"[2, 1, 3].map(i, {1: true, 3: false}[i], i / 0)", "error: no such key: 2"},
  });
}

TEST(CelPrograms, KnowTheirTypeAndVariables) {
  const Environment environment{.variables = {{"self", ListOf(Plain(TypeKind::kInt))},
                                              {"oldSelf", ListOf(Plain(TypeKind::kInt))}}};
  const Compiled compiled = Program::Compile("self.filter(oldSelf, oldSelf > 1)", environment);
  ASSERT_NE(compiled.program, nullptr) << compiled.error;
  EXPECT_EQ(TypeText(compiled.program->type()), "list(int)");
  EXPECT_TRUE(compiled.program->Uses(0));
  EXPECT_FALSE(compiled.program->Uses(1));
}

}  // namespace
}  // namespace kinformer::internal::cel
