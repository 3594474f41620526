// cache/check/refusal.h

#ifndef KINFORMER_CACHE_CHECK_REFUSAL_H_
#define KINFORMER_CACHE_CHECK_REFUSAL_H_

#include "kinformer/base/error.h"

namespace kinformer::internal::cache {

// Returns whether the server would refuse the same request again: true for errors of the client,
// except those that go away with time or with another token.
inline bool IsRefusedForGood(const Error& error) {
  switch (error.http_status()) {
    case 401:
    case 408:
    case 409:
    case 410:
    case 425:
    case 429:
      return false;
    default:
      return error.http_status() >= 400 && error.http_status() < 500;
  }
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_CHECK_REFUSAL_H_
