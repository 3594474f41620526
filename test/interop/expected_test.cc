// Result and std::expected, with C++23.

#include "kinformer/interop/expected.h"

#include <expected>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

#include "kinformer/base/result.h"

namespace kinformer::interop {
namespace {

TEST(ExpectedTest, AValue_IsThereInBothDirections) {
  std::expected<std::unique_ptr<int>, Error> expected =
      ToExpected(Result<std::unique_ptr<int>>(std::make_unique<int>(3)));
  ASSERT_TRUE(expected.has_value());
  Result<std::unique_ptr<int>> result = ToResult(std::move(expected));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 3);
}

TEST(ExpectedTest, AnError_IsTheSameInBothDirections) {
  Error error(Reason::kConflict, "changed meanwhile");
  error.WithHttpStatus(409);
  const std::expected<int, Error> expected = ToExpected(Result<int>(error));
  ASSERT_FALSE(expected.has_value());
  const Result<int> result = ToResult(expected);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().reason(), Reason::kConflict);
  EXPECT_EQ(result.error().message(), "changed meanwhile");
  EXPECT_EQ(result.error().http_status(), 409);
}

TEST(ExpectedTest, NoValue_IsSuccessOrTheError) {
  EXPECT_TRUE(ToExpected(Result<void>()).has_value());
  EXPECT_TRUE(ToResult(std::expected<void, Error>()).ok());
  const std::expected<void, Error> failed =
      ToExpected(Result<void>(Error(Reason::kStopped, "stopped")));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(ToResult(failed).error().reason(), Reason::kStopped);
}

}  // namespace
}  // namespace kinformer::interop
