// client/page_tokens.h
//
// PageTokens: detects lists whose continue tokens repeat.

#ifndef KINFORMER_CLIENT_PAGE_TOKENS_H_
#define KINFORMER_CLIENT_PAGE_TOKENS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"

namespace kinformer::internal::client {

// Prevents endless lists from servers whose continue tokens repeat. Finds any cycle after at most
// three times as many pages as precede it and belong to it, with a single remembered token (Brent's
// algorithm). Thread-compatible. client-go does not detect cycles.
class PageTokens {
 public:
  // Checks the token of the next page. Returns an error if the tokens repeat.
  [[nodiscard]] Result<void> Next(const std::string& token) {
    if (token == remembered_) {
      return Error(Reason::kDecode,
                   "the list goes in a circle: the server gave the same continue token twice");
    }
    if (++since_ < distance_) return {};
    remembered_ = token;
    since_ = 0;
    distance_ *= 2;
    return {};
  }

 private:
  std::string remembered_;  // empty: none
  std::uint64_t since_ = 0;
  std::uint64_t distance_ = 1;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_PAGE_TOKENS_H_
