// kinformer/interop/absl_status.h
//
// Conversions between Error, Result<T> and absl::Status, absl::StatusOr<T>.
//
//   absl::StatusOr<Ref<corev1::Pod>> found =
//       interop::ToStatusOr(client.For<corev1::Pod>("default").Get("web-0"));
//   if (absl::IsNotFound(found.status())) std::cout << "no such pod\n";
//
// A status that was made of an Error becomes the same Error again: reason, message, HTTP status,
// delay and details are in a payload. Only a program that includes this header needs Abseil.

#ifndef KINFORMER_INTEROP_ABSL_STATUS_H_
#define KINFORMER_INTEROP_ABSL_STATUS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/cord.h>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::interop {

// Name of the payload that has the parts of an Error, as JSON.
inline constexpr std::string_view kErrorPayload = "kinformer.Error";

// Returns the code that says most nearly the same.
[[nodiscard]] constexpr absl::StatusCode StatusCodeOf(Reason reason) {
  using absl::StatusCode;
  switch (reason) {
    case Reason::kUnknown:
      return StatusCode::kUnknown;
    case Reason::kBadRequest:
    case Reason::kInvalid:
    case Reason::kInvalidArgument:
    case Reason::kUnsupportedMediaType:
      return StatusCode::kInvalidArgument;
    case Reason::kUnauthorized:
      return StatusCode::kUnauthenticated;
    case Reason::kForbidden:
      return StatusCode::kPermissionDenied;
    case Reason::kNotFound:
      return StatusCode::kNotFound;
    case Reason::kMethodNotAllowed:
    case Reason::kNotAcceptable:
      return StatusCode::kUnimplemented;
    case Reason::kAlreadyExists:
      return StatusCode::kAlreadyExists;
    case Reason::kConflict:
    case Reason::kEpochChanged:
      return StatusCode::kAborted;
    case Reason::kGone:
    case Reason::kExpired:
    case Reason::kOutOfScope:
      return StatusCode::kOutOfRange;
    case Reason::kRequestEntityTooLarge:
    case Reason::kTooManyRequests:
    case Reason::kOverLimit:
      return StatusCode::kResourceExhausted;
    case Reason::kInternalError:
      return StatusCode::kInternal;
    case Reason::kServerTimeout:
    case Reason::kServiceUnavailable:
    case Reason::kConnectionRefused:
    case Reason::kTransport:
    case Reason::kUnexpectedEof:
    case Reason::kNotSynced:
      return StatusCode::kUnavailable;
    case Reason::kTimeout:
    case Reason::kDeadlineExceeded:
    case Reason::kStale:
      return StatusCode::kDeadlineExceeded;
    case Reason::kDecode:
    case Reason::kUnreadable:
      return StatusCode::kDataLoss;
    case Reason::kConfig:
    case Reason::kWouldDeadlock:
      return StatusCode::kFailedPrecondition;
    case Reason::kCanceled:
    case Reason::kStopped:
      return StatusCode::kCancelled;
  }
  return StatusCode::kUnknown;
}

// Returns the reason for a status that was not made of an Error.
[[nodiscard]] constexpr Reason ReasonOf(absl::StatusCode code) {
  using absl::StatusCode;
  switch (code) {
    case StatusCode::kInvalidArgument:
      return Reason::kInvalidArgument;
    case StatusCode::kUnauthenticated:
      return Reason::kUnauthorized;
    case StatusCode::kPermissionDenied:
      return Reason::kForbidden;
    case StatusCode::kNotFound:
      return Reason::kNotFound;
    case StatusCode::kUnimplemented:
      return Reason::kMethodNotAllowed;
    case StatusCode::kAlreadyExists:
      return Reason::kAlreadyExists;
    case StatusCode::kAborted:
      return Reason::kConflict;
    case StatusCode::kOutOfRange:
      return Reason::kExpired;
    case StatusCode::kResourceExhausted:
      return Reason::kTooManyRequests;
    case StatusCode::kInternal:
      return Reason::kInternalError;
    case StatusCode::kUnavailable:
      return Reason::kServiceUnavailable;
    case StatusCode::kDeadlineExceeded:
      return Reason::kDeadlineExceeded;
    case StatusCode::kDataLoss:
      return Reason::kDecode;
    case StatusCode::kFailedPrecondition:
      return Reason::kConfig;
    case StatusCode::kCancelled:
      return Reason::kCanceled;
    default:
      return Reason::kUnknown;
  }
}

