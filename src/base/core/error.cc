#include "kinformer/base/error.h"

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <utility>

namespace kinformer {

struct Error::Rep {
  Reason reason = Reason::kUnknown;
  int http_status = 0;
  std::optional<std::chrono::seconds> retry_after{};
  std::string message{};
  std::unique_ptr<StatusDetails> details{};
};

namespace {

struct NamedReason {
  Reason reason;
  std::string_view name;
};

// In the order of the enumeration.
constexpr std::array kReasons = {
    NamedReason{Reason::kUnknown, "Unknown"},
    NamedReason{Reason::kBadRequest, "BadRequest"},
    NamedReason{Reason::kUnauthorized, "Unauthorized"},
    NamedReason{Reason::kForbidden, "Forbidden"},
    NamedReason{Reason::kNotFound, "NotFound"},
    NamedReason{Reason::kMethodNotAllowed, "MethodNotAllowed"},
    NamedReason{Reason::kNotAcceptable, "NotAcceptable"},
    NamedReason{Reason::kAlreadyExists, "AlreadyExists"},
    NamedReason{Reason::kConflict, "Conflict"},
    NamedReason{Reason::kGone, "Gone"},
    NamedReason{Reason::kExpired, "Expired"},
    NamedReason{Reason::kRequestEntityTooLarge, "RequestEntityTooLarge"},
    NamedReason{Reason::kUnsupportedMediaType, "UnsupportedMediaType"},
    NamedReason{Reason::kInvalid, "Invalid"},
    NamedReason{Reason::kTooManyRequests, "TooManyRequests"},
    NamedReason{Reason::kInternalError, "InternalError"},
    NamedReason{Reason::kServerTimeout, "ServerTimeout"},
    NamedReason{Reason::kServiceUnavailable, "ServiceUnavailable"},
    NamedReason{Reason::kTimeout, "Timeout"},
    NamedReason{Reason::kConnectionRefused, "ConnectionRefused"},
    NamedReason{Reason::kTransport, "Transport"},
    NamedReason{Reason::kUnexpectedEof, "UnexpectedEof"},
    NamedReason{Reason::kDecode, "Decode"},
    NamedReason{Reason::kConfig, "Config"},
    NamedReason{Reason::kInvalidArgument, "InvalidArgument"},
    NamedReason{Reason::kCanceled, "Canceled"},
    NamedReason{Reason::kDeadlineExceeded, "DeadlineExceeded"},
    NamedReason{Reason::kNotSynced, "NotSynced"},
    NamedReason{Reason::kOutOfScope, "OutOfScope"},
    NamedReason{Reason::kUnreadable, "Unreadable"},
    NamedReason{Reason::kOverLimit, "OverLimit"},
    NamedReason{Reason::kEpochChanged, "EpochChanged"},
    NamedReason{Reason::kWouldDeadlock, "WouldDeadlock"},
    NamedReason{Reason::kStopped, "Stopped"},
    NamedReason{Reason::kStale, "Stale"},
};
static_assert(kReasons.back().reason == Reason::kStale &&
              kReasons.size() == static_cast<std::size_t>(Reason::kStale) + 1);

// Text of servers that were released before this error had a cause of its own.
constexpr std::string_view kOldText = "Too large resource version";

constexpr bool FromServer(Reason reason) { return reason <= Reason::kTimeout; }

// Whether the reason matches exactly. A known reason has precedence over the status code.
bool Is(internal::MaybeError error, Reason reason) {
  return error.get() != nullptr && error.get()->reason() == reason;
}
// Like above, but the status code decides if the server gave no reason.
bool Is(internal::MaybeError error, Reason reason, int code) {
  return Is(error, reason) || (Is(error, Reason::kUnknown) && error.get()->http_status() == code);
}
bool HasStatus(internal::MaybeError error, int code) {
  return error.get() != nullptr && error.get()->http_status() == code;
}

}  // namespace

std::string_view ReasonName(Reason reason) {
  const auto index = static_cast<std::size_t>(reason);
  return index < kReasons.size() ? kReasons[index].name : kReasons[0].name;
}

Reason ReasonFromName(std::string_view name) {
  const auto* found = std::find_if(kReasons.begin(), kReasons.end(), [name](const NamedReason& r) {
    return FromServer(r.reason) && r.name == name;
  });
  return found == kReasons.end() ? Reason::kUnknown : found->reason;
}

Error::Error(Reason reason, std::string message) : rep_(std::make_unique<Rep>()) {
  rep_->reason = reason;
  rep_->message = std::move(message);
}

Error::Error(const Error& other) : rep_(std::make_unique<Rep>()) { *this = other; }
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

Error& Error::operator=(const Error& other) {
  if (this == &other) return *this;
  auto copy = std::make_unique<Rep>();
  if (other.rep_ != nullptr) {
    copy->reason = other.rep_->reason;
    copy->http_status = other.rep_->http_status;
    copy->retry_after = other.rep_->retry_after;
    copy->message = other.rep_->message;
    if (other.rep_->details != nullptr) {
      copy->details = std::make_unique<StatusDetails>(*other.rep_->details);
    }
  }
  rep_ = std::move(copy);
  return *this;
}

Error& Error::WithHttpStatus(int code) {
  rep_->http_status = code;
  return *this;
}

Error& Error::WithRetryAfter(std::chrono::seconds delay) {
  rep_->retry_after = delay;
  return *this;
}

Error& Error::WithDetails(StatusDetails details) {
  rep_->details = std::make_unique<StatusDetails>(std::move(details));
  return *this;
}

Error& Error::WithContext(std::string_view context) {
  rep_->message.insert(0, ": ");
  rep_->message.insert(0, context);
  return *this;
}

// A moved-from Error has no Rep. Reading it is a bug, but not worth a crash while an error is being
// reported.
Reason Error::reason() const { return rep_ == nullptr ? Reason::kUnknown : rep_->reason; }

const std::string& Error::message() const {
  static const std::string* const kNone = new std::string();
  return rep_ == nullptr ? *kNone : rep_->message;
}

int Error::http_status() const { return rep_ == nullptr ? 0 : rep_->http_status; }

std::optional<std::chrono::seconds> Error::retry_after() const {
  return rep_ == nullptr ? std::nullopt : rep_->retry_after;
}

const StatusDetails& Error::details() const {
  static const StatusDetails* const kNone = new StatusDetails();
  return rep_ == nullptr || rep_->details == nullptr ? *kNone : *rep_->details;
}

std::string Error::ToString() const {
  std::string text(ReasonName(reason()));
  if (!message().empty()) text.append(": ").append(message());
  return text;
}

std::ostream& operator<<(std::ostream& out, const Error& error) { return out << error.ToString(); }

bool IsNotFound(internal::MaybeError e) { return Is(e, Reason::kNotFound, 404); }
bool IsAbsent(internal::MaybeError e) { return IsNotFound(e) || Is(e, Reason::kOutOfScope); }
bool IsAlreadyExists(internal::MaybeError e) { return Is(e, Reason::kAlreadyExists); }
bool IsConflict(internal::MaybeError e) { return Is(e, Reason::kConflict, 409); }
bool IsInvalid(internal::MaybeError e) { return Is(e, Reason::kInvalid, 422); }
bool IsGone(internal::MaybeError e) { return Is(e, Reason::kGone, 410); }
bool IsResourceExpired(internal::MaybeError e) { return Is(e, Reason::kExpired); }
bool IsUnauthorized(internal::MaybeError e) { return Is(e, Reason::kUnauthorized, 401); }
bool IsForbidden(internal::MaybeError e) { return Is(e, Reason::kForbidden, 403); }
bool IsTimeout(internal::MaybeError e) { return Is(e, Reason::kTimeout, 504); }
// Other reasons share the status code, so only the reason counts.
bool IsServerTimeout(internal::MaybeError e) { return Is(e, Reason::kServerTimeout); }
bool IsInternalError(internal::MaybeError e) { return Is(e, Reason::kInternalError, 500); }
bool IsTooManyRequests(internal::MaybeError e) {
  return Is(e, Reason::kTooManyRequests) || HasStatus(e, 429);
}
bool IsServiceUnavailable(internal::MaybeError e) {
  return Is(e, Reason::kServiceUnavailable, 503);
}
bool IsMethodNotSupported(internal::MaybeError e) { return Is(e, Reason::kMethodNotAllowed, 405); }
bool IsNotAcceptable(internal::MaybeError e) { return Is(e, Reason::kNotAcceptable, 406); }
bool IsUnsupportedMediaType(internal::MaybeError e) {
  return Is(e, Reason::kUnsupportedMediaType, 415);
}
bool IsBadRequest(internal::MaybeError e) { return Is(e, Reason::kBadRequest, 400); }
bool IsRequestEntityTooLarge(internal::MaybeError e) {
  return Is(e, Reason::kRequestEntityTooLarge) || HasStatus(e, 413);
}

bool IsTooLargeResourceVersion(internal::MaybeError e) {
  if (e.get() == nullptr) return false;
  const std::vector<StatusCause>& causes = e.get()->details().causes;
  if (std::any_of(causes.begin(), causes.end(), [](const StatusCause& cause) {
        return cause.reason == "ResourceVersionTooLarge";
      })) {
    return true;
  }
  if (!IsTimeout(e)) return false;
  return e.get()->message().find(kOldText) != std::string::npos ||
         std::any_of(causes.begin(), causes.end(),
                     [](const StatusCause& cause) { return cause.message == kOldText; });
}

bool IsConnectionRefused(internal::MaybeError e) { return Is(e, Reason::kConnectionRefused); }

}  // namespace kinformer
