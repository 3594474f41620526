// Copies, moves and assignments of a Result, and what they do to its value and its error.

#include "kinformer/base/result.h"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kinformer {
namespace {

using Text = Result<std::string>;

// Longer than what a std::string holds without memory of its own.
const std::string kLong(40, 'x');

Text Value(const std::string& text) { return text; }
Text Failure(const std::string& text) { return Error(Reason::kGone, text); }

std::string Told(const Text& result) { return result.ok() ? *result : result.error().ToString(); }

TEST(ResultTest, AssignmentReplacesValueAndErrorByEither) {
  for (const Text& from : {Value(kLong), Failure(kLong)}) {
    for (const Text& before : {Value("before" + kLong), Failure("before" + kLong)}) {
      Text copied = before;
      copied = from;
      EXPECT_EQ(Told(copied), Told(from));
      Text source = from;
      Text moved = before;
      moved = std::move(source);
      EXPECT_EQ(Told(moved), Told(from));
      Text swapped = before;
      Text other = from;
      std::swap(swapped, other);
      EXPECT_EQ(Told(swapped), Told(from));
      EXPECT_EQ(Told(other), Told(before));
    }
  }
}

TEST(ResultTest, AssignmentToItselfChangesNothing) {
  for (Text result : {Value(kLong), Failure(kLong)}) {
    const std::string before = Told(result);
    Text& same = result;
    result = same;
    EXPECT_EQ(Told(result), before);
  }
}

// Counts its objects, and throws where it is moved once it is told to.
struct Fragile {
  static inline int alive = 0;
  static inline bool throws = false;

  Fragile() { ++alive; }
  Fragile(const Fragile& /*other*/) { ++alive; }
  Fragile(Fragile&& /*other*/) noexcept(false) {
    if (throws) throw std::runtime_error("moved");
    ++alive;
  }
  Fragile& operator=(const Fragile&) = default;
  Fragile& operator=(Fragile&&) = default;
  ~Fragile() { --alive; }
};

TEST(ResultTest, AValueThatCannotBeMovedLeavesTheErrorThatWasThere) {
  {
    Result<Fragile> from = Fragile();
    Result<Fragile> to = Error(Reason::kGone, "before");
    Fragile::throws = true;
    EXPECT_THROW(to = std::move(from), std::runtime_error);
    Fragile::throws = false;
    EXPECT_EQ(to.error().message(), "before");
    to = std::move(from);  // NOLINT(bugprone-use-after-move): it still has its value
    EXPECT_TRUE(to.ok());
  }
  EXPECT_EQ(Fragile::alive, 0);
}

TEST(ResultTest, EachValueIsDestroyedOnce) {
  const auto value = std::make_shared<int>(1);
  {
    Result<std::shared_ptr<int>> one = value;
    Result<std::shared_ptr<int>> two = one;
    EXPECT_EQ(value.use_count(), 3);
    one = Error(Reason::kGone, "");
    EXPECT_EQ(value.use_count(), 2);
    one = std::move(two);
    EXPECT_EQ(value.use_count(), 2);
    std::vector<Result<std::shared_ptr<int>>> many(5, one);
    EXPECT_EQ(value.use_count(), 7);
  }
  EXPECT_EQ(value.use_count(), 1);
}

TEST(ResultTest, IsCopyableAndAssignableAsItsValueIs) {
  using Owner = Result<std::unique_ptr<int>>;
  EXPECT_FALSE(std::is_copy_constructible_v<Owner>);
  EXPECT_FALSE(std::is_copy_assignable_v<Owner>);
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<Owner>);
  EXPECT_TRUE(std::is_nothrow_move_assignable_v<Owner>);
  EXPECT_TRUE(std::is_copy_constructible_v<Text>);
  EXPECT_TRUE(std::is_copy_assignable_v<Text>);
  EXPECT_FALSE(std::is_nothrow_move_constructible_v<Result<Fragile>>);
  struct Constant {
    const int number;
  };
  EXPECT_TRUE(std::is_copy_constructible_v<Result<Constant>>);
  EXPECT_FALSE(std::is_move_assignable_v<Result<Constant>>);
}

}  // namespace
}  // namespace kinformer