// Returns a status with the error's message, and its other parts as a payload.
[[nodiscard]] inline absl::Status ToStatus(const Error& error) {
  json::Value parts = json::Value::MakeObject({{"reason", ReasonName(error.reason())}});
  if (error.http_status() != 0) parts.Set("httpStatus", error.http_status());
  if (error.retry_after()) {
    parts.Set("retryAfterSeconds", std::int64_t{error.retry_after()->count()});
  }
  const StatusDetails& details = error.details();
  const auto set = [&parts](std::string_view name, const std::string& text) {
    if (!text.empty()) parts.Set(name, text);
  };
  set("name", details.name);
  set("group", details.group);
  set("kind", details.kind);
  set("uid", details.uid);
  set("continue", details.continue_);
  for (const StatusCause& cause : details.causes) {
    parts.Ensure("causes").Append(json::Value::MakeObject(
        {{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}}));
  }
  absl::Status status(StatusCodeOf(error.reason()), error.message());
  // Not by the constructor that takes a std::string, whose name clang and g++ spell differently.
  const std::string text = parts.Dump();
  const absl::Cord payload(absl::string_view(text.data(), text.size()));
  status.SetPayload({kErrorPayload.data(), kErrorPayload.size()}, payload);
  return status;
}
// Returns OK, or the status of the error.
[[nodiscard]] inline absl::Status ToStatus(const Result<void>& result) {
  return result.ok() ? absl::OkStatus() : ToStatus(result.error());
}

// Returns the error that the status was made of; for another status one with the reason of its
// code. REQUIRES: !status.ok().
[[nodiscard]] inline Error ToError(const absl::Status& status) {
  std::string message(status.message().data(), status.message().size());
  const auto payload = status.GetPayload({kErrorPayload.data(), kErrorPayload.size()});
  const json::Value parts =
      payload ? json::Parse(std::string(*payload)).value_or(json::Value()) : json::Value();
  Reason reason = ReasonOf(status.code());
  for (int i = 0; i <= static_cast<int>(Reason::kStale); ++i) {
    const auto each = static_cast<Reason>(i);
    if (parts["reason"].StringOrEmpty() == ReasonName(each)) reason = each;
  }
  Error error(reason, std::move(message));
  if (const auto code = parts["httpStatus"].AsInt64())
    error.WithHttpStatus(static_cast<int>(*code));
  if (const auto delay = parts["retryAfterSeconds"].AsInt64()) {
    error.WithRetryAfter(std::chrono::seconds(*delay));
  }
  StatusDetails details{.name = parts["name"].StringOrEmpty(),
                        .group = parts["group"].StringOrEmpty(),
                        .kind = parts["kind"].StringOrEmpty(),
                        .uid = parts["uid"].StringOrEmpty(),
                        .continue_ = parts["continue"].StringOrEmpty()};
  for (const json::Value& cause : parts["causes"].items()) {
    details.causes.push_back({.reason = cause["reason"].StringOrEmpty(),
                              .message = cause["message"].StringOrEmpty(),
                              .field = cause["field"].StringOrEmpty()});
  }
  error.WithDetails(std::move(details));
  return error;
}

// Returns the value, or what ToStatus returns. Takes what it is given: move what is not needed any
// more.
template <class T>
[[nodiscard]] absl::StatusOr<T> ToStatusOr(Result<T> result) {
  if (!result.ok()) return ToStatus(result.error());
  return std::move(result).value();
}
// Returns the value, or what ToError returns.
template <class T>
[[nodiscard]] Result<T> ToResult(absl::StatusOr<T> result) {
  if (!result.ok()) return ToError(result.status());
  return *std::move(result);
}
// Returns success, or what ToError returns.
[[nodiscard]] inline Result<void> ToResult(const absl::Status& status) {
  if (!status.ok()) return ToError(status);
  return {};
}

}  // namespace kinformer::interop

#endif  // KINFORMER_INTEROP_ABSL_STATUS_H_
