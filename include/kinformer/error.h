// kinformer/error.h
//
// Error: why something did not work, as a value. Every failure that crosses the library's border is
// one of these, inside a Result (result.h); no exception does.
//
// The reasons are the API server's own (metav1.StatusReason) and those that arise on our side of
// the wire. Ask with the predicates, which follow the rules of apimachinery's api/errors:
//
//   auto pod = client.For<corev1::Pod>("default").Get("web-0");
//   if (kinformer::IsNotFound(pod)) { ... }

#ifndef KINFORMER_ERROR_H_
#define KINFORMER_ERROR_H_

#include <chrono>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer {

// What kind of failure an Error is; docs/errors.md has the remedies.
enum class Reason : std::uint8_t {
  // From the API server: metav1.StatusReason, same names.
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
  // From our side.
  kConnectionRefused,  // nobody listens at the address
  kTransport,          // the connection failed or broke: DNS, TLS, reset, proxy
  kUnexpectedEof,      // the body ended in the middle
  kDecode,             // bytes that are not what they should be; the message says where
  kConfig,             // kubeconfig, flags, environment; the message names file, line or field
  kInvalidArgument,    // the caller's values: a selector, a name, an option
  kCanceled,           // the caller stopped it
  kDeadlineExceeded,   // the caller's time ran out
  kNotSynced,          // the cache has not finished its initial list
  kOutOfScope,         // the cache does not cover that namespace or selector
  kUnreadable,         // the object is there but its bytes are malformed
  kOverLimit,          // a limit of the caller's (bytes, entries) was hit
  kEpochChanged,  // the server went back in time (restore); waits for a resourceVersion cannot hold
  kWouldDeadlock,  // a blocking call on the loop thread, or a wait that waits for its own caller
  kStopped,        // the informer, queue or runtime has been shut down
  kStale,          // the cache did not show in time what the caller itself had written
};

// The API's spelling for server reasons ("NotFound"), ours without the k otherwise ("Transport").
std::string_view ReasonName(Reason reason);

// The inverse for server reasons; kUnknown for anything else.
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

// A failure: a reason for programs, a message for people, and what the server said about it.
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

  // Setters return the object, so that an error is built in one expression.
  Error& WithHttpStatus(int code);
  Error& WithRetryAfter(std::chrono::seconds delay);
  Error& WithDetails(StatusDetails details);
  // Puts "context: " in front of the message. For saying where: a file, a URL, a field.
  Error& WithContext(std::string_view context);

  [[nodiscard]] Reason reason() const;
  [[nodiscard]] const std::string& message() const;
  [[nodiscard]] int http_status() const;  // 0 where no response came
  [[nodiscard]] std::optional<std::chrono::seconds> retry_after() const;
  [[nodiscard]] const StatusDetails& details() const;

  // "NotFound: pods \"x\" not found".
  [[nodiscard]] std::string ToString() const;

  friend std::ostream& operator<<(std::ostream& out, const Error& error);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

namespace internal {
// The argument of a question about an error: an Error, or a Result, which has none where it is
// ok(). Points to it. Counterpart: an `error` that may be nil.
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

// Questions about an error's reason, as apimachinery's api/errors asks them. They take an Error or
// a Result; of a Result that is ok() the answer is no.
[[nodiscard]] bool IsNotFound(internal::MaybeError error);
// Of a read from a cache: the object does not exist (kNotFound), or is none of those that the cache
// looks at (kOutOfScope). There is nothing to do for it, and asking again will not help, as it may
// with any other error.
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
// The server does not know a resourceVersion as new as the one asked for. Also recognises the texts
// of old servers.
[[nodiscard]] bool IsTooLargeResourceVersion(internal::MaybeError error);
// Nobody listens at the address.
[[nodiscard]] bool IsConnectionRefused(internal::MaybeError error);

}  // namespace kinformer

#endif  // KINFORMER_ERROR_H_
