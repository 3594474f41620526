// Hostile expressions end: with a result, or over budget.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cel/testing.h"

namespace kinformer::internal::cel {
namespace {

const std::string kOver = "error: " + std::string(kOverBudget);

TEST(CelLimits, StopAnExpressionThatCostsTooMuch) {
  const std::string ten = "[1,2,3,4,5,6,7,8,9,10]";
  const std::vector<std::string> texts = {
      ten + ".map(a, " + ten + ".map(b, " + ten + ".map(c, " + ten + ".map(d, " + ten + ".map(e, " +
          ten + ".map(f, a + b + c + d + e + f))))))",
      "lists.range(100000000)",
      "lists.range(1000).all(a, lists.range(1000).all(b, a + b >= 0))",
      "lists.range(3000).distinct() == []",
      "lists.range(30).map(i, lists.range(200).map(j, 'aaaaaaaaaa').join().matches('(a*)*b'))"
      ".size() > 0 && lists.range(1000000) == []",
      "lists.range(2000).map(i, 'x' + string(i)).map(p, 'a'.matches('(a{1,500}' + p + ')')) == "
      "[]",
      "lists.range(900000).map(i, i).sort() == []",
  };
  for (const std::string& text : texts) {
    EXPECT_EQ(Evaluated(text), kOver) << text;
  }
}

TEST(CelLimits, StopATextThatDoubles) {
  std::string text = "'0123456789'";
  for (int i = 0; i < 30; ++i) text = "[" + text + "].map(x, x + x)[0]";
  EXPECT_EQ(Evaluated(text + " == ''"), kOver);
  std::string replaced = "'aaaaaaaaaa'";
  for (int i = 0; i < 12; ++i) replaced += ".replace('a', 'aaaaaaaaaa')";
  EXPECT_EQ(Evaluated(replaced + " == ''"), kOver);
}

TEST(CelLimits, CannotBeIgnoredByLogic) {
  EXPECT_EQ(Evaluated("lists.range(100000000) == [] || true"), kOver);
  EXPECT_EQ(Evaluated("[1].exists(x, lists.range(100000000) == []) || true"), kOver);
}

TEST(CelLimits, CountTheCost) {
  const Compiled compiled = Program::Compile("1 + 1 == 2", {});
  ASSERT_NE(compiled.program, nullptr);
  const Outcome outcome = compiled.program->Evaluate({}, 100);
  EXPECT_TRUE(outcome.value.is_true());
  EXPECT_GT(outcome.cost, 0U);
  EXPECT_LT(outcome.cost, 10U);
  EXPECT_EQ(Shown(compiled.program->Evaluate({}, 1).value), kOver);
}

TEST(CelLimits, TypesOfHostileExpressionsStaySmall) {
  std::string text = "1";
  for (int i = 0; i < 60; ++i) text = "optional.of(" + text + ").optMap(x, {'a': x, 'b': x})";
  EXPECT_EQ(Evaluated(text + " == 1").substr(0, 9), "compile: ");
}

}  // namespace
}  // namespace kinformer::internal::cel
