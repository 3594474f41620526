#include "kinformer/base/error.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"

#include "base/core/http_code.h"

namespace kinformer {
namespace {

constexpr int kReasons = static_cast<int>(Reason::kStale) + 1;

Error With(Reason reason, int status) { return Error(reason, "").WithHttpStatus(status); }

// The status codes that decide where the server gave no reason, those that always decide, and the
// reasons, as in apimachinery's api/errors.
struct Rule {
  bool (*is)(internal::MaybeError);
  std::vector<Reason> reasons;
  int code_without_reason;
  int code;
};

TEST(ErrorPredicates, FollowReasonAndStatus) {
  const std::map<std::string, Rule> rules = {
      {"NotFound", {IsNotFound, {Reason::kNotFound}, 404, 0}},
      {"Absent", {IsAbsent, {Reason::kNotFound, Reason::kOutOfScope}, 404, 0}},
      {"AlreadyExists", {IsAlreadyExists, {Reason::kAlreadyExists}, 0, 0}},
      {"Conflict", {IsConflict, {Reason::kConflict}, 409, 0}},
      {"Invalid", {IsInvalid, {Reason::kInvalid}, 422, 0}},
      {"Gone", {IsGone, {Reason::kGone}, 410, 0}},
      {"ResourceExpired", {IsResourceExpired, {Reason::kExpired}, 0, 0}},
      {"Unauthorized", {IsUnauthorized, {Reason::kUnauthorized}, 401, 0}},
      {"Forbidden", {IsForbidden, {Reason::kForbidden}, 403, 0}},
      {"Timeout", {IsTimeout, {Reason::kTimeout}, 504, 0}},
      {"ServerTimeout", {IsServerTimeout, {Reason::kServerTimeout}, 0, 0}},
      {"InternalError", {IsInternalError, {Reason::kInternalError}, 500, 0}},
      {"TooManyRequests", {IsTooManyRequests, {Reason::kTooManyRequests}, 0, 429}},
      {"ServiceUnavailable", {IsServiceUnavailable, {Reason::kServiceUnavailable}, 503, 0}},
      {"MethodNotSupported", {IsMethodNotSupported, {Reason::kMethodNotAllowed}, 405, 0}},
      {"NotAcceptable", {IsNotAcceptable, {Reason::kNotAcceptable}, 406, 0}},
      {"UnsupportedMediaType", {IsUnsupportedMediaType, {Reason::kUnsupportedMediaType}, 415, 0}},
      {"BadRequest", {IsBadRequest, {Reason::kBadRequest}, 400, 0}},
      {"RequestEntityTooLarge",
       {IsRequestEntityTooLarge, {Reason::kRequestEntityTooLarge}, 0, 413}},
      {"ConnectionRefused", {IsConnectionRefused, {Reason::kConnectionRefused}, 0, 0}},
  };
  for (const auto& [name, rule] : rules) {
    for (int i = 0; i < kReasons; ++i) {
      const auto reason = static_cast<Reason>(i);
      const bool named =
          std::find(rule.reasons.begin(), rule.reasons.end(), reason) != rule.reasons.end();
      for (int status = 0; status < 600; status = status == 0 ? 400 : status + 1) {
        const bool want = named || (rule.code != 0 && status == rule.code) ||
                          (reason == Reason::kUnknown && rule.code_without_reason != 0 &&
                           status == rule.code_without_reason);
        EXPECT_EQ(rule.is(With(reason, status)), want)
            << name << ' ' << ReasonName(reason) << ' ' << status;
      }
    }
    const Result<int> good = 1;
    EXPECT_FALSE(rule.is(good)) << name;
  }
}

TEST(ErrorPredicates, TooLargeResourceVersion_IsKnownByCauseOrText) {
  const auto with = [](Reason reason, const std::string& message, StatusCause cause) {
    StatusDetails details;
    details.causes.push_back({.reason = "Other"});
    details.causes.push_back(std::move(cause));
    return Error(reason, message).WithDetails(std::move(details));
  };
  const std::string old = "Too large resource version";
  EXPECT_TRUE(
      IsTooLargeResourceVersion(with(Reason::kTimeout, "", {.reason = "ResourceVersionTooLarge"})));
  EXPECT_TRUE(
      IsTooLargeResourceVersion(with(Reason::kUnknown, "", {.reason = "ResourceVersionTooLarge"})));
  EXPECT_TRUE(IsTooLargeResourceVersion(with(Reason::kTimeout, "", {.message = old})));
  EXPECT_TRUE(IsTooLargeResourceVersion(Error(Reason::kTimeout, old + ": 5, current: 3")));
  EXPECT_TRUE(IsTooLargeResourceVersion(Error(Reason::kUnknown, old).WithHttpStatus(504)));
  EXPECT_FALSE(IsTooLargeResourceVersion(with(Reason::kConflict, "", {.message = old})));
  EXPECT_FALSE(IsTooLargeResourceVersion(Error(Reason::kConflict, old)));
  EXPECT_FALSE(IsTooLargeResourceVersion(Error(Reason::kTimeout, "other")));
  EXPECT_FALSE(IsTooLargeResourceVersion(with(Reason::kTimeout, "", {.message = old + "!"})));
  EXPECT_FALSE(IsTooLargeResourceVersion(Result<int>(1)));
}

TEST(ErrorReasons, HaveNamesBothWays) {
  const char* const server[] = {
      "Unknown",
      "BadRequest",
      "Unauthorized",
      "Forbidden",
      "NotFound",
      "MethodNotAllowed",
      "NotAcceptable",
      "AlreadyExists",
      "Conflict",
      "Gone",
      "Expired",
      "RequestEntityTooLarge",
      "UnsupportedMediaType",
      "Invalid",
      "TooManyRequests",
      "InternalError",
      "ServerTimeout",
      "ServiceUnavailable",
      "Timeout",
  };
  int i = 0;
  for (const char* name : server) {
    EXPECT_EQ(ReasonName(static_cast<Reason>(i)), name);
    EXPECT_EQ(ReasonFromName(name), static_cast<Reason>(i++)) << name;
  }
  EXPECT_EQ(static_cast<Reason>(i), Reason::kConnectionRefused);
  for (; i < kReasons; ++i) {
    const std::string_view name = ReasonName(static_cast<Reason>(i));
    EXPECT_EQ(ReasonFromName(name), Reason::kUnknown) << name << ": of the client's side";
  }
  EXPECT_EQ(ReasonName(Reason::kConnectionRefused), "ConnectionRefused");
  EXPECT_EQ(ReasonName(Reason::kStale), "Stale");
  EXPECT_EQ(ReasonName(static_cast<Reason>(kReasons)), "Unknown");
  EXPECT_EQ(ReasonName(static_cast<Reason>(255)), "Unknown");
  EXPECT_EQ(ReasonFromName(""), Reason::kUnknown);
  EXPECT_EQ(ReasonFromName("notfound"), Reason::kUnknown);
}

std::string Text(const Error& error) {
  std::ostringstream out;
  out << error << '|' << error.http_status() << '|'
      << (error.retry_after() ? std::to_string(error.retry_after()->count()) : "none") << '|'
      << error.details().name << '|' << error.details().causes.size();
  return out.str();
}

TEST(ErrorValue, CopiesAndMovesEveryField) {
  Error full(Reason::kConflict, "m");
  full.WithHttpStatus(409)
      .WithRetryAfter(std::chrono::seconds(7))
      .WithDetails({.name = "n", .causes = {{.reason = "r"}}})
      .WithContext("c");
  const std::string text = "Conflict: c: m|409|7|n|1";
  EXPECT_EQ(Text(full), text);
  EXPECT_EQ(Text(Error(Reason::kGone, "")), "Gone|0|none||0");
  Error copy = full;
  EXPECT_EQ(Text(copy), text);
  copy.WithContext("d");
  EXPECT_EQ(Text(full), text) << "a copy is its own";
  copy = Error(Reason::kGone, "g");
  EXPECT_EQ(Text(copy), "Gone: g|0|none||0");
  copy = full;
  EXPECT_EQ(Text(copy), text);
  const Error& self = copy;
  copy = self;
  EXPECT_EQ(Text(copy), text);
  const Error moved = std::move(copy);
  EXPECT_EQ(Text(moved), text);
  const std::string none = "Unknown|0|none||0";
  EXPECT_EQ(Text(copy), none) << "moved from";  // NOLINT(bugprone-use-after-move)
  const Error again = copy;                     // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(Text(again), none);
}

TEST(HttpCode, FollowsStatusThenReason) {
  const std::map<Reason, int> codes = {
      {Reason::kBadRequest, 400},
      {Reason::kInvalidArgument, 400},
      {Reason::kDecode, 400},
      {Reason::kUnauthorized, 401},
      {Reason::kForbidden, 403},
      {Reason::kNotFound, 404},
      {Reason::kMethodNotAllowed, 405},
      {Reason::kNotAcceptable, 406},
      {Reason::kAlreadyExists, 409},
      {Reason::kConflict, 409},
      {Reason::kGone, 410},
      {Reason::kExpired, 410},
      {Reason::kRequestEntityTooLarge, 413},
      {Reason::kUnsupportedMediaType, 415},
      {Reason::kInvalid, 422},
      {Reason::kTooManyRequests, 429},
      {Reason::kServiceUnavailable, 503},
      {Reason::kTimeout, 504},
  };
  for (int i = 0; i < kReasons; ++i) {
    const auto reason = static_cast<Reason>(i);
    const auto found = codes.find(reason);
    EXPECT_EQ(internal::base::HttpCode(Error(reason, "")),
              found == codes.end() ? 500 : found->second)
        << ReasonName(reason);
    EXPECT_EQ(internal::base::HttpCode(With(reason, 418)), 418);
    EXPECT_EQ(internal::base::HttpCode(With(reason, 1)), 1);
  }
}

}  // namespace
}  // namespace kinformer
