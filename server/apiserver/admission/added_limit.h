// apiserver/admission/added_limit.h
//
// The limit of the memory that mutations add to an object.

#ifndef KINFORMER_APISERVER_ADMISSION_ADDED_LIMIT_H_
#define KINFORMER_APISERVER_ADMISSION_ADDED_LIMIT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/base/error.h"

namespace kinformer::apiserver {

// For the patches of all webhooks of a request together, and for those of all policies.
inline constexpr std::size_t kMostAdded = std::size_t{16} << 20;

// `what`: "admission webhooks".
[[nodiscard]] inline Error TooMuchAdded(std::string_view what) {
  return Error(Reason::kRequestEntityTooLarge, "Request entity too large: the patches of " +
                                                   std::string(what) + " would add more than " +
                                                   std::to_string(kMostAdded) + " bytes")
      .WithHttpStatus(413);
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADDED_LIMIT_H_
