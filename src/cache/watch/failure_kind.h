// cache/watch/failure_kind.h
//
// FailureKind: what an error of a list or watch means for what is done next.

#ifndef KINFORMER_CACHE_WATCH_FAILURE_KIND_H_
#define KINFORMER_CACHE_WATCH_FAILURE_KIND_H_

#include <cstdint>

#include "kinformer/error.h"

namespace kinformer::internal::cache {

enum class FailureKind : std::uint8_t {
  kExpired,      // the version asked for is no longer there: list again
  kFuture,       // the version asked for is not there yet: list again, whatever there is
  kAsksToWait,   // the server is busy, or about to be ready: the same again, later
  kUnreachable,  // no answer came: the same again, later
  kOther,
};

inline FailureKind KindOf(const Error& error) {
  if (IsResourceExpired(error) || IsGone(error)) return FailureKind::kExpired;
  // First of those that come with a Retry-After: nobody waits for a version of another history.
  if (IsTooLargeResourceVersion(error)) return FailureKind::kFuture;
  if (IsTooManyRequests(error)) return FailureKind::kAsksToWait;
  if (error.http_status() >= 500 && error.retry_after()) return FailureKind::kAsksToWait;
  if (error.http_status() != 0) return FailureKind::kOther;
  switch (error.reason()) {
    case Reason::kConnectionRefused:
    case Reason::kTransport:
    case Reason::kUnexpectedEof:
    case Reason::kDeadlineExceeded:
      return FailureKind::kUnreachable;
    default:
      return FailureKind::kOther;
  }
}

inline bool AsksForAnotherVersion(FailureKind kind) {
  return kind == FailureKind::kExpired || kind == FailureKind::kFuture;
}

// The server says that it cannot serve watch-lists, as opposed to not now.
inline bool DeclinesWatchLists(const Error& error) {
  switch (error.http_status()) {
    case 400:
    case 405:
    case 422:
    case 501:
      return true;
    default:
      return false;
  }
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_FAILURE_KIND_H_
