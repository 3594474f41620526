#include "kinformer/interop/absl_status.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

namespace kinformer::interop {
namespace {

using namespace std::chrono_literals;

TEST(AbslStatusTest, EachReason_HasACodeAndComesBack) {
  for (int i = 0; i <= static_cast<int>(Reason::kStale); ++i) {
    const auto reason = static_cast<Reason>(i);
    const absl::Status status = ToStatus(Error(reason, "why"));
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.code() == absl::StatusCode::kUnknown, reason == Reason::kUnknown)
        << ReasonName(reason);
    EXPECT_EQ(status.message(), "why");
    EXPECT_EQ(ToError(status).reason(), reason) << status;
  }
}

TEST(AbslStatusTest, PartsOfAnError_ComeBack) {
  Error error(Reason::kInvalid, "Pod \"x\" is invalid");
  error.WithHttpStatus(422).WithRetryAfter(7s).WithDetails(
      {.name = "x",
       .group = "apps",
       .kind = "Deployment",
       .uid = "u-1",
       .causes = {{.reason = "FieldValueInvalid", .message = "too long", .field = "spec.a"}},
       .continue_ = "token"});
  const Error back = ToError(ToStatus(error));
  EXPECT_EQ(back.ToString(), error.ToString());
  EXPECT_EQ(back.http_status(), 422);
  EXPECT_EQ(back.retry_after(), 7s);
  EXPECT_EQ(back.details().name, "x");
  EXPECT_EQ(back.details().group, "apps");
  EXPECT_EQ(back.details().kind, "Deployment");
  EXPECT_EQ(back.details().uid, "u-1");
  EXPECT_EQ(back.details().continue_, "token");
  ASSERT_EQ(back.details().causes.size(), 1U);
  EXPECT_EQ(back.details().causes[0].reason, "FieldValueInvalid");
  EXPECT_EQ(back.details().causes[0].message, "too long");
  EXPECT_EQ(back.details().causes[0].field, "spec.a");
}

TEST(AbslStatusTest, StatusOfAnother_HasTheReasonOfItsCode) {
  EXPECT_TRUE(IsNotFound(ToError(absl::NotFoundError("no"))));
  EXPECT_TRUE(IsForbidden(ToError(absl::PermissionDeniedError("no"))));
  EXPECT_TRUE(IsConflict(ToError(absl::AbortedError("no"))));
  EXPECT_TRUE(IsTooManyRequests(ToError(absl::ResourceExhaustedError("no"))));
  EXPECT_EQ(ToError(absl::CancelledError("no")).reason(), Reason::kCanceled);
  EXPECT_EQ(ToError(absl::UnknownError("no")).reason(), Reason::kUnknown);
  EXPECT_EQ(ToError(absl::UnknownError("no")).message(), "no");
  absl::Status strange = absl::DataLossError("no");
  strange.SetPayload({kErrorPayload.data(), kErrorPayload.size()}, absl::Cord("{"));
  EXPECT_EQ(ToError(strange).reason(), Reason::kDecode);
}

// A code that stands for one reason gives a reason with the same code.
TEST(AbslStatusTest, CodeOfAReason_IsThatOfTheReasonOfTheCode) {
  for (int i = 0; i <= static_cast<int>(absl::StatusCode::kUnauthenticated); ++i) {
    const auto code = static_cast<absl::StatusCode>(i);
    if (code == absl::StatusCode::kOk) continue;
    EXPECT_EQ(StatusCodeOf(ReasonOf(code)), code) << i;
  }
}

TEST(AbslStatusTest, Values_AreThereInBothDirections) {
  absl::StatusOr<std::unique_ptr<int>> status =
      ToStatusOr(Result<std::unique_ptr<int>>(std::make_unique<int>(3)));
  ASSERT_TRUE(status.ok());
  const Result<std::unique_ptr<int>> result = ToResult(std::move(status));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 3);
  const absl::StatusOr<int> failed = ToStatusOr(Result<int>(Error(Reason::kNotFound, "no")));
  EXPECT_TRUE(absl::IsNotFound(failed.status()));
  EXPECT_TRUE(IsNotFound(ToResult(failed)));
}

TEST(AbslStatusTest, NoValue_IsOkOrTheError) {
  EXPECT_TRUE(ToStatus(Result<void>()).ok());
  EXPECT_TRUE(ToResult(absl::OkStatus()).ok());
  EXPECT_TRUE(absl::IsCancelled(ToStatus(Result<void>(Error(Reason::kStopped, "stopped")))));
  EXPECT_EQ(ToResult(absl::CancelledError("no")).error().reason(), Reason::kCanceled);
}

}  // namespace
}  // namespace kinformer::interop
