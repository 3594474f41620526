// kinformer/base/error.h
//
// Error: the reason of a failure, as a value. Every failure that crosses the library's border is an
// Error inside a Result (result.h); exceptions never cross it.
//
// The reasons are the API server's own (metav1.StatusReason) and those of failures on the client's
// side. Check them with the predicates, which follow the rules of apimachinery's api/errors:
//
//   auto pod = client.For<corev1::Pod>("default").Get("web-0");
//   if (kinformer::IsNotFound(pod)) { ... }

#ifndef KINFORMER_BASE_ERROR_H_
#define KINFORMER_BASE_ERROR_H_

#include <chrono>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/pimpl.h"

namespace kinformer {

// Kind of a failure; docs/guide/errors.md has the remedies.
enum class Reason : std::uint8_t {
  // Reasons of the API server: metav1.StatusReason, same names.
  kUnknown,
  kBadRequest,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kMethodNotAllowed,
  kNotAcceptable,
  kAlreadyExists,
  kConflict,
  kGone,
  kExpired,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInvalid,
  kTooManyRequests,
  kInternalError,
  kServerTimeout,
  kServiceUnavailable,
  kTimeout,
  // Reasons of the client's side.
  kConnectionRefused,  // no server listens at the address
  kTransport,          // the connection failed or broke: DNS, TLS, reset, proxy
  kUnexpectedEof,      // the body ended in the middle
  kDecode,             // malformed bytes; the message says where
  kConfig,             // kubeconfig, flags, environment; the message names file, line or field
  kInvalidArgument,    // invalid values of the caller: a selector, a name, an option
  kCanceled,           // the caller stopped it
  kDeadlineExceeded,   // the caller's time ran out
  kNotSynced,          // the cache has not finished its initial list
  kOutOfScope,         // the cache does not cover that namespace or selector
  kUnreadable,         // the object exists but its bytes are malformed
  kOverLimit,          // a limit of the caller's (bytes, entries) was hit
  kEpochChanged,  // the server went back in time (restore); waits for a resourceVersion cannot hold
  kWouldDeadlock,  // a blocking call on the loop thread, or a wait for the caller itself
  kStopped,        // the informer, queue or runtime has been shut down
  kStale,          // the cache did not show the caller's own writes in time
};

// Returns the API's spelling of server reasons ("NotFound"), otherwise the name without the k.
std::string_view ReasonName(Reason reason);

// Returns the server reason with this name; kUnknown for all other names.
Reason ReasonFromName(std::string_view name);

// One cause of an Invalid or similar error (metav1.StatusCause).
struct StatusCause {
  std::string reason{};
  std::string message{};
  std::string field{};
};

// The parts of a metav1.Status that belong to an error.
struct StatusDetails {
  std::string name{};
  std::string group{};
  std::string kind{};
  std::string uid{};
  std::vector<StatusCause> causes{};
  std::string continue_{};  // metadata.continue of a 410 while paging
};

// A failure: a reason for programs, a message for people, and the server's details.
//
// One pointer wide; copying copies the text. Thread-compatible. Counterpart: apimachinery's
// StatusError.
class [[nodiscard]] Error {
 public:
  Error(Reason reason, std::string message);
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();

  // Return this object, so that an error can be built in one expression.
  Error& WithHttpStatus(int code);
  Error& WithRetryAfter(std::chrono::seconds delay);
  Error& WithDetails(StatusDetails details);
  // Puts "context: " in front of the message, to name a place: a file, a URL, a field.
  Error& WithContext(std::string_view context);

  [[nodiscard]] Reason reason() const;
  [[nodiscard]] const std::string& message() const;
  [[nodiscard]] int http_status() const;  // 0 without a response
  [[nodiscard]] std::optional<std::chrono::seconds> retry_after() const;
  [[nodiscard]] const StatusDetails& details() const;

  // Returns, for example, "NotFound: pods \"x\" not found".
  [[nodiscard]] std::string ToString() const;

  friend std::ostream& operator<<(std::ostream& out, const Error& error);

 private:
  struct Rep;
  internal::Pimpl<Rep> rep_;
};

namespace internal {
// Argument of the predicates below: points to an Error, or to the error of a Result; null for a
// Result that is ok(). Counterpart: an `error` that may be nil.
class MaybeError {
 public:
  // NOLINTBEGIN(google-explicit-constructor): it is made of arguments
  MaybeError(const Error& error) : error_(&error) {}
  template <class R>
    requires requires(const R& result) {
      typename R::value_type;
      { result.error() } -> std::same_as<const Error&>;
    }
  MaybeError(const R& result) : error_(result.ok() ? nullptr : &result.error()) {}
  // NOLINTEND(google-explicit-constructor)
  [[nodiscard]] const Error* get() const { return error_; }

 private:
  const Error* error_;
};
}  // namespace internal

// Predicates of an error's reason, as in apimachinery's api/errors. They take an Error or a Result,
// and are false for a Result that is ok().
[[nodiscard]] bool IsNotFound(internal::MaybeError error);
// Returns true if a read from a cache failed because the object does not exist (kNotFound) or the
// cache does not cover it (kOutOfScope). Nothing needs to be done for the object, and a retry does
// not help, as it may with other errors.
[[nodiscard]] bool IsAbsent(internal::MaybeError error);
[[nodiscard]] bool IsAlreadyExists(internal::MaybeError error);
[[nodiscard]] bool IsConflict(internal::MaybeError error);
[[nodiscard]] bool IsInvalid(internal::MaybeError error);
[[nodiscard]] bool IsGone(internal::MaybeError error);
[[nodiscard]] bool IsResourceExpired(internal::MaybeError error);
[[nodiscard]] bool IsUnauthorized(internal::MaybeError error);
[[nodiscard]] bool IsForbidden(internal::MaybeError error);
[[nodiscard]] bool IsTimeout(internal::MaybeError error);
[[nodiscard]] bool IsServerTimeout(internal::MaybeError error);
[[nodiscard]] bool IsInternalError(internal::MaybeError error);
[[nodiscard]] bool IsTooManyRequests(internal::MaybeError error);
[[nodiscard]] bool IsServiceUnavailable(internal::MaybeError error);
[[nodiscard]] bool IsMethodNotSupported(internal::MaybeError error);
[[nodiscard]] bool IsNotAcceptable(internal::MaybeError error);
[[nodiscard]] bool IsUnsupportedMediaType(internal::MaybeError error);
[[nodiscard]] bool IsBadRequest(internal::MaybeError error);
[[nodiscard]] bool IsRequestEntityTooLarge(internal::MaybeError error);
// Returns true if the server does not know a resourceVersion as new as the requested one. Also
// recognizes the texts of old servers.
[[nodiscard]] bool IsTooLargeResourceVersion(internal::MaybeError error);
// Returns true if no server listens at the address.
[[nodiscard]] bool IsConnectionRefused(internal::MaybeError error);

}  // namespace kinformer

#endif  // KINFORMER_BASE_ERROR_H_
