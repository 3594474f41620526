// cache/watch/failure_kind.h
//
// FailureKind: classifies the errors of lists and watches by how to continue.

#ifndef KINFORMER_CACHE_WATCH_FAILURE_KIND_H_
#define KINFORMER_CACHE_WATCH_FAILURE_KIND_H_

#include <cstdint>

#include "kinformer/base/error.h"

namespace kinformer::internal::cache {

enum class FailureKind : std::uint8_t {
  kExpired,      // the requested version is gone: list again
  kFuture,       // the requested version does not exist yet: list again at any version
  kAsksToWait,   // the server is busy or starting: repeat the request later
  kUnreachable,  // no answer came: repeat the request later
  kOther,
};

inline FailureKind KindOf(const Error& error) {
  if (IsResourceExpired(error) || IsGone(error)) return FailureKind::kExpired;
  // Checked before Retry-After: a version of another history will never appear.
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

// Returns whether the server cannot serve watch-lists at all, as opposed to not now.
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
